"""Open, closed, closed with a known fix: how far the issues of each framework have come."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.counting import combinations
from kb.charts.crossed import INTERVALS
from kb.charts.dimensions import FRAMEWORK, TYPE, Answering, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.plotly import CLICK
from kb.charts.samples import in_order, is_small, left_out
from kb.charts.shares import CategoryShare, Share

KEYS = ("framework", "state", "has_fix", "type")


class State(NamedTuple):
    """A state's name and the filters that ask for it."""

    name: str
    filters: Mapping[str, str]


STATES = {
    "fixed": State("Closed, a fix is known", {"state": "closed", "has_fix": "true"}),
    "closed": State("Closed, no fix is known", {"state": "closed", "has_fix": "false"}),
    "open": State("Open", {"state": "open"}),
    "unknown": State("State not known", {"state": "unknown"}),
}


@dataclass(frozen=True)
class States:
    """Shares of open and closed issues by framework."""

    slug: str = "state"
    title: str = "Open and fixed"
    lead: str = "How many issues of each framework are open, closed, or closed with a known fix?"
    method: str = (
        "Every issue whose type is known is in exactly one of the states. A fix is known when a pull request or "
        "commit is linked to the issue; an issue can be closed without one, or be fixed by one that nobody linked. "
        "Labelled issues are often chosen because they are closed, so shares compare frameworks only as far as these "
        "were chosen alike. "
        f"{INTERVALS}"
    )
    options: tuple[Option, ...] = ()

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:  # noqa: ARG002
        """Count the evidence and draw."""
        by_key = categories(evidence, (FRAMEWORK, TYPE))
        frameworks, answering = by_key["framework"], Answering(evidence, by_key["type"])
        counts: Counter[tuple[str, str]] = Counter()
        totals: Counter[str] = Counter()
        all_issues = 0
        for framework, state, has_fix, types, issues in combinations(evidence, KEYS):
            all_issues += issues
            if not answering.counts(types):
                continue
            (slug,) = frameworks.implied(framework)
            counts[slug, "fixed" if state == "closed" and has_fix else state] += issues
            totals[slug] += issues
        counted = [replace(each, issues=totals[each.code]) for each in frameworks.headings if totals[each.code]]
        places = in_order(counted, lambda place: totals[place.code])
        shares = _shares(answering, frameworks, counted, counts)
        shown = [state for state in STATES if any((place.code, state) in shares for place in places)]
        columns = tuple(Heading(state, STATES[state].name) for state in shown)
        fixed = sum(counts[slug, "fixed"] for slug in totals)
        together = Share(fixed, totals.total())
        return Drawn(
            counted=Counted(together.of, all_issues, answering.condition),
            figure=bars(places, [_series(state, shares) for state in shown], share=True) if places else {},
            table=Table("Framework", columns, tuple(_row(place, shown, shares) for place in places)),
            records=[
                {**share.record("framework"), "state": state, "state_name": STATES[state].name}
                for (_, state), share in shares.items()
            ],
            notes=left_out([(place.name, totals[place.code]) for place in counted]),
            sentence=f"Closed with a known fix: {together.sentence}." if together.of else "",
        )


def _shares(
    answering: Answering, frameworks: Categories, places: Sequence[Heading], counts: Counter[tuple[str, str]]
) -> dict[tuple[str, str], CategoryShare]:
    """The share of each state that occurs, by framework and state."""
    queries = {}
    for state in STATES:
        queries[state] = Queries(answering.asked.saying(**STATES[state].filters), frameworks)
    shares = {}
    for place in places:
        for state in STATES:
            issues = counts[place.code, state]
            if issues:
                share = Share(issues, place.issues or 0)
                shares[place.code, state] = CategoryShare(place, share, queries[state].at(place.code))
    return shares


def _series(state: str, shares: Mapping[tuple[str, str], CategoryShare]) -> Series:
    name = STATES[state].name
    state_bars = {}
    for (framework, code), share in shares.items():
        if code == state:
            hover = (name, share.share.sentence, CLICK)
            state_bars[framework] = Bar(share.share.value, "", hover, share.query, is_small=share.share.is_small)
    return Series(name, state_bars)


def _row(place: Heading, states: Sequence[str], shares: Mapping[tuple[str, str], CategoryShare]) -> Row:
    cells = []
    for state in states:
        shown = shares.get((place.code, state))
        if shown is None:
            cells.append(Cell(None, "0"))
        else:
            share = shown.share
            cells.append(Cell(share.value, str(share.issues), (share.percent, share.range), query=shown.query))
    return Row(place, tuple(cells), is_weak=is_small(place.issues or 0))
