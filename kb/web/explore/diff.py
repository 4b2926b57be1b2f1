"""Two versions of a text side by side: each line as it stands, marked where only one side has it. Pure but for HTML."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from django.utils.html import format_html_join
from django.utils.safestring import SafeString


@dataclass(frozen=True)
class Sides:
    """Both sides as HTML, whose text is the code itself: the marks are drawn by the style sheet."""

    before: SafeString
    after: SafeString
    removed: int
    added: int


def sides(before: str, after: str) -> Sides:
    """Mark the lines that go in `<del>` and those that come in `<ins>`."""
    old, new = before.splitlines(), after.splitlines()
    gone, come = set(range(len(old))), set(range(len(new)))
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        gone -= set(range(block.a, block.a + block.size))
        come -= set(range(block.b, block.b + block.size))
    return Sides(_lines(old, gone, "del"), _lines(new, come, "ins"), len(gone), len(come))


def _lines(lines: list[str], marked: set[int], tag: str) -> SafeString:
    rows = ((tag if place in marked else "span", line) for place, line in enumerate(lines))
    return format_html_join("", '<{0} class="code-line">{1}\n</{0}>', rows)
