"""Which issues a chart counts: the same words and filters as everywhere, as a condition on the facts of issues.

An address is read as search reads it. What stands in the facts themselves is asked there; every other filter is asked
of `kb.filters.issues`. What is counted with the condition is `kb.charts.counting`.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from django.http import QueryDict

from kb.charts.trees import Tree, trees
from kb.filters.issues import IssueFilter
from kb.models import HOUSE, Framework, Issue, Source
from kb.search import MOST_REACHABLE, Asked, Condition, Matches, conditioned, matches, read

HOUSE_SCHEME = "house"
NOT_COUNTED = (
    "Charts count the answers of readers and studies. What rules suggest is not counted: choose another source."
)
# What an address says about the issues; the rest says how to look at them.
ABOUT_ISSUES = ("q", "match", *IssueFilter.base_filters)
STATES = {"open": "f.is_open", "closed": "NOT f.is_open", "unknown": "f.is_open IS NULL"}


@dataclass(frozen=True)
class Clause:
    """A part of a statement with its values."""

    text: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What an address asks to be counted. While `errors` names a wrong value, nothing is.

    `params`: the words and filters alone; `holders`: whose answers count, `HOUSE` or sources' ids; `scheme`: the scheme
    that they are in.
    """

    asked: Asked
    params: QueryDict
    holders: tuple[int, ...]
    sources: tuple[Source, ...]
    scheme: str
    errors: Mapping[str, Sequence[str]]

    @property
    def is_house(self) -> bool:
        """Are answers those of the house codebook?"""
        return self.scheme == HOUSE_SCHEME

    @property
    def source(self) -> Source | None:
        """The only source that is asked."""
        return self.sources[0] if len(self.sources) == 1 else None

    @property
    def key(self) -> str:
        """Stands for what is asked for, in a cache."""
        return sha256(self.params.urlencode().encode()).hexdigest()

    @cached_property
    def condition(self) -> Clause:
        """What facts `f` must meet to be counted."""
        return Clause("false") if self.errors else _condition(self)

    @cached_property
    def kept(self) -> dict[tuple[Any, ...], Any]:
        """What several charts of this evidence want and was read for the first of them."""
        return {}

    @cached_property
    def matches(self) -> Matches | None:
        """The issues that match the words; None when no words are asked for."""
        query = self.asked.query
        return None if query.is_empty and not query.exclusions else matches(self.asked)

    @cached_property
    def grouped(self) -> dict[tuple[str, ...], list[tuple[Any, ...]]]:
        """What was counted of it already, by what it was grouped by."""
        return {}

    @cached_property
    def _grown(self) -> dict[str, Tree]:
        return {}

    def trees(self, axes: Sequence[str]) -> dict[str, Tree]:
        """The trees of these axes, each read once."""
        missing = [axis for axis in axes if axis not in self._grown]
        if missing:
            self._grown.update(trees(self.scheme, missing))
        return {axis: self._grown[axis] for axis in axes}

    @cached_property
    def frameworks(self) -> dict[int, tuple[str, str]]:
        """Slug and name of every framework, by id."""
        return {pk: (slug, name) for pk, slug, name in Framework.objects.values_list("pk", "slug", "name")}

    def opened(self, first: dt.date, last: dt.date) -> "Evidence":
        """The same with an address that asks for issues opened in these days (UTC) alone, whatever else it asks."""
        days = f"{first}..{last}"
        params = self.params.copy()
        said = [one for one in params.get("opened", "").split(",") if one and one != days]
        # Several ranges must all hold, so what the box says of it may stay there.
        params["opened"] = ",".join([*said, days])
        return replace(self, params=params)

    def saying(self, **filters: str) -> "Evidence":
        """The same with an address that says these filters so. What is counted stays: it is for queries alone."""
        params = self.params
        for key, text in filters.items():
            params = self.asked.saying(key, text, params)
        return replace(self, params=params)

    @property
    def beyond(self) -> int:
        """So many more issues match the words than can be counted."""
        return max(0, self.matches.total - MOST_REACHABLE) if self.matches else 0


