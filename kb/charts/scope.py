"""The issues that a chart of one question, or of none, counts: their categories and the queries that find them.

Search finds issues that nobody labelled, too; a chart counts labelled ones. A category that people answer tells them
apart. Where a chart has no such category, it counts the issues whose symptom is known, and its queries ask for one of
all symptoms. What one study says is told apart by asking for its source. Reads the database.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.http import QueryDict

from kb.charts.chart import Heading
from kb.charts.counting import EXPRESSIONS
from kb.charts.dimensions import SYMPTOM, Categories, Dimension, Queries, categories
from kb.charts.evidence import Evidence
from kb.core.search.filter_values import Value, join_values
from kb.models import HOUSE

ALL = "all"
# Filters on bounds: further bounds are added to those that are there already.
BOUNDS = ("days", "comments", "lines", "files")


class Scope:
    """The issues to count: by the categories of `dimension` at this level of its tree, or all together without one."""

    def __init__(self, evidence: Evidence, dimension: Dimension | None = None, level: int = 1) -> None:
        self.evidence = evidence
        self._categories: Categories | None = None
        self._queries: Queries | None = None
        if dimension:
            self._categories = _categories(evidence, dimension, level)
            self._queries = Queries(evidence, self._categories)
        # The name of what people must have answered; empty for a source's own answers.
        self._answered = ""
        self._needs_symptom = False
        self._symptoms: list[Value] = []
        if dimension and dimension.is_answer:
            self._answered = dimension.one
        elif evidence.is_house and not evidence.with_unlabelled:
            self._answered = "symptom"
            self._needs_symptom = True
            branches = _categories(evidence, SYMPTOM).tree.branches.values()
            self._symptoms = [Value(branch.code) for branch in branches if branch.parent_id is None]

    @property
    def column(self) -> str:
        """The expression that facts `f` are grouped by; NULL for what is not counted."""
        column = EXPRESSIONS[self._categories.dimension.key] if self._categories else "true"
        return f"CASE WHEN f.symptom <> '' THEN {column} END" if self._needs_symptom else column

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The categories in their own order."""
        return self._categories.headings if self._categories else (Heading(ALL, "All"),)

    def implied(self, value: Any) -> Collection[str]:
        """From an issue's value of `column` to the codes of its categories."""
        if value is None:
            return ()
        return self._categories.implied(value) if self._categories else (ALL,)

    def condition(self, *known: str) -> str:
        """In words: what must be known of an issue that is counted."""
        needed = [name for name in (self._answered, *known) if name]
        if not needed:
            return "that are labelled"
        if len(needed) == 1:
            return f"whose {needed[0]} is known"
        are = "are both" if len(needed) == 2 else "are all"
        return f"whose {', '.join(needed[:-1])} and {needed[-1]} {are} known"

    def narrowed(self, code: str) -> str:
        """The address narrowed to a category, for charts: these count labelled issues alone as it is."""
        return self._queries.at(code) if self._queries else self.evidence.params.urlencode(safe="/,")

    def query(self, code: str = ALL, **filters: str) -> str:
        """The query of the issues in a category, narrowed by these filters."""
        params = QueryDict(self.narrowed(code), mutable=True)
        asked = self.evidence.asked
        if self._needs_symptom and not asked.wanted("symptom"):
            symptoms = join_values([*self._symptoms, *self.evidence.excluded("symptom")])
            params = asked.saying("symptom", symptoms, params)
        for key, value in filters.items():
            if key not in BOUNDS:
                params = asked.saying(key, join_values([Value(value)]), params)
            elif params.get(key):
                params[key] = f"{params[key]},{value}"
            else:
                params[key] = value
        return params.urlencode(safe="/,")


def every_issue(evidence: Evidence, dimension: Dimension | None = None) -> Evidence:
    """The evidence with issues that nobody labelled, for what hosts alone say, where neither the rows nor the address
    ask for labels of certain sources; the evidence itself elsewhere."""
    asks_for_answers = dimension is not None and dimension.is_answer
    if asks_for_answers or evidence.holders != (HOUSE,) or evidence.errors:
        return evidence
    return replace(evidence, with_unlabelled=True)


def _categories(evidence: Evidence, dimension: Dimension, level: int = 1) -> Categories:
    """The dimension's categories, read once for all charts of the same evidence."""
    key = (dimension.key, level)
    if key not in evidence.categories:
        evidence.categories[key] = categories(evidence, (dimension,), level)[dimension.key]
    return evidence.categories[key]
