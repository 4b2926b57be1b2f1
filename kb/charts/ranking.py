"""The categories of one question with their shares of the issues that answer it: a chart, and the numbers of a card."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kb.charts.chart import Counted, Drawn, Heading, Option, Table
from kb.charts.counting import Tally, group_issues, tally
from kb.charts.crossed import INTERVALS, LEVELS
from kb.charts.dimensions import CAUSE, FIX, STAGE, SYMPTOM, TYPE, Dimension
from kb.charts.evidence import Evidence
from kb.charts.figures import issues_text
from kb.charts.scope import Scope
from kb.charts.shares import COLUMNS, CategoryShare, Share, drawn, share_bars

# Of what happened, a category is called common; of where and when, it has issues.
KINDS = (SYMPTOM, CAUSE, FIX, STAGE, TYPE)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Bars of shares. `in_order`: the categories keep their own order; else the most frequent comes first."""

    slug: str
    title: str
    lead: str
    dimension: Dimension
    in_order: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """The level of what people answer."""
        return (LEVELS,) if self.dimension.is_answer else ()

    @property
    def method(self) -> str:
        """How the numbers are computed."""
        one = self.dimension.one
        return (
            f"The share of issues with each {one}, of those whose {one} is known. An issue with several "
            f"{self.dimension.many} counts in each, so shares may add up to more than 100 %. {INTERVALS}"
        )

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        scope = Scope(evidence, self.dimension, int(chosen.get("level", "1")))
        tallied = tally(group_issues(evidence, scope.column, 1), scope.implied)
        shares = ranked(scope, tallied, query_of=scope.query, in_order=self.in_order)
        shown = drawn(shares)
        return Drawn(
            counted=Counted(tallied.answered, tallied.all_issues, scope.condition()),
            figure=share_bars(shown),
            table=Table(self.dimension.one.capitalize(), COLUMNS, tuple(share.row for share in shown)),
            records=[share.record(self.dimension.key) for share in shares],
            sentence=finding(self.dimension, shown).sentence,
        )


def ranked(
    scope: Scope, tallied: Tally, *, query_of: Callable[[str], str], in_order: bool = False
) -> list[CategoryShare]:
    """The categories that occur, each with its share and its query by its code."""
    headings = scope.headings or tuple(Heading(code, code) for code in sorted(tallied.counts))
    shares = []
    for heading in headings:
        issues = tallied.counts[heading.code]
        if issues:
            shares.append(CategoryShare(heading, Share(issues, tallied.answered), query_of(heading.code)))
    if not in_order:
        shares.sort(key=lambda share: -share.share.issues)
    return shares


@dataclass(frozen=True)
class Finding:
    """The most frequent category in a headline, and the numbers that carry it."""

    headline: str = ""
    numbers: str = ""

    @property
    def sentence(self) -> str:
        """Both together."""
        return f"{self.headline} ({self.numbers})." if self.headline else ""


def finding(dimension: Dimension, shares: Sequence[CategoryShare]) -> Finding:
    """The most frequent category, with the next one where chance may explain that it is behind."""
    if not shares:
        return Finding()
    first, *others = sorted(shares, key=lambda share: -share.share.issues)[:2]
    of = issues_text(first.share.of)
    if not others:
        return Finding(f"Only one {dimension.one}: {first.heading.name}", f"n = {of}")
    second = others[0]
    name, share = first.heading.name, first.share
    if second.share.interval.high <= share.value:
        says = f"is the most common {dimension.one}" if dimension in KINDS else "has the most issues"
        return Finding(f"{name} {says}: {share.percent}", f"{share.issues} of {of}, 95 % interval {share.range}")
    says = f"are the most common {dimension.many}" if dimension in KINDS else "have the most issues"
    return Finding(
        f"{name} and {second.heading.name} {says}: {share.percent} and {second.share.percent}",
        f"{share.issues} and {second.share.issues} of {of}, 95 % intervals {share.range} and {second.share.range}",
    )