def gather(params: QueryDict) -> Evidence:
    """Read an address's words and filters. Options of charts, which are not filters, are passed over."""
    asked = read(about_issues(params))
    wanted = asked.wanted("source")
    sources = tuple(Source.objects.filter(slug__in=wanted).select_related("study__scheme")) if wanted else ()
    schemes = {source.study.scheme.slug if source.study else HOUSE_SCHEME for source in sources} or {HOUSE_SCHEME}
    errors = {**asked.errors, **_of_sources(sources, schemes)}
    return Evidence(
        asked, asked.params, tuple(source.pk for source in sources) or (HOUSE,), sources, min(schemes), errors
    )


def about_issues(params: QueryDict) -> QueryDict:
    """The words and filters of an address, as it writes them."""
    kept = QueryDict(mutable=True)
    for name in ABOUT_ISSUES:
        if texts := list(filter(None, params.getlist(name))):
            kept.setlist(name, texts)
    return kept


def _of_sources(sources: Iterable[Source], schemes: set[str]) -> dict[str, list[str]]:
    if any(source.kind == Source.Kind.RULE for source in sources):
        return {"source": [NOT_COUNTED]}
    if len(schemes) > 1:
        return {"source": ["These sources have different categories, which cannot be counted together: choose one."]}
    return {}


def _condition(evidence: Evidence) -> Clause:
    if evidence.matches:
        return Clause("f.issue_id = ANY (%s)", (list(evidence.matches.ids),))
    asked = evidence.asked.conditions
    clauses = [one for condition in asked for one in _clauses(condition)]
    others = [one for one in asked if one.key not in HELD and not _goes_without_saying(one, evidence.holders)]
    if not any(one.key == "kind" for one in others):
        clauses.append(Clause("NOT f.is_pull"))
    if others:
        sources = [one for one in asked if one.key == "source" and one not in others]
        clauses.append(_asked_elsewhere([*others, *sources]))
    return Clause(" AND ".join(f"({one.text})" for one in clauses), tuple(v for one in clauses for v in one.values))


def _goes_without_saying(condition: Condition, holders: Sequence[int]) -> bool:
    """Who counts a source's own answers looks at its issues alone."""
    return condition.key == "source" and HOUSE not in holders and not condition.unwanted


def _asked_elsewhere(conditions: Sequence[Condition]) -> Clause:
    """Conditions on what the facts do not hold."""
    issues = conditioned(Issue.objects.all(), conditions).order_by().values("pk")
    text, values = issues.query.sql_with_params()
    return Clause(f"f.issue_id IN ({text})", tuple(values))


def _clauses(condition: Condition) -> list[Clause]:
    if condition.key not in HELD:
        return []
    clauses = [HELD[condition.key](condition.wanted)] if condition.wanted else []
    if condition.unwanted:
        unwanted = HELD[condition.key](condition.unwanted)
        clauses.append(Clause(f"NOT coalesce(({unwanted.text}), false)", unwanted.values))
    return clauses


def _framework(slugs: Sequence[str]) -> Clause:
    return Clause("f.framework_id = ANY (ARRAY(SELECT id FROM kb_framework WHERE slug = ANY (%s)))", (list(slugs),))


def _year(years: Sequence[str]) -> Clause:
    return Clause("date_part('year', f.opened_on)::int = ANY (%s)", (list(map(int, years)),))


def _state(states: Sequence[str]) -> Clause:
    return Clause(" OR ".join(STATES[state] for state in states))


def _small_fix(values: Sequence[str]) -> Clause:
    return Clause("f.small_fix = ANY (%s)", ([value == "true" for value in values],))


def _has_fix(values: Sequence[str]) -> Clause:
    return Clause("f.has_fix = ANY (%s)", ([value == "true" for value in values],))


HELD: Mapping[str, Callable[[Sequence[str]], Clause]] = {
    "framework": _framework,
    "year": _year,
    "state": _state,
    "small_fix": _small_fix,
    "has_fix": _has_fix,
}
