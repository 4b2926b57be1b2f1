"""Two versions of a text side by side as HTML, with the lines marked that only one side has."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from django.utils.html import format_html_join
from django.utils.safestring import SafeString


@dataclass(frozen=True)
class Sides:
    """Both sides as HTML, whose text is the code itself: the style sheet draws the marks."""

    before: SafeString
    after: SafeString
    removed: int
    added: int


def sides(before: str, after: str) -> Sides:
    """Mark the lines that go in `<del>` and those that come in `<ins>`."""
    old, new = before.splitlines(), after.splitlines()
    removed, added = set(range(len(old))), set(range(len(new)))
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        removed.difference_update(range(block.a, block.a + block.size))
        added.difference_update(range(block.b, block.b + block.size))
    return Sides(_lines(old, removed, "del"), _lines(new, added, "ins"), len(removed), len(added))


def _lines(lines: list[str], marked: set[int], tag: str) -> SafeString:
    rows = []
    for place, line in enumerate(lines):
        rows.append((tag if place in marked else "span", line))
    return format_html_join("", '<{0} class="code-line">{1}\n</{0}>', rows)
