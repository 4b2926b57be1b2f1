"""The stages of a run at which faults show: bars of shares."""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.charts.bars import Series, bars
from kb.charts.chart import Counted, Drawn, Option, Table
from kb.charts.counting import combinations, tally
from kb.charts.crossed import INTERVALS, LEVELS
from kb.charts.dimensions import STAGE, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.shares import COLUMNS, Share


@dataclass(frozen=True)
class Stages:
    """When faults show."""

    slug: str = "stages"
    title: str = "Stages"
    lead: str = "At which stage of a run do faults show?"
    method: str = (
        "The share of issues with each stage, of those whose stage is known. An issue with several stages counts in "
        f"each, so shares may add up to more than all. {INTERVALS}"
    )
    options: tuple[Option, ...] = (LEVELS,)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        stages = categories(evidence, (STAGE,), int(chosen["level"]))["stage"]
        tallied = tally(combinations(evidence, ("stage",)), stages.implied)
        queries = Queries(evidence, stages)
        shares = [
            Share(one, tallied.counts[one.code], tallied.answered, queries.at(one.code))
            for one in stages.headings
            if tallied.counts[one.code]
        ]
        most = max(shares, key=lambda one: one.cases, default=None)
        return Drawn(
            counted=Counted(tallied.answered, tallied.all_issues, "whose stage is known"),
            figure=bars(
                [one.heading for one in shares],
                [Series("Share", {one.heading.code: one.bar for one in shares})],
                share=True,
            ),
            table=Table("Stage", COLUMNS, tuple(one.row for one in shares)),
            records=[one.record("stage") for one in shares],
            sentence=f"Most often: {most.heading.name}, {most.text}." if most else "",
        )
