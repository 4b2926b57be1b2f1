"""The flow from symptoms over root causes to fix patterns: counts its links, and folds what is small."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from kb.charts.chart import Choice, Counted, Drawn, Heading, Option
from kb.charts.counting import Crossed, Row, combinations, cross, put_together, tally
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, FIX, SYMPTOM, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.sankey import Flow, FlowNode, Link, sankey, table

STEPS = (SYMPTOM, CAUSE, FIX)
# So many categories of a question can be told apart at a glance; the smaller ones are drawn together.
KEPT = 8
# What stands for them: no code of a node is like it.
REST = "*"
FOLDED, EVERYTHING = "main", "all"
FLOWS = Option(
    "flows",
    "Draw",
    (
        Choice(
            FOLDED, "The largest", f"The {KEPT} largest categories of each question; the others are drawn together."
        ),
        Choice(EVERYTHING, "Everything"),
    ),
)
METHOD = (
    "A link is the number of issues that have both of its categories. An issue counts once in each link, and in "
    "several links when it has several symptoms, causes or fixes, so that links may add up to more than there are "
    "issues. The two halves are counted apart: an issue whose fix is not known ends at its cause. A link’s share is of "
    "the issues with its source whose next question is answered, with Wilson’s interval at 95 %; of fewer than 10 "
    "issues it says little."
)


@dataclass(frozen=True)
class Step:
    """A question in the flow: its categories, those that are drawn together, and what those are called."""

    categories: Categories
    counts: Mapping[str, int]
    rest: tuple[str, ...]

    @property
    def rest_name(self) -> str:
        """Such as `5 other symptoms`."""
        return f"{len(self.rest)} other {self.categories.dimension.many}"

    def heading(self, code: str) -> Heading:
        """The category, or what stands for those that are drawn together."""
        if code == REST:
            return Heading(REST, self.rest_name, self.counts[REST])
        branch = self.categories.tree.by_code[code]
        return Heading(code, branch.name, self.counts[code], branch.url)

    def asked(self, code: str) -> str:
        """What a query asks for."""
        return ",".join(self.rest) if code == REST else code


@dataclass(frozen=True)
class FlowChart:
    """Symptom, root cause and fix pattern as a flow."""

    slug: str = "flow"
    title: str = "Symptom → root cause → fix pattern"
    lead: str = "Which way leads from what a person sees to what was changed?"
    method: str = METHOD

    @property
    def options(self) -> tuple[Option, ...]:
        """How fine categories are, and how many are drawn."""
        return (LEVELS, FLOWS)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        found = categories(evidence, STEPS, int(chosen.get("level", "1")))
        counted = combinations(evidence, tuple(one.key for one in STEPS))
        steps = [
            _step(found[one.key], put_together(counted, [place]), fold=chosen.get("flows") != EVERYTHING)
            for place, one in enumerate(STEPS)
        ]
        halves = [
            cross(put_together(counted, [place, place + 1]), here.categories.implied, there.categories.implied)
            for place, (here, there) in enumerate(pairwise(steps))
        ]
        flow = _flow(evidence, steps, halves)
        drawn = _drawn(counted, steps)
        return Drawn(
            counted=Counted(
                drawn, halves[0].all_issues, "whose root cause and symptom, or root cause and fix pattern, are known"
            ),
            figure=sankey(flow),
            table=table(flow),
            records=[_record(link) for link in flow.links],
            notes=(*_coarse(halves), *_ends(halves[0], counted, steps), *_folded(steps), CAUTION),
        )


CAUTION = "What goes together need not be cause and effect in your case: open the issues and compare."


def _drawn(counted: Sequence[Row], steps: Sequence[Step]) -> int:
    """How many issues have a cause and what leads to it or from it."""
    symptom, cause, fix = (step.categories.implied for step in steps)
    return sum(issues for here, why, then, issues in counted if cause(why) and (symptom(here) or fix(then)))


def _step(one: Categories, counted: Sequence[Row], *, fold: bool) -> Step:
    """The question with its smaller categories made into one, unless that would be one of them alone."""
    counts = tally(counted, one.implied).counts
    ordered = sorted(counts, key=lambda code: (-counts[code], code))
    rest = tuple(ordered[KEPT:]) if fold and len(ordered) > KEPT + 1 else ()
    small = frozenset(rest)

    @cache
    def implied(held: str) -> Collection[str]:
        return tuple(sorted({REST if code in small else code for code in one.implied(held)}))

    folded = replace(one, implied=implied)
    return Step(folded, tally(counted, implied).counts, rest)


def _flow(evidence: Evidence, steps: Sequence[Step], halves: Sequence[Crossed]) -> Flow:
    links: list[Link] = []
    for column, half in enumerate(halves):
        here, there = steps[column], steps[column + 1]
        queries = Queries(evidence, here.categories, there.categories)
        links += [
            Link(
                column, here.heading(source), there.heading(target), issues, half.rows[source],
                queries.at(here.asked(source), there.asked(target)),
            )
            for (source, target), issues in sorted(half.pairs.items(), key=lambda pair: (-pair[1], pair[0]))
        ]  # fmt: skip
    linked = {(link.column, link.source.code) for link in links} | {
        (link.column + 1, link.target.code) for link in links
    }
    nodes = [node for column, step in enumerate(steps) for node in _nodes(evidence, column, step, linked)]
    return Flow(tuple(one.many for one in STEPS), tuple(nodes), tuple(links))


def _nodes(evidence: Evidence, column: int, step: Step, linked: Collection[tuple[int, str]]) -> list[FlowNode]:
    queries = Queries(evidence, step.categories)
    ordered = sorted(step.counts, key=lambda code: (code == REST, -step.counts[code], code))
    return [
        FlowNode(column, step.heading(code), queries.at(step.asked(code)), is_rest=code == REST)
        for code in ordered
        if (column, code) in linked
    ]


def _record(link: Link) -> dict[str, Any]:
    kinds = (STEPS[link.column].key, STEPS[link.column + 1].key)
    return {
        "from": kinds[0],
        "from_code": link.source.code,
        "from_name": link.source.name,
        "to": kinds[1],
        "to_code": link.target.code,
        "to_name": link.target.name,
        "issues": link.issues,
        "from_issues": link.of,
        "share": link.share,
        "share_low": link.interval.low,
        "share_high": link.interval.high,
        "query": link.query,
    }


def _coarse(halves: Sequence[Crossed]) -> tuple[str, ...]:
    if not any(half.beyond for half in halves):
        return ()
    numbers = " and ".join(str(half.beyond) for half in halves)
    return (
        f"In the two halves, {numbers} issues are in no link: labelled only with a group. Choose the level “Groups”.",
    )


def _ends(first: Crossed, counted: Sequence[Row], steps: Sequence[Step]) -> tuple[str, ...]:
    """How many of the first half's issues go no further."""
    symptom, cause, fix = (step.categories.implied for step in steps)
    open_ended = sum(row[-1] for row in counted if symptom(row[0]) and cause(row[1]) and not fix(row[2]))
    if not open_ended:
        return ()
    return (f"Of {open_ended} of {first.answered} issues with a symptom and a cause, no fix pattern is known.",)


def _folded(steps: Sequence[Step]) -> tuple[str, ...]:
    """Which categories are drawn together."""
    named = (
        (step.rest_name, sorted(step.categories.tree.by_code[code].name for code in step.rest))
        for step in steps
        if step.rest
    )
    return tuple(f"{name}: {', '.join(names)}." for name, names in named)
