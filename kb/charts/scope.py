"""The issues that a chart of one question, or of none, counts: their categories and the queries that find them.

Search finds issues that nobody labelled, too; a chart counts labelled ones. A category that people answer tells them
apart. Where a chart has no such category, it counts the issues whose symptom is known, and its queries ask for one of
all symptoms. What one study says is told apart by asking for its source.
"""

from collections.abc import Collection
from typing import Any

from django.http import QueryDict

from kb.charts.chart import Heading
from kb.charts.counting import EXPRESSIONS
from kb.charts.dimensions import SYMPTOM, Categories, Dimension, Queries, categories
from kb.charts.evidence import Evidence
from kb.filters.values import Value, join_values

ALL = "all"
# Numbers are asked for within bounds, and bounds that are there already stay.
BOUNDS = ("days", "comments", "lines", "files")


class Scope:
    """What is counted: by the categories of `dimension` at this level of its tree, or all together without one."""

    def __init__(self, evidence: Evidence, dimension: Dimension | None = None, level: int = 1) -> None:
        self.evidence = evidence
        is_answer = bool(dimension and dimension.is_answer)
        self._is_pinned = evidence.is_house and not is_answer
        self._categories = _categories(evidence, dimension, level) if dimension else None
        self._queries = Queries(evidence, self._categories) if self._categories else None
        symptoms = _categories(evidence, SYMPTOM).tree.branches.values() if self._is_pinned else ()
        self._symptoms = tuple(branch.code for branch in symptoms if branch.parent_id is None)
        self._answered = "symptom" if self._is_pinned else dimension.one if dimension and is_answer else ""

    @property
    def column(self) -> str:
        """The expression that facts `f` are grouped by; NULL for what is not counted."""
        held = EXPRESSIONS[self._categories.dimension.key] if self._categories else "true"
        return f"CASE WHEN f.symptom <> '' THEN {held} END" if self._is_pinned else held

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The categories in their own order."""
        return self._categories.headings if self._categories else (Heading(ALL, "All"),)

    def implied(self, held: Any) -> Collection[str]:
        """From what `column` says of an issue to the codes of its categories."""
        if held is None:
            return ()
        return self._categories.implied(held) if self._categories else (ALL,)

    def condition(self, *known: str) -> str:
        """In words: what must be known of an issue that is counted."""
        needed = [one for one in (self._answered, *known) if one]
        are = "are all" if len(needed) > 2 else "are both" if len(needed) == 2 else "is"
        return f"whose {_listed(needed)} {are} known" if needed else "that are labelled"

    def query(self, code: str = ALL, **asked: str) -> str:
        """The query of the issues in a category, narrowed by these filters; bounds narrow those that are there."""
        text = self._queries.at(code) if self._queries else self.evidence.params.urlencode(safe="/,")
        params = QueryDict(text, mutable=True)
        if self._is_pinned and not self.evidence.asked.wanted("symptom"):
            params = self._saying("symptom", [*map(Value, self._symptoms), *self._unwanted("symptom")], params)
        for key, value in asked.items():
            if key in BOUNDS:
                params[key] = ",".join(filter(None, (str(params.get(key, "")), value)))
            else:
                params = self._saying(key, [Value(value)], params)
        return params.urlencode(safe="/,")

    def _saying(self, key: str, values: list[Value], params: QueryDict) -> QueryDict:
        return self.evidence.asked.saying(key, join_values(values), params)

    def _unwanted(self, key: str) -> list[Value]:
        return [one.value for one in self.evidence.asked.said if one.key == key and one.value.unwanted]


def _categories(evidence: Evidence, dimension: Dimension, level: int = 1) -> Categories:
    """The dimension's categories, read once for all charts of the same evidence."""
    key = (dimension.key, level)
    if key not in evidence.kept:
        evidence.kept[key] = categories(evidence, (dimension,), level)[dimension.key]
    found: Categories = evidence.kept[key]
    return found


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
