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
from kb.search.facets import FacetCounts, count_facets
from kb.search.query import Query, Reference, parse
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
    query = parse(params.get("q", ""))
    form = IssueFilter(params, queryset=Issue.objects.all())
    errors = {name: [str(e) for e in errors] for name, errors in form.errors.items()}
    sort, sort_errors = _sort(params.get("sort", ""))
    errors |= sort_errors
    if errors:
        return SearchResult(query, engine.Match.NONE, sort, Issue.objects.none(), 0, (), errors)
    found = engine.match(form.qs, query)
    ordered = engine.order(found, sort)
    if not with_facets:
        return SearchResult(query, found.match, sort, ordered, found.issues.order_by().count(), (), {})
    counts = _cached(params, lambda: _count(params, query, found))
    return SearchResult(query, found.match, sort, ordered, counts.total, _groups(params, counts), {})


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


def _count(params: QueryDict, query: Query, found: engine.Found) -> FacetCounts:
    chosen = [key for key in GROUP_LABELS if params.get(key)]
    fixed = QueryDict(mutable=True)
    fixed.update({key: str(params[key]) for key in params if key not in GROUP_LABELS})
    unfaceted = IssueFilter(fixed, queryset=Issue.objects.all()).qs
    issues = unfaceted.filter(search_vector=found.tsquery) if found.tsquery else unfaceted
    for term in query.terms:
        if term.excluded:
            issues = engine.without(issues, term)
    choices = {AXIS_KEYS.get(key, key): _only(params, key) for key in chosen}
    return count_facets(issues=issues, choices=choices, sources=_chosen(params, "source"))


def _only(params: QueryDict, key: str) -> QuerySet[Issue]:
    single = QueryDict(mutable=True)
    single[key] = params.get(key, "")
    single["source"] = params.get("source", "")
    single["kind"] = ""
    allowed: QuerySet[Issue] = IssueFilter(single, queryset=Issue.objects.all()).qs
    return allowed


def _cached(params: QueryDict, compute: Callable[[], FacetCounts]) -> FacetCounts:
    asked = {"q", *IssueFilter.base_filters}
    wanted = sorted((key, value) for key, value in params.lists() if key in asked)
    key = f"facets:{hashlib.sha256(repr(wanted).encode()).hexdigest()}"
    counts: FacetCounts | None = cache.get(key)
    if counts is None:
        counts = compute()
        cache.set(key, counts, FACET_CACHE_SECONDS)
    return counts


def _groups(params: QueryDict, counts: FacetCounts) -> tuple[FacetGroup, ...]:
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
        toggle = Toggle(params, key)
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


def _chosen(params: QueryDict, key: str) -> list[str]:
    return [value for value in params.get(key, "").split(",") if value]


class Toggle:
    """Addresses of the same search with a choice of one group added or taken away, on its first page."""

    def __init__(self, params: QueryDict, key: str) -> None:
        self.key = key
        self.chosen = _chosen(params, key)
        # Hundreds of addresses share what the other groups choose, so it is encoded once.
        others = [(k, v) for k, values in params.lists() for v in values if k not in (key, "page", "cursor")]
        self._others = urlencode(others, safe=",/")

    def url(self, value: str) -> str:
        """The query string, beginning with a question mark."""
        chosen = [v for v in self.chosen if v != value] if value in self.chosen else [*self.chosen, value]
        if self.key in SINGLE_CHOICE:
            chosen = chosen[-1:]
        own = f"{self.key}={quote_plus(','.join(chosen), safe=',/')}" if chosen else ""
        return "?" + "&".join(part for part in (self._others, own) if part)
