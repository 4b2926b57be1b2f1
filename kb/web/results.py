"""The parts of the search page: rows at a glance, chips of what is chosen, facets cut to size, ways out of nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from kb.filters import IssueFilter
from kb.models import Fix, Issue
from kb.search import (
    MOST_REACHABLE,
    Asked,
    Card,
    CardNode,
    FacetGroup,
    FacetValue,
    Piece,
    Said,
    SearchResult,
    passage,
    search,
)
from kb.selectors.glance import AxisName, NodeName

SHOWN_VALUES = 10
FILTER_BOX_ABOVE = 20
OPEN_GROUPS = ("framework", "symptom", "cause", "fix", "component")
RELAXED = 3
CURRENT = ' aria-current="true"'


class CountedPaginator(Paginator):  # type: ignore[type-arg]
    """Numbers the pages of a search that has been counted and cut already."""

    def __init__(self, rows: Sequence["ResultRow"], per_page: int, total: int) -> None:
        super().__init__(rows, per_page)
        self._total = total

    @cached_property
    def count(self) -> int:
        """The number of results that can be reached."""
        return min(self._total, MOST_REACHABLE)

    def page(self, number: int | str) -> Page:  # type: ignore[type-arg]
        """The page with the rows at hand, which are that page's."""
        return Page(self.object_list, self.validate_number(number), self)


@dataclass(frozen=True)
class ShownFix:
    """A fix as a row shows it."""

    url: str
    short_name: str
    is_small: bool | None


@dataclass(frozen=True)
class ResultRow:
    """A result as the page shows it."""

    card: Card
    symptoms: tuple[NodeName, ...]
    causes: tuple[NodeName, ...]
    patterns: tuple[NodeName, ...]
    fix: ShownFix | None
    passage: tuple[Piece, ...]

    @property
    def has_chain(self) -> bool:
        """Is anything known from symptom to fix?"""
        return bool(self.symptoms or self.causes or self.patterns or self.fix)


def rows(result: SearchResult) -> list[ResultRow]:
    """The shown results."""
    wanted = frozenset(word for one in result.plan.text.wanted for word, _ in one.words)
    return [_row(row.card, wanted) for row in result.rows]


def _row(card: Card, wanted: frozenset[str]) -> ResultRow:
    fix = ShownFix(card.fix.url, card.fix.name, card.fix.small) if card.fix else None
    return ResultRow(
        card=card,
        symptoms=_named("symptom", card.symptoms),
        causes=_named("root_cause", card.causes),
        patterns=_named("fix_pattern", card.patterns),
        fix=fix,
        passage=passage(card.text, wanted),
    )


def _named(axis: str, nodes: Sequence[CardNode]) -> tuple[NodeName, ...]:
    return tuple(NodeName(AxisName(axis), node.code, node.name) for node in nodes)


def first_fix(issue: Issue) -> tuple[Fix | None, int]:
    """The fix to show, and how many more there are."""
    fixes = list(issue.fixes.all())
    return (fixes[0], len(fixes) - 1) if fixes else (None, 0)


@dataclass(frozen=True)
class Chip:
    """A choice that narrows the search, and the address of the same search without it."""

    group: str
    name: str
    without_url: str


def chips(asked: Asked) -> list[Chip]:
    """Everything that narrows the search besides its words, wrong values included, so that each can be taken away."""
    return [Chip(_label(one.key), _chip_name(one), _address(asked.without(one.key, one))) for one in asked.said]


def _chip_name(one: Said) -> str:
    name = one.name.lower() if one.meant in (("true",), ("false",)) else one.name
    return f"not {name}" if one.value.unwanted else name


def _label(key: str) -> str:
    return str(IssueFilter.base_filters[key].label)


def _address(params: QueryDict) -> str:
    return "?" + params.urlencode(safe=",/")


def kept_fields(params: QueryDict) -> list[tuple[str, str]]:
    """What a new search from the box keeps: filters and order."""
    return [(key, params.get(key, "")) for key in (*IssueFilter.base_filters, "sort") if params.get(key)]


@dataclass(frozen=True)
class FacetView:
    """A facet group as it is shown: the first values at once, all of them behind a click when there are more."""

    key: str
    label: str
    first: SafeString
    every: SafeString | None
    total: int
    is_open: bool

    @property
    def has_box(self) -> bool:
        """Is the list long enough to be worth a box that narrows it?"""
        return self.total > FILTER_BOX_ABOVE


def facet_views(groups: Iterable[FacetGroup]) -> list[FacetView]:
    """The groups cut to size."""
    return [_facet_view(group) for group in groups]


def _facet_view(group: FacetGroup) -> FacetView:
    first = _first(group)
    return FacetView(
        key=group.key,
        label=group.label,
        first=_items(group, first, "first"),
        every=_items(group, group.values, "all") if len(first) < len(group.values) else None,
        total=len(group.values),
        is_open=group.key in OPEN_GROUPS or bool(group.selected),
    )


def _items(group: FacetGroup, values: Iterable[FacetValue], place: str) -> SafeString:
    """The values as list items. Not a template: there are hundreds on a page, and this takes a tenth of the time."""
    items = (
        f'<li class="facet-value depth-{v.depth}"><a id="{place}-{group.key}-{escape(v.value)}" '
        f'href="{escape(v.toggle_url)}"{CURRENT if v.selected else ""}>'
        f'<span class="facet-name">{escape(v.label)}</span> <span class="count">{v.count:,}</span></a></li>'
        for v in values
    )
    return mark_safe("".join(items))  # noqa: S308 - whatever is not ours was escaped above


def _first(group: FacetGroup) -> tuple[FacetValue, ...]:
    """The ten commonest values of the top level, and whatever is chosen with the values right below it."""
    if len(group.values) <= SHOWN_VALUES:
        return group.values
    top = [value for value in group.values if value.depth == 0][:SHOWN_VALUES]
    shown = {value.value for value in top} | set(_near_choices(group.values))
    return tuple(value for value in group.values if value.value in shown)


def _near_choices(values: Sequence[FacetValue]) -> Iterator[str]:
    chosen_depth: int | None = None
    for value in values:
        if chosen_depth is not None and value.depth <= chosen_depth:
            chosen_depth = None
        if value.selected:
            chosen_depth = value.depth if chosen_depth is None else chosen_depth
        if value.selected or (chosen_depth is not None and value.depth == chosen_depth + 1):
            yield value.value


@dataclass(frozen=True)
class WayOut:
    """A filter that could go, and how many issues there would be without it."""

    name: str
    total: int
    url: str


def ways_out(asked: Asked, errors: Mapping[str, object]) -> list[WayOut]:
    """What finds something when the present search finds nothing: each filter left out in turn."""
    narrowing = list(dict.fromkeys(one.key for one in asked.said))
    if errors or not narrowing:
        return []
    found = []
    for key in narrowing[:RELAXED]:
        looser = asked.without(key)
        total = search(looser, limit=0, with_facets=False).total
        if total:
            found.append(WayOut(_label(key), total, _address(looser)))
    return found
