"""The axes of the labeling page as HTML: rendered once per codebook, which never changes, and ticked for each ballot.

Some three hundred nodes stand on the page. As templates they would take most of its time.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString, mark_safe

from labeling.ballots import Choice
from labeling.models import NodeVersion
from labeling.selectors.codebooks import AxisNodes, frozen_axes

# Letters that do something else on the page: evidence, guidelines, search in the text, note, pass.
TAKEN_LETTERS = "egwnpjk"
UNTOLD = "The report does not tell"


@dataclass(frozen=True)
class AxisMarkup:
    """One axis; `names`: code -> name; `html`: its choices, none of them ticked."""

    code: str
    name: str
    question: str
    several: bool
    letter: str
    names: Mapping[str, str]
    html: str

    def ticked(self, choice: Choice) -> SafeString:
        """The choices with these ticked."""
        html = self.html
        for code in ("",) if choice.is_undecidable else choice.codes:
            value = f'value="{escape(code)}"'
            html = html.replace(value, f"{value} checked", 1)
        return mark_safe(html)  # noqa: S308 - made of escaped parts

    def chosen(self, choice: Choice) -> list[str]:
        """The names of what is chosen."""
        if choice.is_undecidable:
            return [UNTOLD]
        return [self.names[code] for code in choice.codes if code in self.names]


@lru_cache(maxsize=32)
def axes_markup(codebook_id: int) -> Sequence[AxisMarkup]:
    """The axes of a codebook that a round goes by."""
    used = set(TAKEN_LETTERS)
    return tuple(_markup(one, _letter(one.axis.name, used)) for one in frozen_axes(codebook_id=codebook_id))


def confidence_letter(axes: Sequence[AxisMarkup]) -> str:
    """The letter that leads to the question how sure one is."""
    return _letter("Confidence", {*TAKEN_LETTERS, *(axis.letter for axis in axes)})


def _letter(name: str, used: set[str]) -> str:
    """The first letter of the name that leads nowhere else yet; it is used then."""
    letter = next((one for one in name.lower() if one.isascii() and one.isalpha() and one not in used), "")
    used.add(letter)
    return letter


def _markup(one: AxisNodes, letter: str) -> AxisMarkup:
    axis = one.axis
    rows = list(in_tree_order(one.versions))
    kind = "checkbox" if axis.several else "radio"
    choices = "".join(
        _choice(axis.code, kind, number, version, depth) for number, (version, depth) in enumerate(rows, start=1)
    )
    untold = (
        f'<li class="choice choice-untold"><input type="{kind}" name="axis-{axis.code}" value="" id="{axis.code}--">'
        f'<label for="{axis.code}--"><kbd aria-hidden="true">0</kbd> {UNTOLD}</label></li>'
    )
    names = {version.node.code: version.name for version, _ in rows}
    html = f'<ul class="choices">{choices}{untold}</ul>'
    return AxisMarkup(axis.code, axis.name, axis.question, axis.several, letter, names, html)


def in_tree_order(versions: Sequence[NodeVersion]) -> Iterator[tuple[NodeVersion, int]]:
    """Each node with its depth, children behind their parents; whose parent is not there stands on top."""
    known = {version.node_id for version in versions}
    children: dict[int | None, list[NodeVersion]] = {}
    for version in versions:
        children.setdefault(version.parent_id if version.parent_id in known else None, []).append(version)
    return _below(None, children, 0, set())


def _below(
    parent: int | None, children: Mapping[int | None, Sequence[NodeVersion]], depth: int, seen: Collection[int]
) -> Iterator[tuple[NodeVersion, int]]:
    for version in children.get(parent, ()):
        if version.node_id not in seen:
            yield version, depth
            yield from _below(version.node_id, children, depth + 1, {*seen, version.node_id})


def _choice(axis: str, kind: str, number: int, version: NodeVersion, depth: int) -> str:
    code, place = escape(version.node.code), f"{axis}-{escape(version.node.code)}"
    return (
        f'<li class="choice choice-{min(depth, 2)}" data-code="{code}">'
        f'<input type="{kind}" name="axis-{axis}" value="{code}" id="{place}" aria-describedby="{place}-is">'
        f'<label for="{place}"><kbd aria-hidden="true">{number}</kbd> {escape(version.name)}</label>'
        f'<details><summary aria-label="What “{escape(version.name)}” means">?</summary>'
        f'<p id="{place}-is">{escape(version.definition)}</p></details></li>'
    )
