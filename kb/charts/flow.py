"""The flow from symptoms over root causes to fix patterns: counts its links, and folds small categories into one."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from kb.charts.chart import Choice, Counted, Drawn, Heading, Option, Record
from kb.charts.counting import Crossed, Row, combinations, cross, merge_groups, tally
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, FIX, SYMPTOM, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.samples import is_drawn, left_out
from kb.charts.sankey import Flow, FlowNode, Key, Link, sankey, table

STEPS = (SYMPTOM, CAUSE, FIX)
# So many categories of a question can be told apart at a glance; the smaller ones are drawn together.
KEPT = 8
# The code of the smaller ones together: no node has it.
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
    "the issues with its source whose next question is answered, with Wilson’s interval at 95 %."
)
CAUTION = "What goes together need not be cause and effect in your case: open the issues and compare."


@dataclass(frozen=True)
class Step:
    """A question in the flow: its categories, the issues in each, and the codes that are folded into `REST`."""

    categories: Categories
    counts: Mapping[str, int]
    rest: tuple[str, ...]

    @property
    def rest_name(self) -> str:
        """Such as `5 other symptoms`."""
        return f"{len(self.rest)} other {self.categories.dimension.many}"

    def heading(self, code: str) -> Heading:
        """The category, or the folded ones."""
        if code == REST:
            return Heading(REST, self.rest_name, self.counts[REST])
        branch = self.categories.tree.by_code[code]
        return Heading(code, branch.name, self.counts[code], branch.url)

    def codes(self, code: str) -> str:
        """The codes that a query asks for, with commas between."""
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
        """The level of the categories, and how many are drawn."""
        return (LEVELS, FLOWS)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        by_key = categories(evidence, STEPS, int(chosen.get("level", "1")))
        counted = combinations(evidence, tuple(dimension.key for dimension in STEPS))
        is_folded = chosen.get("flows") != EVERYTHING
        steps = []
        for place, dimension in enumerate(STEPS):
            steps.append(_step(by_key[dimension.key], merge_groups(counted, [place]), is_folded=is_folded))
        halves = []
        for place, (source, target) in enumerate(pairwise(steps)):
            pairs = merge_groups(counted, [place, place + 1])
            halves.append(cross(pairs, source.categories.implied, target.categories.implied))
        drawn, open_ended = _issues_drawn(counted, steps)
        flow = _flow(evidence, steps, halves)
        drawn_flow = _drawn(flow)
        condition = "whose root cause and symptom, or root cause and fix pattern, are known"
        return Drawn(
            counted=Counted(drawn, halves[0].all_issues, condition),
            figure=sankey(drawn_flow) if drawn_flow.links else {},
            table=table(drawn_flow),
            records=[_record(link) for link in flow.links],
            notes=(
                *_notes(steps, halves, open_ended),
                *left_out([(node.heading.name, node.issues) for node in flow.nodes]),
                CAUTION,
            ),
            sentence=_sentence(drawn_flow),
        )


def _issues_drawn(counted: Sequence[Row], steps: Sequence[Step]) -> tuple[int, int]:
    """How many issues have a cause and what leads to it or from it; how many of them have a symptom but no fix."""
    has_symptom, has_cause, has_fix = (step.categories.implied for step in steps)
    drawn = open_ended = 0
    for symptoms, causes, fixes, issues in counted:
        if not has_cause(causes):
            continue
        if has_fix(fixes):
            drawn += issues
        elif has_symptom(symptoms):
            drawn += issues
            open_ended += issues
    return drawn, open_ended


def _step(unfolded: Categories, counted: Sequence[Row], *, is_folded: bool) -> Step:
    """The question with its smaller categories folded into one, unless that would be one of them alone."""
    counts = tally(counted, unfolded.implied).counts
    ordered = sorted(counts, key=lambda code: (-counts[code], code))
    rest = tuple(ordered[KEPT:]) if is_folded and len(ordered) > KEPT + 1 else ()
    names = dict.fromkeys(rest, REST)

    @cache
    def implied(answers: str) -> Collection[str]:
        return tuple(sorted({names.get(code, code) for code in unfolded.implied(answers)}))

    return Step(replace(unfolded, implied=implied), tally(counted, implied).counts, rest)


def _flow(evidence: Evidence, steps: Sequence[Step], halves: Sequence[Crossed]) -> Flow:
    links = []
    linked: set[Key] = set()
    for column, half in enumerate(halves):
        source_step, target_step = steps[column], steps[column + 1]
        queries = Queries(evidence, source_step.categories, target_step.categories)
        for (source, target), issues in sorted(half.pairs.items(), key=lambda pair: (-pair[1], pair[0])):
            query = queries.at(source_step.codes(source), target_step.codes(target))
            headings = source_step.heading(source), target_step.heading(target)
            links.append(Link(column, *headings, issues, half.rows[source], query))
            linked |= {(column, source), (column + 1, target)}
    nodes = []
    for column, step in enumerate(steps):
        queries = Queries(evidence, step.categories)
        for code in sorted(step.counts, key=lambda code: (code == REST, -step.counts[code], code)):
            if (column, code) in linked:
                query = queries.at(step.codes(code))
                nodes.append(FlowNode(column, step.heading(code), query, is_rest=code == REST))
    return Flow(tuple(dimension.many for dimension in STEPS), tuple(nodes), tuple(links))


def _drawn(flow: Flow) -> Flow:
    """The flow without nodes of too few issues, links from too few, and nodes that then have no link."""
    large = {node.key for node in flow.nodes if is_drawn(node.issues)}
    links = []
    for link in flow.links:
        if link.share.is_drawn and {link.source_key, link.target_key} <= large:
            links.append(link)
    linked = {key for link in links for key in (link.source_key, link.target_key)}
    return Flow(flow.many, tuple(node for node in flow.nodes if node.key in linked), tuple(links))


def _sentence(flow: Flow) -> str:
    """The most frequent symptom and cause, in words."""
    links = [link for link in flow.links if link.column == 0 and REST not in (link.source.code, link.target.code)]
    if not links:
        return ""
    link = max(links, key=lambda link: link.issues)
    return f"Most often {link.source.name} comes from {link.target.name}: {link.share.sentence}."


def _record(link: Link) -> Record:
    return {
        "from": STEPS[link.column].key,
        "from_code": link.source.code,
        "from_name": link.source.name,
        "to": STEPS[link.column + 1].key,
        "to_code": link.target.code,
        "to_name": link.target.name,
        "issues": link.issues,
        "from_issues": link.of,
        **link.share.record(),
        "query": link.query,
    }


def _notes(steps: Sequence[Step], halves: Sequence[Crossed], open_ended: int) -> tuple[str, ...]:
    notes = []
    if any(half.beyond for half in halves):
        numbers = " and ".join(str(half.beyond) for half in halves)
        notes.append(
            f"In the two halves, {numbers} issues are in no link: labelled only with a group. Choose the level "
            "“Groups”."
        )
    if open_ended:
        of = halves[0].answered
        notes.append(f"Of {open_ended} of {of} issues with a symptom and a cause, no fix pattern is known.")
    for step in steps:
        if step.rest:
            names = sorted(step.categories.tree.by_code[code].name for code in step.rest)
            notes.append(f"{step.rest_name}: {', '.join(names)}.")
    return tuple(notes)
