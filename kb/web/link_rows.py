"""A node's cause links as rows of text: shares with their interval, n and addresses."""

from dataclasses import dataclass

from django.urls import reverse

from kb.charts.figures import percent, percent_range, times, times_range
from kb.charts.lift import lift
from kb.charts.samples import is_drawn, is_small, small_note, unless_too_few
from kb.core.intervals import Interval
from kb.models import Node, Source
from kb.selectors.cause_links import NodeLink, NodeLinks, links_of_node
from kb.web.search.links import pair_url


@dataclass(frozen=True)
class Bar:
    """A share and its interval, in percent."""

    low: int
    middle: int
    high: int

    @property
    def width(self) -> int:
        """Width of the interval as drawn, at least 1 so that it is visible."""
        return max(1, self.high - self.low)


@dataclass(frozen=True)
class LinkRow:
    """One link: the node at its other end, P(cause | symptom) with its interval, and the lift."""

    other: Node
    depth: int
    issues: int
    of: int
    share: str
    interval: str
    lift: str
    lift_range: str
    few: str
    bar: Bar | None
    issues_url: str
    url: str
    note: str


@dataclass(frozen=True)
class LinkTable:
    """One source's links; `known` is the number of its issues whose symptom and cause are both known.

    `rare` are links of a single issue, or of too few for a share, with those below them, unless there are only such.
    Small samples are last.
    """

    source: Source
    known: int
    rows: tuple[LinkRow, ...]
    rare: tuple[LinkRow, ...]


def link_tables(node: Node) -> tuple[LinkTable, ...]:
    """The causes that go with a symptom, or the symptoms that go with a cause: a table for each source."""
    return tuple(_table(node, links) for links in links_of_node(node=node))


def _table(node: Node, links: NodeLinks) -> LinkTable:
    large: list[LinkRow] = []
    small: list[LinkRow] = []
    rare: list[LinkRow] = []
    group = large
    for row in links.rows:
        if row.depth == 0:
            of = row.link.symptom_issues
            group = small if is_small(of) else large
            if row.link.issues == 1 or not is_drawn(of):
                group = rare
        group.append(_row(node, row))
    known = links.rows[0].link.all_issues
    frequent = large + small
    if not frequent:
        frequent, rare = rare, []
    return LinkTable(links.source, known, tuple(frequent), tuple(rare))


def _row(node: Node, row: NodeLink) -> LinkRow:
    link = row.link
    interval = Interval(link.probability_low, link.probability_high)
    relation = lift(both=link.issues, one=link.symptom_issues, other=link.cause_issues, of=link.all_issues)
    of = link.symptom_issues
    bar = Bar(round(interval.low * 100), round(link.probability * 100), round(interval.high * 100))
    symptom, cause = (node, row.other) if link.symptom_id == node.pk else (row.other, node)
    return LinkRow(
        other=row.other,
        depth=row.depth,
        issues=link.issues,
        of=of,
        share=unless_too_few(of, percent(link.probability)),
        interval=unless_too_few(of, percent_range(interval)),
        lift=unless_too_few(of, times(relation.ratio)),
        lift_range=unless_too_few(of, times_range(relation.interval)),
        few=small_note(of),
        bar=bar if is_drawn(of) else None,
        issues_url=pair_url(symptom, cause, link.source),
        url=reverse("cause-link", args=(link.source.slug, symptom.code, cause.code)),
        note=link.note,
    )
