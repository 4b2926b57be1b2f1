"""Which issues a chart counts: an address's words and filters as a condition on the facts of issues.

An address is read as search reads it. Filters on what the facts hold themselves are conditions on these; every other
filter is that of `kb.filters.issues`. `kb.charts.counting` counts with the condition. Reads the database.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.http import QueryDict

from kb.charts.trees import Tree, trees
from kb.core.search.filter_values import Value
from kb.filters.issues import IssueFilter
from kb.models import HOUSE, Framework, Issue, Source
from kb.search import MOST_REACHABLE, Condition, Matches, ParsedSearch, conditioned, matches, read

if TYPE_CHECKING:
    from kb.charts.dimensions import Categories

HOUSE_SCHEME = "house"
NOT_COUNTED = (
    "Charts count the answers of readers and studies. What rules suggest is not counted: choose another source."
)
# The parameters that select issues; the others of an address are options of charts.
ISSUE_PARAMETERS = ("q", "match", *IssueFilter.base_filters)
STATES = {"open": "f.is_open", "closed": "NOT f.is_open", "unknown": "f.is_open IS NULL"}
# The filters on what facts `f` hold.
FACT_FILTERS = ("framework", "year", "state", "small_fix", "has_fix")


@dataclass(frozen=True)
class Clause:
    """A part of a statement with its values."""

    text: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """The issues to count. While `errors` names a wrong value, there are none.

    `params`: the words and filters alone; `holders`: whose answers count, `HOUSE` or ids of sources; `scheme`: that of
    the answers, by slug; `with_unlabelled`: what the hosts say of every issue is counted, labelled or not.
    """

    asked: ParsedSearch
    params: QueryDict
    holders: tuple[int, ...]
    sources: tuple[Source, ...]
    scheme: str
    errors: Mapping[str, Sequence[str]]
    with_unlabelled: bool = False

    @property
    def is_house(self) -> bool:
        """Whether the answers are those of the house codebook."""
        return self.scheme == HOUSE_SCHEME

    @property
    def source(self) -> Source | None:
        """The source whose answers count, if it is a single one."""
        return self.sources[0] if len(self.sources) == 1 else None

    @property
    def key(self) -> str:
        """A cache key of the words and filters."""
        return sha256(self.params.urlencode().encode()).hexdigest()

    @cached_property
    def condition(self) -> Clause:
        """The condition on facts `f`."""
        if self.errors:
            return Clause("false")
        if self.matches:
            return Clause("f.issue_id = ANY (%s)", (list(self.matches.ids),))
        if self.with_unlabelled:
            return self._condition_on_issues
        clauses = _fact_clauses(self.asked.conditions)
        others = []
        for condition in self.asked.conditions:
            # Of sources' own answers, the facts hold those of their issues alone.
            is_implied = condition.key == "source" and HOUSE not in self.holders and not condition.unwanted
            if condition.key not in FACT_FILTERS and not is_implied:
                others.append(condition)
        if not any(condition.key == "kind" for condition in others):
            clauses.append(Clause("NOT f.is_pull"))
        if others:
            implied = [each for each in self.asked.conditions if each.key == "source" and each not in others]
            issues = conditioned(Issue.objects.all(), [*others, *implied]).order_by().values("pk")
            text, values = issues.query.sql_with_params()
            clauses.append(Clause(f"f.issue_id IN ({text})", tuple(values)))
        text = " AND ".join(f"({clause.text})" for clause in clauses)
        return Clause(text, tuple(chain.from_iterable(clause.values for clause in clauses)))

    @property
    def _condition_on_issues(self) -> Clause:
        """The condition where facts `f` hold no answers: every filter is that of `kb.filters.issues`."""
        asked = self.asked.conditions
        issues = conditioned(Issue.objects.all(), asked).order_by().values("pk")
        text, values = issues.query.sql_with_params()
        pulls = "" if any(condition.key == "kind" for condition in asked) else " AND NOT f.is_pull"
        return Clause(f"f.issue_id IN ({text}){pulls}", tuple(values))

    @cached_property
    def matches(self) -> Matches | None:
        """The issues that match the words; None when there are no words."""
        query = self.asked.query
        return None if query.is_empty and not query.exclusions else matches(self.asked)

    @property
    def beyond(self) -> int:
        """How many more issues match the words than can be counted."""
        return max(0, self.matches.total - MOST_REACHABLE) if self.matches else 0

    @cached_property
    def grouped(self) -> dict[tuple[str, ...], list[tuple[Any, ...]]]:
        """Counts that were read already, by the keys that they are grouped by."""
        return {}

    @cached_property
    def categories(self) -> dict[tuple[str, int], "Categories"]:
        """Categories that were read already, by dimension and level."""
        return {}

    @cached_property
    def _trees(self) -> dict[str, Tree]:
        return {}

    def trees(self, axes: Sequence[str]) -> dict[str, Tree]:
        """The trees of these axes, each read once."""
        missing = [axis for axis in axes if axis not in self._trees]
        if missing:
            self._trees.update(trees(self.scheme, missing))
        return {axis: self._trees[axis] for axis in axes}

    @cached_property
    def frameworks(self) -> dict[int, tuple[str, str]]:
        """Slug and name of every framework, by id."""
        return {pk: (slug, name) for pk, slug, name in Framework.objects.values_list("pk", "slug", "name")}

    def excluded(self, key: str) -> list[Value]:
        """The values of a filter that the address leaves out."""
        return [term.value for term in self.asked.terms if term.key == key and term.value.unwanted]

    def opened(self, first: dt.date, last: dt.date) -> "Evidence":
        """The same with an address that also asks for issues opened in these days (UTC). For queries alone."""
        days = f"{first}..{last}"
        params = self.params.copy()
        ranges = [each for each in params.get("opened", "").split(",") if each and each != days]
        # Several ranges must all hold, so those in the box may stay there.
        params["opened"] = ",".join([*ranges, days])
        return replace(self, params=params)

    def saying(self, **filters: str) -> "Evidence":
        """The same with an address that has these filters. What is counted stays: it is for queries alone."""
        params = self.params
        for key, text in filters.items():
            params = self.asked.saying(key, text, params)
        return replace(self, params=params)


def gather(params: QueryDict) -> Evidence:
    """The evidence for an address; parameters that do not select issues are ignored."""
    asked = read(about_issues(params))
    slugs = asked.wanted("source")
    sources = tuple(Source.objects.filter(slug__in=slugs).select_related("study__scheme")) if slugs else ()
    schemes = set()
    for source in sources:
        schemes.add(source.study.scheme.slug if source.study else HOUSE_SCHEME)
    errors = dict(asked.errors)
    if any(source.kind == Source.Kind.RULE for source in sources):
        errors["source"] = [NOT_COUNTED]
    elif len(schemes) > 1:
        errors["source"] = ["These sources have different categories, which cannot be counted together: choose one."]
    holders = tuple(source.pk for source in sources) or (HOUSE,)
    return Evidence(asked, asked.params, holders, sources, min(schemes, default=HOUSE_SCHEME), errors)


def about_issues(params: QueryDict) -> QueryDict:
    """The words and filters of an address as they are written there."""
    selected = QueryDict(mutable=True)
    for name in ISSUE_PARAMETERS:
        texts = [text for text in params.getlist(name) if text]
        if texts:
            selected.setlist(name, texts)
    return selected


def _fact_clauses(conditions: Iterable[Condition]) -> list[Clause]:
    clauses = []
    for condition in conditions:
        if condition.key not in FACT_FILTERS:
            continue
        if condition.wanted:
            clauses.append(_fact_clause(condition.key, condition.wanted))
        if condition.unwanted:
            unwanted = _fact_clause(condition.key, condition.unwanted)
            clauses.append(Clause(f"NOT coalesce(({unwanted.text}), false)", unwanted.values))
    return clauses


def _fact_clause(key: str, values: Sequence[str]) -> Clause:
    """Any of the values of a filter."""
    if key == "framework":
        ids = "SELECT id FROM kb_framework WHERE slug = ANY (%s)"
        return Clause(f"f.framework_id = ANY (ARRAY({ids}))", (list(values),))
    if key == "year":
        return Clause("date_part('year', f.opened_on)::int = ANY (%s)", ([int(year) for year in values],))
    if key == "state":
        return Clause(" OR ".join(STATES[state] for state in values))
    return Clause(f"f.{key} = ANY (%s)", ([value == "true" for value in values],))
