"""One search request from start to end: parse, filter, match, order, count. Nothing is rendered here."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlencode

from django.core.cache import cache
from django.db.models import QuerySet
from django.http import QueryDict

from kb.filters import AXIS_KEYS, IssueFilter
from kb.models import Framework, Issue, RepositoryAlias, Source, State
from kb.search import engine
from kb.search.asked import OF_A_PAGE, Asked, read
from kb.search.facets import FacetCounts, count_facets
from kb.search.language import Query, Reference
from kb.selectors.codebook import NodeRow, house_rows

FACET_CACHE_SECONDS = 60
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


@dataclass(frozen=True)
class FacetValue:
    """One value of a facet group. `toggle_url` adds the choice to, or takes it from, the present search."""

    value: str
    label: str
    count: int
    selected: bool
    toggle_url: str
    depth: int = 0


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


@dataclass(frozen=True)
class SearchResult:
    """Ordered matches (not yet cut into pages) with everything a page or the API says about them."""

    asked: Asked
    query: Query
    match: engine.Match
    sort: engine.Sort
    issues: QuerySet[Issue]
    total: int
    facets: tuple[FacetGroup, ...]
    errors: Mapping[str, list[str]]


def search(params: QueryDict, *, with_facets: bool = True) -> SearchResult:
    """Answer `q`, `sort` and every filter of `kb.filters.IssueFilter` in `params`.

    A wrong filter value is reported in `errors`, and then nothing is found.
    """
    asked = read(params)
    query = asked.query
    sort, sort_errors = _sort(params.get("sort", ""))
    errors = {**asked.errors, **sort_errors}
    if errors:
        return SearchResult(asked, query, engine.Match.NONE, sort, Issue.objects.none(), 0, (), errors)
    found = engine.match(asked.form.qs, query)
    ordered = engine.order(found, sort)
    if not with_facets:
        return SearchResult(asked, query, found.match, sort, ordered, found.issues.order_by().count(), (), {})
    counts = _cached(asked, lambda: _count(asked, found))
    return SearchResult(asked, query, found.match, sort, ordered, counts.total, _groups(asked, counts), {})


def find_reference(reference: Reference) -> Issue | None:
    """The issue that an exact name or address asks for, through renames; None when it is not known or not unique."""
    issues = Issue.objects.filter(ref__iexact=reference.ref).select_related("repository")
    if reference.host and reference.owner:
        full_name = f"{reference.owner}/{reference.name}"
        renamed = RepositoryAlias.objects.filter(host=reference.host, full_name__iexact=full_name)
        by_name = issues.filter(repository__host=reference.host, repository__full_name__iexact=full_name)
        return by_name.first() or issues.filter(repository__in=renamed.values("repository")).first()
    suffix = f"{reference.owner}/{reference.name}" if reference.owner else f"/{reference.name}"
    found = list(issues.filter(repository__full_name__iendswith=suffix)[:2])
    return found[0] if len(found) == 1 else None


def _sort(name: str) -> tuple[engine.Sort, dict[str, list[str]]]:
    try:
        return engine.Sort(name or engine.Sort.RELEVANCE.value), {}
    except ValueError:
        known = ", ".join(sort.value for sort in engine.Sort)
        return engine.Sort.RELEVANCE, {"sort": [f"Unknown order “{name[:40]}”. Choose one of: {known}."]}


def _count(asked: Asked, found: engine.Found) -> FacetCounts:
    issues = _filtered(asked, [key for key in IssueFilter.base_filters if key not in GROUP_LABELS])
    if found.tsquery:
        issues = issues.filter(search_vector=found.tsquery)
    for text in asked.query.exclusions:
        issues = engine.without(issues, text)
    chosen = [key for key in GROUP_LABELS if asked.data.get(key)]
    choices = {AXIS_KEYS.get(key, key): _filtered(asked, [key, "source", "kind"]) for key in chosen}
    return count_facets(issues=issues, choices=choices, sources=asked.wanted("source"))


def _filtered(asked: Asked, keys: Iterable[str]) -> QuerySet[Issue]:
    """The issues that these filters alone leave."""
    data = {key: asked.data.get(key, "") for key in keys}
    return IssueFilter(data, queryset=Issue.objects.all(), names=asked.form.names).qs


def _cached(asked: Asked, compute: Callable[[], FacetCounts]) -> FacetCounts:
    wanted = repr((asked.query, sorted(asked.data.items())))
    key = f"facets:{hashlib.sha256(wanted.encode()).hexdigest()}"
    counts: FacetCounts | None = cache.get(key)
    if counts is None:
        counts = compute()
        cache.set(key, counts, FACET_CACHE_SECONDS)
    return counts


def _groups(asked: Asked, counts: FacetCounts) -> tuple[FacetGroup, ...]:
    rows, frameworks = cache.get_or_set("facet-names", _names, FACET_CACHE_SECONDS) or _names()
    names = {
        "framework": frameworks,
        "state": dict(State.choices),
        "trust": dict(Source.Kind.choices),
        "has_fix": {"true": "Yes", "false": "No"},
        "small_fix": {"true": "Yes", "false": "No"},
    }
    groups = []
    for key, label in GROUP_LABELS.items():
        group = counts.groups.get(AXIS_KEYS.get(key, key), {})
        toggle = Toggle(asked, key)
        if key in AXIS_KEYS:
            values = _tree(toggle, [row for row in rows if row.axis == AXIS_KEYS[key]], group)
        else:
            values = _flat(toggle, names.get(key, {}), group)
        groups.append(FacetGroup(key, label, values))
    return tuple(group for group in groups if group.values)


def _names() -> tuple[tuple[NodeRow, ...], dict[str, str]]:
    return house_rows(), dict(Framework.objects.values_list("slug", "name"))


def _flat(toggle: "Toggle", names: Mapping[str, Any], counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    shown = {**dict.fromkeys(toggle.chosen, 0), **counts}
    order = sorted(shown, key=lambda v: (-int(v) if toggle.key == "year" and v.isdigit() else -shown[v], v))
    return tuple(FacetValue(v, names.get(v, v), shown[v], v in toggle.chosen, toggle.url(v)) for v in order)


def _tree(toggle: "Toggle", rows: Iterable[NodeRow], counts: Mapping[str, int]) -> tuple[FacetValue, ...]:
    children: dict[int | None, list[NodeRow]] = {}
    for row in rows:
        if str(row.id) in counts or row.code in toggle.chosen:
            children.setdefault(row.parent_id, []).append(row)

    def below(parent: int | None, depth: int) -> list[FacetValue]:
        values = []
        for row in sorted(children.get(parent, []), key=lambda r: (-counts.get(str(r.id), 0), r.name)):
            count = counts.get(str(row.id), 0)
            values.append(FacetValue(row.code, row.name, count, row.code in toggle.chosen, toggle.url(row.code), depth))
            values += below(row.id, depth + 1)
        return values

    return tuple(below(None, 0))


class Toggle:
    """Addresses of the same search with a choice of one group added or taken away, on its first page."""

    def __init__(self, asked: Asked, key: str) -> None:
        self.key = key
        self.chosen = asked.wanted(key)
        self._asked = asked
        params = asked.without(key) if key in SINGLE_CHOICE else asked.params
        # Hundreds of addresses share what the other groups choose, so it is encoded once.
        others = [(k, v) for k, values in params.lists() for v in values if k not in (key, *OF_A_PAGE)]
        self._others = urlencode(others, safe=",/")
        self._own = params.get(key, "")

    def url(self, value: str) -> str:
        """The query string, beginning with a question mark."""
        if value in self.chosen:
            return "?" + self._asked.without_value(self.key, value).urlencode(safe=",/")
        chosen = f"{self._own},{value}" if self._own else value
        return "?" + "&".join(filter(None, (self._others, f"{self.key}={quote_plus(chosen, safe=',/')}")))
