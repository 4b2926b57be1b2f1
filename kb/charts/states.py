"""Open, closed, closed with a known fix: how far the issues of each framework have come."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.counting import combinations
from kb.charts.crossed import INTERVALS
from kb.charts.dimensions import FRAMEWORK, TYPE, Answering, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.figures import is_few, percent, percent_range
from kb.charts.shares import Share

KEYS = ("framework", "state", "has_fix", "type")
# Each state with what asks for it.
STATES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "fixed": ("Closed, a fix is known", {"state": "closed", "has_fix": "true"}),
    "closed": ("Closed, no fix is known", {"state": "closed", "has_fix": "false"}),
    "open": ("Open", {"state": "open"}),
    "unknown": ("State not known", {"state": "unknown"}),
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
        """Count and draw."""
        found = categories(evidence, (FRAMEWORK, TYPE))
        frameworks, answering = found["framework"], Answering(evidence, found["type"])
        counts: Counter[tuple[str, str]] = Counter()
        totals: Counter[str] = Counter()
        everything = 0
        for framework, state, has_fix, held, n in combinations(evidence, KEYS):
            everything += n
            if not answering.counts(held):
                continue
            (slug,) = frameworks.implied(framework)
            counts[slug, "fixed" if state == "closed" and has_fix else state] += n
            totals[slug] += n
        queries = {code: Queries(answering.asked.saying(**asks), frameworks) for code, (_, asks) in STATES.items()}
        places = [replace(one, issues=totals[one.code]) for one in frameworks.headings if totals[one.code]]
        shares = {
            (place.code, code): Share(place, counts[place.code, code], totals[place.code], queries[code].at(place.code))
            for place in places
            for code in STATES
            if counts[place.code, code]
        }
        shown = [code for code in STATES if any((place.code, code) in shares for place in places)]
        return Drawn(
            counted=Counted(totals.total(), everything, answering.condition),
            figure=bars(places, [_series(code, shares) for code in shown], share=True),
            table=Table(
                "Framework", tuple(Heading(code, STATES[code][0]) for code in shown), _rows(places, shown, shares)
            ),
            records=[
                {**share.record("framework"), "state": code, "state_name": STATES[code][0]}
                for (_, code), share in shares.items()
            ],
            sentence=_sentence(counts, totals.total()),
        )


def _series(state: str, shares: Mapping[tuple[str, str], Share]) -> Series:
    name = STATES[state][0]
    return Series(
        name,
        {
            framework: Bar(share.value, hover=(name, share.text, "Click to see these issues"), query=share.query)
            for (framework, code), share in shares.items()
            if code == state
        },
    )


def _rows(places: list[Heading], shown: list[str], shares: Mapping[tuple[str, str], Share]) -> tuple[Row, ...]:
    return tuple(
        Row(place, tuple(_cell(shares.get((place.code, code))) for code in shown), is_weak=is_few(place.issues or 0))
        for place in places
    )


def _cell(share: Share | None) -> Cell:
    if share is None:
        return Cell(None, "0")
    return Cell(share.value, str(share.cases), (percent(share.value), percent_range(share.interval)), query=share.query)


def _sentence(counts: Counter[tuple[str, str]], total: int) -> str:
    fixed = sum(n for (_, state), n in counts.items() if state == "fixed")
    return f"Closed with a known fix: {Share(Heading('', ''), fixed, total, '').text}." if total else ""
