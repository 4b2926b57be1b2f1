"""The questions that charts set against each other: their categories for some evidence, and what a click asks for."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from kb.charts.chart import Heading
from kb.charts.counting import Implied
from kb.charts.evidence import HOUSE_SCHEME, Evidence
from kb.charts.trees import Branch, Tree
from kb.filters.issues import AXIS_KEYS
from kb.filters.values import MOST_VALUES, Value, join_values
from kb.models import HOUSE


@dataclass(frozen=True)
class Dimension:
    """A question: its key, and what one and several of its categories are called."""

    key: str
    one: str
    many: str

    @property
    def is_answer(self) -> bool:
        """Do people answer it? What is not answered is told by the host."""
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

    `implied` tells which of them an issue belongs to; `tree` is empty where there is none.
    """

    dimension: Dimension
    headings: tuple[Heading, ...]
    implied: Implied
    tree: Tree
    scheme: str = ""


def categories(evidence: Evidence, dimensions: Sequence[Dimension], level: int = 1) -> dict[str, Categories]:
    """The categories of these dimensions, by key; answers at this level of their trees."""
    axes = {AXIS_KEYS[one.key]: one for one in dimensions if one.is_answer}
    grown = evidence.trees(list(axes))
    found = {one.key: _answers(one, grown[axis], evidence.scheme, level) for axis, one in axes.items()}
    for one in dimensions:
        if one.key == "framework":
            found[one.key] = _frameworks(one, evidence.frameworks)
        elif not one.is_answer:
            found[one.key] = Categories(one, (), _itself, Tree())
    return found


def _answers(dimension: Dimension, tree: Tree, scheme: str, level: int) -> Categories:
    shown = tree.shown(level)
    headings = tuple(Heading(branch.code, branch.name, url=branch.url) for branch in shown)
    return Categories(dimension, headings, implied_by(tree, shown), tree, scheme)


def implied_by(tree: Tree, shown: Iterable[Branch]) -> Implied:
    """From answers as facts hold them to the codes of those categories that they imply."""
    ids = frozenset(branch.id for branch in shown)

    @cache
    def implied(held: str) -> Collection[str]:
        return tuple(tree.branches[pk].code for pk in sorted(tree.implied(map(int, held.split()), ids)))

    return implied


def _frameworks(dimension: Dimension, rows: Mapping[int, tuple[str, str]]) -> Categories:
    def implied(held: int) -> Collection[str]:
        return (rows[held][0],)

    headings = tuple(Heading(slug, name) for slug, name in sorted(rows.values(), key=lambda row: row[1].casefold()))
    return Categories(dimension, headings, implied, Tree())


def _itself(held: Any) -> Collection[str]:
    return () if held is None else (str(held),)


@dataclass(frozen=True)
class Answering:
    """Issues that answer a question at all, and an address that finds them.

    Without a source, an address also finds what nobody labelled, so those that answer are asked for, whatever they
    answer. Of a source's own answers every issue counts: its address finds what it labelled and nothing else.
    """

    evidence: Evidence
    one: Categories

    @property
    def is_everything(self) -> bool:
        """Does the address find labelled issues alone as it is?"""
        return HOUSE not in self.evidence.holders

    @property
    def condition(self) -> str:
        """Which issues these are, in words."""
        return "with labels of the source" if self.is_everything else f"whose {self.one.dimension.one} is known"

    def counts(self, held: str) -> bool:
        """Is an issue that holds these answers one of them?"""
        return self.is_everything or any(int(pk) in self.one.tree.branches for pk in held.split())

    @property
    def asked(self) -> Evidence:
        """The evidence with an address that asks for them alone."""
        key = self.one.dimension.key
        if self.is_everything or self.evidence.asked.wanted(key):
            return self.evidence
        unwanted = [said.value for said in self.evidence.asked.said if said.key == key and said.value.unwanted]
        roots = [Value(branch.code) for branch in self.one.tree.shown(1)]
        return self.evidence.saying(**{key: join_values([*roots, *unwanted])})


class Queries:
    """The queries of the issues at places: the evidence's own, narrowed by a category of each of these dimensions.

    Thousands are wanted at once, so what they share is written once.
    """

    def __init__(self, evidence: Evidence, *dimensions: Categories) -> None:
        self._asked, self._params = evidence.asked, evidence.params
        self._dimensions = dimensions
        self._nodes = [one for one in self._params.get("node", "").split(",") if one]
        self._wanted = {one.dimension.key: evidence.asked.wanted(one.dimension.key) for one in dimensions}
        self._place = cache(self._place_of)
        self._base = cache(self._base_without)

    def at(self, *codes: str) -> str:
        """The query at the place that has a code for each dimension; several with commas between are any of them.

        Empty where no query asks for any of several: of a study's categories, beside others, or of very many.
        """
        own, nodes = [], list(self._nodes)
        keys = []
        for one, code in zip(self._dimensions, codes, strict=True):
            key, text = self._place(one.dimension.key, code)
            if "," in code and (key == "node" or code.count(",") >= MOST_VALUES):
                return ""
            if key == "node":
                nodes += [] if text in nodes else [text]
            else:
                keys.append(key)
                own.append(text)
        if nodes:
            own.append(f"node={quote(','.join(nodes), safe='/,')}")
        return "&".join(filter(None, (self._base(tuple(keys)), *own)))

    def _place_of(self, key: str, code: str) -> tuple[str, str]:
        """The key that asks for a category, and what it says: its own, or `node`, which asks for it besides others."""
        one = next(one for one in self._dimensions if one.dimension.key == key)
        wanted, several = self._wanted[key], code.split(",")
        if one.scheme not in ("", HOUSE_SCHEME) or (
            one.tree.branches and wanted and not all(one.tree.is_within(each, wanted) for each in several)
        ):
            return "node", f"{one.scheme}/{code}"
        unwanted = [said.value for said in self._asked.said if said.key == key and said.value.unwanted]
        return key, f"{key}={quote(join_values([*map(Value, several), *unwanted]), safe='/,')}"

    def _base_without(self, keys: tuple[str, ...]) -> str:
        params = self._params
        for key in (*keys, "node"):
            params = self._asked.saying(key, "", params) if key in self._params or key in keys else params
        return params.urlencode(safe="/,")
