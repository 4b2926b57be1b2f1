"""Facets as the search page shows them: cut to size, each value a link that works without scripts.

With a long text each value is a button of the search form instead: hundreds of links would repeat the text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe

from kb.search import FacetGroup, FacetValue, SearchResult, search

SHOWN_VALUES = 10
FILTER_BOX_ABOVE = 20
OPEN_GROUPS = ("framework", "symptom", "cause", "fix", "component")
# Filters of which one or none is chosen, in a row of their own.
QUICK = {"has_fix": "With a fix", "has_workaround": "With a workaround", "curated": "Described"}
ALL = "All"
CURRENT = ' aria-current="true"'
# A group's key, one of its values and an id -> what a click on it does.
Choice = Callable[[str, FacetValue, str], str]


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


def facet_views(groups: Iterable[FacetGroup], *, as_links: bool = True) -> list[FacetView]:
    """The groups cut to size; `as_links` is False where an address would repeat a long text."""
    return [_facet_view(group, _link if as_links else _button) for group in groups if group.key not in QUICK]


@dataclass(frozen=True)
class QuickFilter:
    """One of the few filters above the results: its address, what a button sets, and what it leaves, where counted."""

    key: str
    name: str
    url: str
    change: str
    count: int | None
    is_current: bool


def quick_filters(result: SearchResult) -> list[QuickFilter]:
    """Each of them in the place of the others, and none of them; none to choose while something is not understood."""
    if result.errors:
        return []
    asked = result.asked
    current = [key for key in QUICK if asked.wanted(key) == ("true",)]
    open_params = asked.without_terms(term for term in asked.terms if is_quick(term.key, term.meant))
    counted = _counts(search(open_params, limit=0) if current else result)
    filters = []
    for key, name in {**QUICK, "": ALL}.items():
        params = open_params.copy()
        if key:
            params[key] = "true"
        change = "&".join(f"{other}={'true' if other == key else ''}" for other in QUICK)
        is_current = key in current or (not key and not current)
        filters.append(QuickFilter(key, name, _address(params), change, counted.get(key), is_current))
    return filters


def is_quick(key: str, meant: tuple[str, ...]) -> bool:
    """Is a filter one that stands in the row?"""
    return key in QUICK and meant == ("true",)


def _counts(result: SearchResult) -> Mapping[str, int]:
    """What each of them finds; nothing where facets could not be counted."""
    counts = {"": result.total}
    groups = {group.key: group for group in result.facets}
    for key in QUICK if groups else ():
        values = groups[key].values if key in groups else ()
        counts[key] = sum(value.count for value in values if value.value == "true")
    return counts


def _address(params: QueryDict) -> str:
    return "?" + params.urlencode(safe=",/")


def _facet_view(group: FacetGroup, choice: Choice) -> FacetView:
    first = _first(group)
    return FacetView(
        key=group.key,
        label=group.label,
        first=_items(group, first, "first", choice),
        every=_items(group, group.values, "all", choice) if len(first) < len(group.values) else None,
        total=len(group.values),
        is_open=group.key in OPEN_GROUPS or bool(group.selected),
    )


def _items(group: FacetGroup, values: Iterable[FacetValue], place: str, choice: Choice) -> SafeString:
    """The values as list items. Not a template: there are hundreds on a page, and this takes a tenth of the time."""
    items = []
    for value in values:
        element = choice(group.key, value, f"{place}-{group.key}-{escape(value.value)}")
        items.append(f'<li class="facet-value depth-{value.depth}">{element}</li>')
    return mark_safe("".join(items))  # noqa: S308 - whatever is not ours was escaped


def _link(_key: str, value: FacetValue, place: str) -> str:
    current = CURRENT if value.selected else ""
    return f'<a id="{place}" href="{escape(value.toggle_url)}"{current}>{_name(value)}</a>'


def _button(key: str, value: FacetValue, place: str) -> str:
    """Sent with the box's text and the form's other filters; the page puts it in the place of the filter's own text."""
    current = CURRENT if value.selected else ""
    return (
        f'<button id="{place}" type="submit" form="search-form" name="change" '
        f'value="{key}={escape(value.toggle_value)}"{current}>{_name(value)}</button>'
    )


def _name(value: FacetValue) -> str:
    return f'<span class="facet-name">{escape(value.label)}</span> <span class="count">{value.count:,}</span>'


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
