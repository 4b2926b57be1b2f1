"""How far a symptom tells the group of its cause, beside always telling the most common one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Record, Row, Table, named
from kb.charts.counting import combinations
from kb.charts.crossed import INTERVALS
from kb.charts.dimensions import CAUSE, SYMPTOM, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.foretelling import foretell
from kb.charts.leave_one_out import Told
from kb.charts.plotly import CLICK, PlotlyJson
from kb.charts.samples import in_order, left_out
from kb.charts.shares import Share

ALL = Heading("all", "All symptoms")
COLUMNS = named(
    "Issues", "Told first", "95 % interval", "Among three", "95 % interval of three", "Most common", "Three most common"
)


@dataclass(frozen=True)
class Line:
    """A group of symptoms, or all of them, with what was told of its issues."""

    heading: Heading
    told: Told
    query: str

    @property
    def first(self) -> Share:
        """Told right at once."""
        return Share(self.told.first, self.told.reports)

    @property
    def three(self) -> Share:
        """Right among three."""
        return Share(self.told.three, self.told.reports)

    @property
    def commonest(self) -> Share:
        """Right by always telling the most common."""
        return Share(self.told.commonest, self.told.reports)

    @property
    def three_commonest(self) -> Share:
        """Right among the three commonest."""
        return Share(self.told.three_commonest, self.told.reports)

    def bar(self, share: Share, says: str) -> Bar:
        """A bar of one of these shares."""
        hover = [f"{says}: {share.sentence}", *share.small_details]
        if self.query:
            hover.append(CLICK)
        return Bar(share.value, "", tuple(hover), self.query, share.interval, is_small=share.is_small)

    @property
    def row(self) -> Row:
        """A line of the table."""
        cells = (
            Cell(self.told.reports, f"{self.told.reports:,}", query=self.query),
            Cell(self.first.value, self.first.percent),
            Cell(None, self.first.range, details=self.first.small_details),
            Cell(self.three.value, self.three.percent),
            Cell(None, self.three.range),
            Cell(self.commonest.value, self.commonest.percent),
            Cell(self.three_commonest.value, self.three_commonest.percent),
        )
        return Row(self.heading, cells, is_weak=self.first.is_small)

    @property
    def record(self) -> Record:
        """The numbers for programs; `issues` are those that were told of."""
        return {
            "symptom": self.heading.code,
            "symptom_name": self.heading.name,
            "issues": self.told.reports,
            "told_first": self.told.first,
            **self.first.record(),
            "told_among_three": self.told.three,
            **_bounds("three", self.three),
            "told_by_commonest": self.told.commonest,
            **_bounds("commonest", self.commonest),
            "told_among_three_commonest": self.told.three_commonest,
            **_bounds("three_commonest", self.three_commonest),
            "query": self.query,
        }


@dataclass(frozen=True)
class SymptomTellsCause:
    """How often the other issues of a symptom tell an issue's group of causes."""

    slug: str = "symptom-tells-cause"
    title: str = "How far a symptom tells its cause"
    lead: str = "Of an issue whose symptom alone is known, how often is the likeliest group of causes the right one?"
    method: str = (
        "Each issue's group of causes is told by all other issues that share a symptom with it, as that was labelled: "
        "the most frequent group is told first. An issue that shares two symptoms counts for both; equal groups come "
        "in the order of how frequent they are anywhere. It is right where the issue has the group. Beside it "
        f"stands what telling the most common group of all issues would do. {INTERVALS}"
    )
    options: tuple[Option, ...] = ()

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:  # noqa: ARG002
        """Count the evidence and draw."""
        lines = list(_lines(evidence))
        together, *groups = lines
        shown = [together, *in_order(groups, lambda line: line.told.reports)] if together.told.reports else []
        all_issues = sum(issues for *_, issues in combinations(evidence, (SYMPTOM.key, CAUSE.key)))
        return Drawn(
            counted=Counted(together.told.reports, all_issues, "whose symptom and root cause are both known"),
            figure=_figure(shown) if together.first.is_drawn else {},
            table=Table("Symptom", COLUMNS, tuple(line.row for line in shown)),
            records=[line.record for line in lines if line.told.reports],
            notes=left_out([(line.heading.name, line.told.reports) for line in groups]),
            sentence=_sentence(together) if together.told.reports else "",
        )


def _lines(evidence: Evidence) -> Iterator[Line]:
    """All symptoms, then each group of symptoms that has issues, in the codebook's order."""
    told = foretell(evidence)
    read = categories(evidence, (SYMPTOM, CAUSE))
    symptoms, causes = read[SYMPTOM.key], read[CAUSE.key]
    any_symptom = ",".join(heading.code for heading in symptoms.headings)
    any_cause = ",".join(heading.code for heading in causes.headings)
    queries = Queries(evidence, symptoms, causes)
    yield Line(ALL, told.together, queries.at(any_symptom, any_cause) if any_cause and any_symptom else "")
    for heading in symptoms.headings:
        if heading.code in told.by_group:
            yield Line(heading, told.by_group[heading.code], queries.at(heading.code, any_cause))


def _figure(lines: list[Line]) -> PlotlyJson:
    told = Series("Told by the symptom", {line.heading.code: line.bar(line.first, "Told first") for line in lines})
    commonest = {line.heading.code: line.bar(line.commonest, "Always the most common") for line in lines}
    headings = [Heading(line.heading.code, line.heading.name, line.told.reports) for line in lines]
    return bars(headings, [told, Series("Always the most common cause", commonest)], mode="group", share=True)


def _sentence(line: Line) -> str:
    return (
        f"The symptom tells the group of causes first in {line.first.text}, among three in {line.three.percent}; "
        f"always telling the most common is right in {line.commonest.percent}, among three in "
        f"{line.three_commonest.percent}."
    )


def _bounds(name: str, share: Share) -> Record:
    return {f"{name}_share": share.value, f"{name}_low": share.interval.low, f"{name}_high": share.interval.high}
