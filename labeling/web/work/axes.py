"""The axes of the labeling page as HTML: rendered once per codebook, which never changes, and checked for each ballot.

There are some three hundred nodes on the page. As templates they would take most of its time.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from labeling.ballots import TEXT, Choice
from labeling.models import AxisKind, NodeVersion, ProjectAxis
from labeling.selectors.codebooks import AxisNodes, frozen_axes

# Letters that already do something on the page: evidence, guidelines, search in the text, note, pass, undo.
TAKEN_LETTERS = "egwnpujk"
UNTOLD = "The report does not say"
# No text can hold it: browsers send no such character.
FILLED_IN = "\0"
SHOWN_TEXT = 80


@dataclass(frozen=True)
class AxisMarkup:
    """One axis; `letter`: its key on the page; `names`: code -> name; `html`: its choices, none of them checked.

    `takes_codes`: it is answered in open codes.
    """

    code: str
    name: str
    question: str
    several: bool
    letter: str
    names: Mapping[str, str]
    html: str
    takes_codes: bool = False

    def ticked(self, choice: Choice) -> SafeString:
        """The HTML with this choice checked, or filled in."""
        html = self.html.replace(FILLED_IN, escape(choice.text))
        for code in ("",) if choice.is_undecidable else choice.codes:
            value = f'value="{escape(code)}"'
            html = html.replace(value, f"{value} checked", 1)
        return mark_safe(html)  # noqa: S308 - made of escaped parts

    def chosen(self, choice: Choice) -> list[str]:
        """The names of what is chosen."""
        if choice.is_undecidable:
            return [UNTOLD]
        if choice.text:
            return [shortened(choice.text)]
        return [self.names[code] for code in choice.codes if code in self.names]


@lru_cache(maxsize=32)
def axes_markup(codebook_id: int) -> Sequence[AxisMarkup]:
    """The axes of a codebook that a round uses."""
    used = set(TAKEN_LETTERS)
    axes = []
    for nodes in frozen_axes(codebook_id=codebook_id):
        letter = _free_letter(nodes.axis.name, used)
        used.add(letter)
        axes.append(_markup(nodes, letter))
    return tuple(axes)


def confidence_letter(axes: Sequence[AxisMarkup]) -> str:
    """The key that leads to the question about confidence."""
    return _free_letter("Confidence", {*TAKEN_LETTERS, *(axis.letter for axis in axes)})


def _free_letter(name: str, used: Set[str]) -> str:
    for letter in name.lower():
        if letter.isascii() and letter.isalpha() and letter not in used:
            return letter
    return ""


def _markup(nodes: AxisNodes, letter: str) -> AxisMarkup:
    axis = nodes.axis
    if not axis.has_nodes:
        html = f'{_text_box(axis)}<ul class="choices">{_untold(axis.code, "checkbox")}</ul>'
        takes_codes = axis.kind == AxisKind.CODES
        return AxisMarkup(axis.code, axis.name, axis.question, axis.several, letter, {}, html, takes_codes)
    kind = "checkbox" if axis.several else "radio"
    choices = []
    names = {}
    for number, (version, depth) in enumerate(in_tree_order(nodes.versions), start=1):
        names[version.node.code] = version.name
        choices.append(_choice(axis.code, kind, number, version, depth))
    html = f'<ul class="choices">{"".join(choices)}{_untold(axis.code, kind)}</ul>'
    return AxisMarkup(axis.code, axis.name, axis.question, axis.several, letter, names, html)


def _untold(axis: str, kind: str) -> str:
    return (
        f'<li class="choice choice-untold"><input type="{kind}" name="axis-{axis}" value="" id="{axis}--">'
        f'<label for="{axis}--"><kbd aria-hidden="true">0</kbd> {UNTOLD}</label></li>'
    )


def _text_box(axis: ProjectAxis) -> str:
    """The field for a number or a text; the caller puts what is filled in where `FILLED_IN` stands."""
    attributes = f'class="form-control answer-text" name="{TEXT}{axis.code}" aria-label="{escape(axis.name)}"'
    if axis.kind == AxisKind.NUMBER:
        return f'<input type="text" inputmode="decimal" autocomplete="off" {attributes} value="{FILLED_IN}">'
    # A line break behind the tag is none of the text: browsers take the first one away.
    return f'<textarea rows="3" {attributes}>\n{FILLED_IN}</textarea>'


def shortened(text: str) -> str:
    """The beginning of an answer in words, on one line."""
    return Truncator(" ".join(text.split())).chars(SHOWN_TEXT)


def _choice(axis: str, kind: str, number: int, version: NodeVersion, depth: int) -> str:
    code = escape(version.node.code)
    html_id = f"{axis}-{code}"
    described, meaning = "", ""
    if version.definition:
        described = f' aria-describedby="{html_id}-is"'
        meaning = (
            f'<details><summary aria-label="What “{escape(version.name)}” means">?</summary>'
            f'<p id="{html_id}-is">{escape(version.definition)}</p></details>'
        )
    return (
        f'<li class="choice choice-{min(depth, 2)}" data-code="{code}">'
        f'<input type="{kind}" name="axis-{axis}" value="{code}" id="{html_id}"{described}>'
        f'<label for="{html_id}"><kbd aria-hidden="true">{number}</kbd> {escape(version.name)}</label>'
        f"{meaning}</li>"
    )


def in_tree_order(versions: Sequence[NodeVersion]) -> list[tuple[NodeVersion, int]]:
    """Each node with its depth, children after their parents; a node whose parent is missing is a root."""
    nodes = {version.node_id for version in versions}
    children: dict[int | None, list[NodeVersion]] = {}
    for version in versions:
        parent = version.parent_id if version.parent_id in nodes else None
        children.setdefault(parent, []).append(version)

    def below(parent: int | None, depth: int) -> Iterator[tuple[NodeVersion, int]]:
        for version in children.get(parent, ()):
            yield version, depth
            yield from below(version.node_id, depth + 1)

    return list(below(None, 0))
