"""Facet groups as they are shown: an engine's counts with names, in order, each value with a ready toggle address."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict

from kb.filters.issues import AXIS_KEYS
from kb.health import database
from kb.models import Source, State
from kb.search.names import Names, names
from kb.search.request import OF_A_PAGE, Asked
from kb.selectors.codebook import NodeRow, house_rows

GROUP_LABELS = {
    "framework": "Framework",
    "symptom": "Symptom",
    "cause": "Root cause",
    "fix": "Fix pattern",
    "component": "Component",
    "stage": "Stage",
    "type": "Issue type",
    "theme": "Theme",
    "state": "State",
    "year": "Year opened",
    "has_fix": "Fix known",
    "small_fix": "Small fix (≤ 10 lines)",
    "trust": "Labels from",
}
SINGLE_CHOICE = ("state", "year", "has_fix", "small_fix", "trust")
FIXED_NAMES: dict[str, Mapping[str, Any]] = {
    "state": dict(State.choices),
    "trust": dict(Source.Kind.choices),
    "has_fix": {"true": "Yes", "false": "No"},
    "small_fix": {"true": "Yes", "false": "No"},
}

# Name and encoded form of each parameter.
Encoded = list[tuple[str, str]]


@dataclass(slots=True)
class FacetValue:
    """One value of a facet group. Not frozen: an answer holds hundreds, and a frozen one takes thrice the time."""

    value: str
    label: str
    count: int
    selected: bool
    toggle: "Toggle" = field(repr=False, compare=False)
    depth: int = 0

    @property
    def toggle_url(self) -> str:
        """The present search with this choice, or, if it is chosen, without it."""
        return self.toggle.url(self.value)

    @property
    def toggle_value(self) -> str:
        """What the filter is then set to."""
        return self.toggle.own(self.value)


@dataclass(frozen=True)
class FacetGroup:
    """A group of facet values, most frequent first (a tree keeps children below their parents)."""

    key: str
    label: str
    values: tuple[FacetValue, ...]

    @property
    def selected(self) -> tuple[FacetValue, ...]:
        """The chosen values."""
        return tuple(value for value in self.values if value.selected)


def facet_groups(asked: Asked, counts: Mapping[str, Mapping[str, int]]) -> tuple[FacetGroup, ...]:
    """The counted groups that have any value; none where the database went away before their names were read."""
    shown = _shown()
    if shown is None:
        return ()
    encoded = _encode(asked.params)
    groups = []
    for key, label in GROUP_LABELS.items():
        counted = counts.get(key, {})
        toggle = Toggle(asked, key, encoded)
        if key in AXIS_KEYS:
            values = _tree(toggle, shown.rows.get(AXIS_KEYS[key], ()), counted)
        else:
            values = _flat(toggle, shown.frameworks if key == "framework" else FIXED_NAMES.get(key, {}), counted)
        groups.append(FacetGroup(key, label, values))
    return tuple(group for group in groups if group.values)


@dataclass(frozen=True)
class _Shown:
    """The names of values: the nodes of the house codebook by axis, and the frameworks."""

    rows: Mapping[str, tuple[NodeRow, ...]]
    frameworks: Mapping[str, str]


def _shown() -> _Shown | None:
    """How values are shown; read once per state of the names, None where it never was and cannot be now."""
    global _kept
    if not database.answers():
        return _kept[1] if _kept else None
    known = names()
    if _kept is None or _kept[0] is not known:
        rows: dict[str, tuple[NodeRow, ...]] = {}
        for row in house_rows():
            rows[row.axis] = (*rows.get(row.axis, ()), row)
        _kept = (known, _Shown(rows, {one.value: one.name for one in known.stored["framework"].values}))
    return _kept[1]


_kept: tuple[Names, _Shown] | None = None


def _flat(toggle: "Toggle", names: Mapping[str, Any], counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    shown = {**dict.fromkeys(toggle.chosen, 0), **counts}
    order = sorted(shown, key=lambda v: (-int(v) if toggle.key == "year" and v.isdigit() else -shown[v], v))
    return tuple(FacetValue(v, names.get(v, v), shown[v], v in toggle.chosen, toggle) for v in order)


def _tree(toggle: "Toggle", rows: Iterable[NodeRow], counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    children: dict[int | None, list[NodeRow]] = {}
    for row in rows:
        if row.code in counts or row.code in toggle.chosen:
            children.setdefault(row.parent_id, []).append(row)

    values: list[FacetValue] = []

    def add(parent: int | None, depth: int) -> None:
        here = children.get(parent)
        if not here:
            return
        here.sort(key=lambda row: (-counts.get(row.code, 0), row.name))
        for row in here:
            code = row.code
            values.append(FacetValue(code, row.name, counts.get(code, 0), code in toggle.chosen, toggle, depth))
            add(row.id, depth + 1)

    add(None, 0)
    return tuple(values)


class Toggle:
    """Addresses of the same search with a choice of one group added or taken away, on its first page."""

    def __init__(self, asked: Asked, key: str, encoded: Encoded | None = None) -> None:
        self.key = key
        self.chosen = asked.wanted(key)
        self._asked = asked
        gives_way = key in SINGLE_CHOICE and (key in asked.params or any(one.key == key for one in asked.said))
        params = asked.without(key) if gives_way else asked.params
        self._encoded = _encode(params) if gives_way or encoded is None else encoded
        self._own = params.get(key, "")

    @cached_property
    def _begin(self) -> str:
        """All of an address up to the value: hundreds of them share it."""
        others = [pair for name, pair in self._encoded if name != self.key]
        own = _quoted(self._own) + "," if self._own else ""
        return "?" + "&".join([*others, f"{self.key}={own}"])

    def url(self, value: str) -> str:
        """The query string, beginning with a question mark."""
        if value in self.chosen:
            return "?" + self._asked.without_value(self.key, value).urlencode(safe=",/")
        return self._begin + _quoted(value)

    def own(self, value: str) -> str:
        """What the group's own filter is set to in the address."""
        if value in self.chosen:
            return self._asked.without_value(self.key, value).get(self.key, "")
        return f"{self._own},{value}" if self._own else value


def _encode(params: QueryDict) -> Encoded:
    """Each parameter of the search with its encoded form; a page's own are left out."""
    return [
        (key, urlencode([(key, value)], safe=",/"))
        for key, values in params.lists()
        for value in values
        if key not in OF_A_PAGE
    ]


@lru_cache(5_000)
def _quoted(text: str) -> str:
    return quote_plus(text, safe=",/")
