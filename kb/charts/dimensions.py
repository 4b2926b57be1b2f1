"""The questions that charts set against each other: their categories, read from the database, and queries of issues."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from urllib.parse import quote

from kb.charts.chart import Heading
from kb.charts.counting import Implied
from kb.charts.evidence import HOUSE_SCHEME, Evidence
from kb.charts.trees import Branch, Tree
from kb.core.search.filter_values import MOST_VALUES, Value, join_values
from kb.filters.issues import AXIS_KEYS
from kb.models import HOUSE


@dataclass(frozen=True)
class Dimension:
    """A question: its key, and the singular and plural of its categories."""

    key: str
    one: str
    many: str

    @property
    def is_answer(self) -> bool:
        """Whether people answer it; the host states all others."""
        return self.key in AXIS_KEYS


SYMPTOM = Dimension("symptom", "symptom", "symptoms")
CAUSE = Dimension("cause", "root cause", "root causes")
FIX = Dimension("fix", "fix pattern", "fix patterns")
STAGE = Dimension("stage", "stage", "stages")
COMPONENT = Dimension("component", "component", "components")
THEME = Dimension("theme", "theme", "themes")
TYPE = Dimension("type", "issue type", "issue types")
FRAMEWORK = Dimension("framework", "framework", "frameworks")
YEAR = Dimension("year", "year", "years")
DIMENSIONS = (SYMPTOM, CAUSE, FIX, STAGE, COMPONENT, THEME, TYPE, FRAMEWORK, YEAR)


@dataclass(frozen=True)
class Categories:
    """A dimension's categories for some evidence.

    `implied`: which of them an issue belongs to; `tree` is empty for a dimension without one.
    """

    dimension: Dimension
    headings: tuple[Heading, ...]
    implied: Implied
    tree: Tree
    scheme: str = ""

    def including(self, branches: Sequence[Branch]) -> "Categories":
        """The same dimension with these categories of its tree."""
        headings = tuple(Heading(branch.code, branch.name, url=branch.url) for branch in branches)
        return replace(self, headings=headings, implied=implied_by(self.tree, branches))


def categories(evidence: Evidence, dimensions: Sequence[Dimension], level: int = 1) -> dict[str, Categories]:
    """The categories of these dimensions, by key; answers at this level of their trees."""
    trees = evidence.trees([AXIS_KEYS[dimension.key] for dimension in dimensions if dimension.is_answer])
    by_key = {}
    for dimension in dimensions:
        if dimension.is_answer:
            tree = trees[AXIS_KEYS[dimension.key]]
            empty = Categories(dimension, (), _as_text, tree, evidence.scheme)
            by_key[dimension.key] = empty.including(tree.shown(level))
        elif dimension == FRAMEWORK:
            by_key[dimension.key] = _frameworks(evidence.frameworks)
        else:
            by_key[dimension.key] = Categories(dimension, (), _as_text, Tree())
    return by_key


def implied_by(tree: Tree, shown: Iterable[Branch]) -> Implied:
    """From answers as facts hold them to the codes of those categories that they imply."""
    ids = frozenset(branch.id for branch in shown)

    @cache
    def implied(answers: str) -> Collection[str]:
        pks = tree.implied((int(pk) for pk in answers.split()), ids)
        return tuple(tree.branches[pk].code for pk in sorted(pks))

    return implied


def _frameworks(rows: Mapping[int, tuple[str, str]]) -> Categories:
    def implied(pk: int) -> Collection[str]:
        return (rows[pk][0],)

    headings = [Heading(slug, name) for slug, name in rows.values()]
    headings.sort(key=lambda heading: heading.name.casefold())
    return Categories(FRAMEWORK, tuple(headings), implied, Tree())


def _as_text(value: Any) -> Collection[str]:
    return () if value is None else (str(value),)


@dataclass(frozen=True)
class Answering:
    """Issues that answer a question at all, and an address that finds them.

    Without a source, an address also finds what nobody labelled, so those that answer are asked for, whatever they
    answer. Of a source's own answers every issue counts: its address finds what it labelled and nothing else.
    """

    evidence: Evidence
    categories: Categories

    @property
    def is_everything(self) -> bool:
        """Whether the address finds labelled issues alone as it is."""
        return HOUSE not in self.evidence.holders

    @property
    def condition(self) -> str:
        """Which issues these are, in words."""
        if self.is_everything:
            return "with labels of the source"
        return f"whose {self.categories.dimension.one} is known"

    def counts(self, answers: str) -> bool:
        """Whether an issue with these answers is one of them."""
        return self.is_everything or any(int(pk) in self.categories.tree.branches for pk in answers.split())

    @property
    def asked(self) -> Evidence:
        """The evidence with an address that asks for them alone."""
        key = self.categories.dimension.key
        if self.is_everything or self.evidence.asked.wanted(key):
            return self.evidence
        roots = [Value(branch.code) for branch in self.categories.tree.shown(1)]
        return self.evidence.saying(**{key: join_values([*roots, *self.evidence.excluded(key)])})


class Queries:
    """The queries of the issues at places: the evidence's own, narrowed by a category of each of these dimensions.

    Thousands are wanted at once, so what they share is written once.
    """

    def __init__(self, evidence: Evidence, *dimensions: Categories) -> None:
        self._evidence = evidence
        self._dimensions = dimensions
        self._nodes = [node for node in evidence.params.get("node", "").split(",") if node]
        self._parameter = cache(self._parameter_of)
        self._base = cache(self._base_without)

    def at(self, *codes: str) -> str:
        """The query at the place that has a code for each dimension; several with commas between are any of them.

        Empty where no query asks for any of several: of a study's categories, beside others, or of very many.
        """
        keys, parameters, nodes = [], [], list(self._nodes)
        for number, code in enumerate(codes):
            key, value = self._parameter(number, code)
            if "," in code and (key == "node" or code.count(",") >= MOST_VALUES):
                return ""
            if key != "node":
                keys.append(key)
                parameters.append(f"{key}={quote(value, safe='/,')}")
            elif value not in nodes:
                nodes.append(value)
        if nodes:
            parameters.append(f"node={quote(','.join(nodes), safe='/,')}")
        base = self._base(tuple(keys))
        return "&".join([base, *parameters] if base else parameters)

    def _parameter_of(self, number: int, code: str) -> tuple[str, str]:
        """The filter that asks for a category, and its value: the dimension's own, or `node`, which narrows it."""
        categories = self._dimensions[number]
        key, tree = categories.dimension.key, categories.tree
        codes = code.split(",")
        wanted = self._evidence.asked.wanted(key)
        is_beside = bool(tree.branches and wanted and not all(tree.is_within(each, wanted) for each in codes))
        if is_beside or categories.scheme not in ("", HOUSE_SCHEME):
            return "node", f"{categories.scheme}/{code}"
        return key, join_values([*(Value(each) for each in codes), *self._evidence.excluded(key)])

    def _base_without(self, keys: tuple[str, ...]) -> str:
        """The evidence's own query without these filters and `node`."""
        params = self._evidence.params
        for key in (*keys, "node"):
            if key in keys or key in self._evidence.params:
                params = self._evidence.asked.saying(key, "", params)
        return params.urlencode(safe="/,")
