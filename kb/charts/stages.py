"""The stages of a run at which faults show: bars of shares."""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.charts.chart import Counted, Drawn, Option, Table
from kb.charts.counting import combinations, tally
from kb.charts.crossed import INTERVALS, LEVELS
from kb.charts.dimensions import STAGE, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.shares import COLUMNS, CategoryShare, Share, drawn, share_bars


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
        """Count the evidence and draw."""
        stages = categories(evidence, (STAGE,), int(chosen["level"]))["stage"]
        tallied = tally(combinations(evidence, ("stage",)), stages.implied)
        queries = Queries(evidence, stages)
        shares = []
        for heading in stages.headings:
            issues = tallied.counts[heading.code]
            if issues:
                shares.append(CategoryShare(heading, Share(issues, tallied.answered), queries.at(heading.code)))
        shown = drawn(shares)
        sentence = ""
        if shown:
            largest = max(shown, key=lambda share: share.share.issues)
            sentence = f"Most often: {largest.heading.name}, {largest.share.sentence}."
        return Drawn(
            counted=Counted(tallied.answered, tallied.all_issues, "whose stage is known"),
            figure=share_bars(shown),
            table=Table("Stage", COLUMNS, tuple(share.row for share in shown)),
            records=[share.record("stage") for share in shares],
            sentence=sentence,
        )
