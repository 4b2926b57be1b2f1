"""Hot spots: what is reported more often lately than its own year before explains."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Record, Row, Table
from kb.charts.counting import Row as Group
from kb.charts.counting import group_issues, merge_groups
from kb.charts.dimensions import (
    CAUSE,
    COMPONENT,
    FRAMEWORK,
    SYMPTOM,
    Answering,
    Categories,
    Dimension,
    Queries,
    categories,
)
from kb.charts.evidence import Evidence
from kb.charts.figures import times
from kb.charts.periods import Period, windows
from kb.charts.plotly import PlotlyJson
from kb.charts.rises import FEWEST, LEVEL, Rise, adjusted

WINDOW = Option("window", "Lately", (Choice("90", "90 days"), Choice("30", "30 days"), Choice("365", "365 days")))
# What is tested: categories of one question, or of two together.
TESTED: tuple[tuple[Dimension, ...], ...] = ((SYMPTOM,), (CAUSE,), (COMPONENT,), (FRAMEWORK, SYMPTOM))
MOST_SHOWN = 20
COLUMNS = (
    Heading("now", "Issues lately"),
    Heading("before", "Year before"),
    Heading("ratio", "Times as often"),
    Heading("interval", "95 % interval"),
    Heading("chance", "Beyond chance?"),
)
KEYS = ("framework", "symptom", "cause", "component")
# What a record holds of a test that was not made.
UNTESTED: Record = dict.fromkeys(("expected", "ratio", "ratio_low", "ratio_high", "q", "is_hot"))


class Candidate(NamedTuple):
    """Categories of these dimensions that occur often enough to be tested."""

    dimensions: tuple[Dimension, ...]
    codes: tuple[str, ...]
    rise: Rise


class Baseline(NamedTuple):
    """All issues of both periods, and the query of the newer ones."""

    heading: Heading
    rise: Rise
    query: str


@dataclass(frozen=True)
class Spot:
    """A candidate that was tested; `q` is its chance after the correction for all that were tested."""

    heading: Heading
    kind: str
    rise: Rise
    q: float
    query: str

    @property
    def is_hot(self) -> bool:
        """Whether it rises more than chance explains."""
        return self.q <= LEVEL

    @property
    def says(self) -> str:
        """The rise in words."""
        rise = self.rise
        if rise.ratio is None:
            ratio = "none in the year before"
        else:
            ratio = f"{times(rise.ratio)} as often as in the year before"
        chance = "unlikely to be chance" if self.is_hot else "may be chance"
        return f"{ratio}, {rise.now} issues of {rise.now_of}; {chance} (q {_q_text(self.q)})"


@dataclass(frozen=True)
class HotSpots:
    """Symptoms, root causes, components, and symptoms within frameworks that rise."""

    slug: str = "hot-spots"
    title: str = "Hot spots"
    lead: str = "What is reported more often lately than its own past explains?"
    method: str = (
        "The newest days up to the last opening date are compared with the 365 days before them. What is compared is "
        "rates: issues with the category, of all that answer its question in those days, so that more reports of every "
        "kind are no rise. Given both counts together, the newer one is binomial if nothing changed: the exact test of "
        "Przyborowski and Wilenski (1940), one-sided; the ratio's interval is Clopper and Pearson's, transformed. "
        f"Looked at is what occurs {FEWEST} times at least in both periods together; fewer than {FEWEST} issues lately "
        "are never a hot spot. Of what is called one, about 5 % at most is chance on average (q, after Benjamini and "
        "Hochberg 1995). A rise may also come from whose issues were labelled: open them."
    )
    options: tuple[Option, ...] = (WINDOW,)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        ((total, newest),) = group_issues(evidence, "", 0, "count(*), max(f.opened_on)")
        if newest is None:
            condition = "opened in the newest days or in the year before"
            return Drawn(Counted(0, total, condition), {}, Table("", (), ()), [])
        recent, past = windows(newest, int(chosen["window"]))
        columns = f"f.opened_on >= DATE '{recent.first}', f.framework_id, f.symptom, f.cause, f.component"
        only = f"f.opened_on BETWEEN DATE '{past.first}' AND DATE '{recent.last}'"
        rows = group_issues(evidence, columns, 1 + len(KEYS), only=only)
        answering = Answering(evidence, categories(evidence, (SYMPTOM,))["symptom"])
        baseline = _baseline(rows, answering, recent)
        spots = _spots(evidence, rows, recent)
        hot = [spot for spot in spots if spot.is_hot]
        shown = hot[:MOST_SHOWN]
        condition = f"{answering.condition}, opened from {past.first} to {recent.last}"
        return Drawn(
            counted=Counted(baseline.rise.now + baseline.rise.before, total, condition),
            figure=_figure(shown),
            table=Table("What", COLUMNS, (_baseline_row(baseline), *(_row(spot) for spot in shown))),
            records=[
                _record(baseline.heading, "", baseline.rise, recent, baseline.query) | UNTESTED,
                *(_spot_record(spot, recent) for spot in spots if spot.rise.now),
            ],
            notes=_notes(recent, past, len(hot), len(shown)),
            sentence=_sentence(spots, recent),
        )


def _baseline(rows: Sequence[Group], answering: Answering, recent: Period) -> Baseline:
    now = before = 0
    for is_recent, symptoms, issues in merge_groups(rows, [0, 1 + KEYS.index(SYMPTOM.key)]):
        if not answering.counts(symptoms):
            continue
        if is_recent:
            now += issues
        else:
            before += issues
    query = Queries(answering.asked.opened(recent.first, recent.last)).at()
    return Baseline(Heading("all", f"All issues {answering.condition}"), Rise(now, now, before, before), query)


def _spots(evidence: Evidence, rows: Sequence[Group], recent: Period) -> list[Spot]:
    """All that was tested, the least likely to be chance first."""
    known = _all_levels(evidence)
    newer = evidence.opened(recent.first, recent.last)
    candidates: list[Candidate] = []
    queries = {}
    for dimensions in TESTED:
        candidates += _candidates(rows, dimensions, known)
        queries[dimensions] = Queries(newer, *(known[dimension.key] for dimension in dimensions))
    spots = []
    for candidate, q in zip(candidates, adjusted([each.rise.chance for each in candidates]), strict=True):
        query = queries[candidate.dimensions].at(*candidate.codes)
        kind = candidate.dimensions[-1].one
        spots.append(Spot(_heading(candidate, known), kind, candidate.rise, q, query))
    # What rises within one framework alone rises as a whole too; the simpler one is told first.
    return sorted(spots, key=lambda spot: (spot.rise.chance, spot.heading.code.count("/"), spot.heading.code))


def _all_levels(evidence: Evidence) -> dict[str, Categories]:
    """Groups and categories alike."""
    known = categories(evidence, (FRAMEWORK, SYMPTOM, CAUSE, COMPONENT))
    for key, shallow in known.items():
        if shallow.dimension.is_answer:
            branches = dict.fromkeys((*shallow.tree.shown(1), *shallow.tree.shown(2)))
            known[key] = shallow.including(tuple(branches))
    return known


def _candidates(
    rows: Sequence[Group], dimensions: tuple[Dimension, ...], known: Mapping[str, Categories]
) -> Iterator[Candidate]:
    counts: Counter[tuple[bool, tuple[str, ...]]] = Counter()
    answered: Counter[bool] = Counter()
    implied = [known[dimension.key].implied for dimension in dimensions]
    places = [0, *(1 + KEYS.index(dimension.key) for dimension in dimensions)]
    for is_recent, *values, issues in merge_groups(rows, places):
        combined = list(product(*(codes_of(value) for codes_of, value in zip(implied, values, strict=True))))
        if combined:
            answered[is_recent] += issues
        for codes in combined:
            counts[is_recent, codes] += issues
    if not answered[True] or not answered[False]:
        return
    for codes in dict.fromkeys(codes for _, codes in counts):
        now, before = counts[True, codes], counts[False, codes]
        if now + before >= FEWEST:
            yield Candidate(dimensions, codes, Rise(now, answered[True], before, answered[False]))


def _heading(candidate: Candidate, known: Mapping[str, Categories]) -> Heading:
    headings = []
    for dimension, code in zip(candidate.dimensions, candidate.codes, strict=True):
        headings += [heading for heading in known[dimension.key].headings if heading.code == code]
    kind = candidate.dimensions[-1].one
    name = " × ".join(heading.name for heading in headings)
    url = headings[0].url if len(headings) == 1 else ""
    return Heading("/".join((kind, *candidate.codes)), f"{name} ({kind})", url=url)


def _figure(shown: Sequence[Spot]) -> PlotlyJson:
    """The hot spots beside what was expected; where nothing rises, a sentence says it and nothing is drawn."""
    if not shown:
        return {}
    now, expected = {}, {}
    for spot in shown:
        number = spot.rise.expected
        now[spot.heading.code] = Bar(spot.rise.now, hover=(spot.says,), query=spot.query)
        expected[spot.heading.code] = Bar(number, hover=(f"{number:.1f} at the rate of the year before",))
    series = [Series("Issues lately", now), Series("Expected", expected)]
    return bars([spot.heading for spot in shown], series, mode="group")


def _baseline_row(baseline: Baseline) -> Row:
    rise = baseline.rise
    lately = Cell(rise.now, str(rise.now))
    empty = Cell(None, "–")
    return Row(baseline.heading, (lately, Cell(rise.before, str(rise.before)), empty, empty, empty))


def _row(spot: Spot) -> Row:
    rise = spot.rise
    low, high = rise.interval
    cells = (
        Cell(rise.now, f"{rise.now} of {rise.now_of}", query=spot.query),
        Cell(rise.before, f"{rise.before} of {rise.before_of}"),
        Cell(rise.ratio, "none before" if rise.ratio is None else times(rise.ratio)),
        Cell(None, f"at least {times(low)}" if high is None else f"{times(low)}–{times(high)}"),
        Cell(None, f"{'yes' if spot.is_hot else 'no'}, q {_q_text(spot.q)}"),
    )
    return Row(spot.heading, cells)


def _spot_record(spot: Spot, recent: Period) -> Record:
    low, high = spot.rise.interval
    return _record(spot.heading, spot.kind, spot.rise, recent, spot.query) | {
        "expected": spot.rise.expected,
        "ratio": spot.rise.ratio,
        "ratio_low": low,
        "ratio_high": high,
        "q": spot.q,
        "is_hot": spot.is_hot,
    }


def _record(heading: Heading, kind: str, rise: Rise, recent: Period, query: str) -> Record:
    return {
        "what": heading.code,
        "what_name": heading.name,
        "kind": kind,
        "first_day": recent.first.isoformat(),
        "last_day": recent.last.isoformat(),
        "issues": rise.now,
        "all_issues": rise.now_of,
        "issues_before": rise.before,
        "all_issues_before": rise.before_of,
        "query": query,
    }


def _notes(recent: Period, past: Period, hot: int, shown: int) -> tuple[str, ...]:
    lines = [
        f"Lately: {_day(recent.first)} to {_day(recent.last)}, {recent.days} days up to the newest opening date "
        f"that is counted. The year before: {_day(past.first)} to {_day(past.last)}."
    ]
    if hot > shown:
        lines.append(f"Of {hot} hot spots, the {shown} least likely to be chance are shown. Files hold all.")
    return tuple(lines)


def _sentence(spots: Sequence[Spot], recent: Period) -> str:
    hot = [spot for spot in spots if spot.is_hot]
    if hot:
        return f"{hot[0].heading.name}: {hot[0].says}. {len(hot)} of {len(spots)} categories rise."
    checked = "1 category was" if len(spots) == 1 else f"{len(spots)} categories were"
    days = f"{recent.days} days to {_day(recent.last)}"
    return f"Nothing rises more than chance explains in the {days}; {checked} checked."


def _day(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def _q_text(q: float) -> str:
    if q < 0.001:
        return "< 0.001"
    return f"= {q:.3f}" if q < 0.1 else f"= {q:.2f}"
