"""Facet groups as they are shown: an engine's counts with names, in order, each value with a ready toggle address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from urllib.parse import quote_plus, urlencode

from django.http import QueryDict

from kb.core.search.lookup import Lookup
from kb.filters.filter_types import Values, Years
from kb.filters.issues import AXIS_KEYS, IssueFilter
from kb.health import database
from kb.search.names import Names, names
from kb.search.request import OF_A_PAGE, ParsedSearch
from kb.selectors.codebook import NodeRow, house_rows

# Shown first and in this order; other groups follow in the order in which `IssueFilter` declares their filters.
FIRST = ("framework", "symptom", "cause", "fix", "component", "stage")
FACETS = {
    key: declared
    for key, declared in IssueFilter.base_filters.items()
    if isinstance(declared, Values) and declared.facet
}
GROUP_LABELS = {key: FACETS[key].facet for key in dict.fromkeys((*FIRST, *FACETS))}
# Of fixed values and of years, a click replaces the choice; others it adds up.
SINGLE_CHOICE = tuple(
    key for key, declared in FACETS.items() if "known" in declared.extra or isinstance(declared, Years)
)

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


def facet_groups(asked: ParsedSearch, counts: Mapping[str, Mapping[str, int]]) -> tuple[FacetGroup, ...]:
    """The counted groups that have any value; none where the database went away before their names were read."""
    labels = _labels()
    if labels is None:
        return ()
    encoded = _encode(asked.params)
    groups = []
    for key, label in GROUP_LABELS.items():
        toggle = Toggle(asked, key, encoded)
        if key in AXIS_KEYS:
            values = _tree(toggle, labels.nodes.get(AXIS_KEYS[key], ()), counts.get(key, {}))
        else:
            values = _flat(toggle, labels.names.of(key), counts.get(key, {}))
        if values:
            groups.append(FacetGroup(key, label, values))
    return tuple(groups)


@dataclass(frozen=True)
class _Labels:
    """The names of values, and the nodes of the house codebook by axis, in the order of their names."""

    names: Names
    nodes: Mapping[str, Sequence[NodeRow]]


def _labels() -> _Labels | None:
    """Read anew whenever the names were; None where they never were and the database is away."""
    global _cached_labels
    if not database.answers():
        return _cached_labels
    present = names()
    if _cached_labels is None or _cached_labels.names is not present:
        nodes: dict[str, list[NodeRow]] = {}
        for row in sorted(house_rows(), key=lambda row: row.name):
            nodes.setdefault(row.axis, []).append(row)
        _cached_labels = _Labels(present, nodes)
    return _cached_labels


_cached_labels: _Labels | None = None


def _flat(toggle: "Toggle", lookup: Lookup | None, counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    """The newest year first; other values by count."""
    shown = {**dict.fromkeys(toggle.chosen, 0), **counts}
    if isinstance(FACETS[toggle.key], Years):
        order = sorted(shown, key=int, reverse=True)
    else:
        order = sorted(shown, key=lambda value: (-shown[value], value))
    values = []
    for value in order:
        named = lookup.get(value) if lookup else None
        name = named.name if named else value
        values.append(FacetValue(value, name, shown[value], value in toggle.chosen, toggle))
    return tuple(values)


def _tree(toggle: "Toggle", rows: Iterable[NodeRow], counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    """The most frequent node first, each with its children behind it. `rows` come in the order of their names."""
    children: dict[int | None, list[NodeRow]] = {}
    for row in rows:
        if row.code in counts or row.code in toggle.chosen:
            children.setdefault(row.parent_id, []).append(row)

    values: list[FacetValue] = []

    def add(parent: int | None, depth: int) -> None:
        # Those with one count stay in the order of their names.
        for row in sorted(children[parent], key=lambda row: counts.get(row.code, 0), reverse=True):
            code = row.code
            values.append(FacetValue(code, row.name, counts.get(code, 0), code in toggle.chosen, toggle, depth))
            if row.id in children:
                add(row.id, depth + 1)

    if None in children:
        add(None, 0)
    return tuple(values)


class Toggle:
    """Addresses of the same search with a choice of one group added or taken away, on its first page."""

    def __init__(self, asked: ParsedSearch, key: str, encoded: Encoded | None = None) -> None:
        self.key = key
        self.chosen = asked.wanted(key)
        self._asked = asked
        params = asked.params
        if key in SINGLE_CHOICE and (key in params or any(term.key == key for term in asked.terms)):
            # The new choice takes the place of the present one.
            params = asked.without(key)
            encoded = None
        self._encoded = _encode(params) if encoded is None else encoded
        self._own = params.get(key, "")

    @cached_property
    def _begin(self) -> str:
        """All of an address up to the value: hundreds of them share it."""
        parameters = [parameter for name, parameter in self._encoded if name != self.key]
        own = _quoted(self._own) + "," if self._own else ""
        return "?" + "&".join([*parameters, f"{self.key}={own}"])

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
    encoded = []
    for key, values in params.lists():
        if key not in OF_A_PAGE:
            encoded += [(key, urlencode([(key, value)], safe=",/")) for value in values]
    return encoded


@lru_cache(5_000)
def _quoted(text: str) -> str:
    return quote_plus(text, safe=",/")
