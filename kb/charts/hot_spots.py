"""Hot spots: what is reported more often lately than its own year before explains."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.counting import Row as Group
from kb.charts.counting import asked_of, put_together
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
    implied_by,
)
from kb.charts.evidence import Evidence
from kb.charts.figures import times
from kb.charts.periods import Period, windows
from kb.charts.rises import FEWEST, LEVEL, Rise, adjusted

WINDOW = Option("window", "Lately", (Choice("90", "90 days"), Choice("30", "30 days"), Choice("365", "365 days")))
# What is looked at: categories of one question, or of two together.
LOOKED_AT: tuple[tuple[Dimension, ...], ...] = ((SYMPTOM,), (CAUSE,), (COMPONENT,), (FRAMEWORK, SYMPTOM))
MOST_SHOWN = 20
COLUMNS = (
    Heading("now", "Issues lately"),
    Heading("before", "Year before"),
    Heading("ratio", "Times as often"),
    Heading("interval", "95 % interval"),
    Heading("chance", "Beyond chance?"),
)
KEYS = ("framework", "symptom", "cause", "component")


@dataclass(frozen=True)
class Spot:
    """A thing that was looked at: how often it occurs, and `q`, its chance after so many were looked at."""

    heading: Heading
    kind: str
    rise: Rise
    q: float
    query: str

    @property
    def is_hot(self) -> bool:
        """Does it rise more than chance explains?"""
        return self.q <= LEVEL

    @property
    def says(self) -> str:
        """The rise in words."""
        rise = self.rise
        ratio = (
            "none in the year before" if rise.ratio is None else f"{times(rise.ratio)} as often as in the year before"
        )
        chance = "unlikely to be chance" if self.is_hot else "may be chance"
        return f"{ratio}, {rise.now} issues of {rise.now_of}; {chance} (q {_written(self.q)})"


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
        """Count and draw."""
        total, newest = _extent(evidence)
        condition = "opened in the newest days or in the year before"
        if newest is None:
            return Drawn(Counted(0, total, condition), bars((), ()), Table("", (), ()), [])
        recent, past = windows(newest, int(chosen["window"]))
        rows = _counted(evidence, recent, past)
        answering = Answering(evidence, categories(evidence, (SYMPTOM,))["symptom"])
        sums: Counter[bool] = Counter()
        for is_recent, symptom, n in put_together(rows, [0, 1 + KEYS.index(SYMPTOM.key)]):
            sums[is_recent] += n if answering.counts(symptom) else 0
        everything = Rise(sums[True], sums[True], sums[False], sums[False])
        base = Heading("all", f"All issues {answering.condition}")
        spots, looked_at = _spots(evidence, rows, recent)
        shown = [spot for spot in spots if spot.rise.now][:MOST_SHOWN]
        first = (base, everything, Queries(answering.asked.opened(recent.first, recent.last)).at())
        return Drawn(
            counted=Counted(sums.total(), total, f"{answering.condition}, opened from {past.first} to {recent.last}"),
            figure=_figure(first, shown),
            table=Table("What", COLUMNS, (_first_row(first, is_drawn=not shown), *map(_row, shown))),
            records=[_first_record(first, recent), *(_record(spot, recent) for spot in shown)],
            notes=_notes(recent, past, looked_at, len(shown)),
            sentence=_sentence(spots, looked_at, recent),
        )


def _extent(evidence: Evidence) -> tuple[int, dt.date | None]:
    ((total, newest),) = asked_of(evidence, "", 0, "count(*), max(f.opened_on)")
    return total, newest


def _counted(evidence: Evidence, recent: Period, past: Period) -> list[Group]:
    columns = f"f.opened_on >= DATE '{recent.first}', f.framework_id, f.symptom, f.cause, f.component"
    only = f"f.opened_on BETWEEN DATE '{past.first}' AND DATE '{recent.last}'"
    return asked_of(evidence, columns, 1 + len(KEYS), only=only)


def _spots(evidence: Evidence, rows: Sequence[Group], recent: Period) -> tuple[list[Spot], int]:
    """What was looked at, the least likely first, and how many things these are."""
    known = _all_levels(evidence)
    newer = evidence.opened(recent.first, recent.last)
    found = [one for dimensions in LOOKED_AT for one in _rises(rows, dimensions, known)]
    queries = {dimensions: Queries(newer, *(known[one.key] for one in dimensions)) for dimensions in LOOKED_AT}
    spots = [
        Spot(_heading(codes, dimensions, known), dimensions[-1].one, rise, q, queries[dimensions].at(*codes))
        for (dimensions, codes, rise), q in zip(found, adjusted([rise.chance for *_, rise in found]), strict=True)
    ]
    # What rises within one framework alone rises as a whole too; the simpler one is told first.
    ordered = sorted(spots, key=lambda spot: (spot.rise.chance, spot.heading.code.count("/"), spot.heading.code))
    return ordered, len(spots)


def _all_levels(evidence: Evidence) -> dict[str, Categories]:
    """Groups and categories alike."""
    known = categories(evidence, (FRAMEWORK, SYMPTOM, CAUSE, COMPONENT))
    for key, one in known.items():
        if one.dimension.is_answer:
            shown = [*dict.fromkeys((*one.tree.shown(1), *one.tree.shown(2)))]
            headings = tuple(Heading(branch.code, branch.name, url=branch.url) for branch in shown)
            known[key] = Categories(one.dimension, headings, implied_by(one.tree, shown), one.tree, one.scheme)
    return known


def _rises(
    rows: Sequence[Group], dimensions: tuple[Dimension, ...], known: Mapping[str, Categories]
) -> Iterator[tuple[tuple[Dimension, ...], tuple[str, ...], Rise]]:
    counts: Counter[tuple[bool, tuple[str, ...]]] = Counter()
    exposed: Counter[bool] = Counter()
    implied = [known[one.key].implied for one in dimensions]
    for is_recent, *held, n in put_together(rows, [0, *(1 + KEYS.index(one.key) for one in dimensions)]):
        codes = [one(each) for one, each in zip(implied, held, strict=True)]
        if not all(codes):
            continue
        exposed[is_recent] += n
        first, *others = codes
        for code in first:
            for rest in others[0] if others else ("",):
                counts[is_recent, (code, rest) if rest else (code,)] += n
    if not exposed[True] or not exposed[False]:
        return
    for codes_ in dict.fromkeys(codes for _, codes in counts):
        now, before = counts[True, codes_], counts[False, codes_]
        if now + before >= FEWEST:
            yield dimensions, codes_, Rise(now, exposed[True], before, exposed[False])


def _heading(codes: tuple[str, ...], dimensions: tuple[Dimension, ...], known: Mapping[str, Categories]) -> Heading:
    named = [
        next(heading for heading in known[one.key].headings if heading.code == code)
        for one, code in zip(dimensions, codes, strict=True)
    ]
    kind = dimensions[-1].one
    name = " × ".join(heading.name for heading in named)
    return Heading("/".join((kind, *codes)), f"{name} ({kind})", url=named[-1].url if len(named) == 1 else "")


def _figure(first: tuple[Heading, Rise, str], shown: Sequence[Spot]) -> dict[str, Any]:
    base, everything, query = first
    now = {base.code: Bar(everything.now, hover=(f"{everything.now} issues lately",), query=query)}
    now |= {spot.heading.code: Bar(spot.rise.now, hover=(spot.says,), query=spot.query) for spot in shown}
    expected = {
        spot.heading.code: Bar(spot.rise.expected, hover=(f"{spot.rise.expected:.1f} at the rate of the year before",))
        for spot in shown
    }
    # Where all issues stand beside them, the few that rise would be too short to see.
    places = [spot.heading for spot in shown] or [base]
    series = [Series("Issues lately", now), Series("Expected", expected)]
    return bars(places, series if shown else series[:1], mode="group")


def _first_row(first: tuple[Heading, Rise, str], *, is_drawn: bool) -> Row:
    base, everything, query = first
    lately = Cell(everything.now, str(everything.now), query=query if is_drawn else "")
    cells = (lately, Cell(everything.before, str(everything.before)))
    return Row(base, (*cells, *(Cell(None, "–") for _ in COLUMNS[2:])))


def _row(spot: Spot) -> Row:
    rise = spot.rise
    cells = (
        Cell(rise.now, f"{rise.now} of {rise.now_of}", query=spot.query),
        Cell(rise.before, f"{rise.before} of {rise.before_of}"),
        Cell(rise.ratio, "none before" if rise.ratio is None else times(rise.ratio)),
        Cell(None, _interval(rise)),
        Cell(None, f"{'yes' if spot.is_hot else 'no'}, q {_written(spot.q)}"),
    )
    return Row(spot.heading, cells, is_weak=not spot.is_hot)


def _interval(rise: Rise) -> str:
    low, high = rise.interval
    return f"at least {times(low)}" if high is None else f"{times(low)}–{times(high)}"


def _first_record(first: tuple[Heading, Rise, str], recent: Period) -> dict[str, Any]:
    base, everything, query = first
    return (
        _as_record(base, "", everything, recent, query)
        | {"expected": None, "ratio": None}
        | dict.fromkeys(("ratio_low", "ratio_high", "q", "is_hot"))
    )


def _record(spot: Spot, recent: Period) -> dict[str, Any]:
    low, high = spot.rise.interval
    own = {"expected": spot.rise.expected, "ratio": spot.rise.ratio, "ratio_low": low, "ratio_high": high}
    said = _as_record(spot.heading, spot.kind, spot.rise, recent, spot.query)
    return said | own | {"q": spot.q, "is_hot": spot.is_hot}


def _as_record(heading: Heading, kind: str, rise: Rise, recent: Period, query: str) -> dict[str, Any]:
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


def _notes(recent: Period, past: Period, looked_at: int, shown: int) -> tuple[str, ...]:
    lines = [
        f"Lately: {recent.first} to {recent.last}, {recent.days} days up to the newest opening date that is counted. "
        f"The year before: {past.first} to {past.last}."
    ]
    if looked_at > shown:
        lines.append(f"Of {looked_at} things that were looked at, the {shown} least likely to be chance are listed.")
    return tuple(lines)


def _sentence(spots: Sequence[Spot], looked_at: int, recent: Period) -> str:
    things = f"{looked_at} thing{' was' if looked_at == 1 else 's were'} looked at"
    hot = [spot for spot in spots if spot.is_hot]
    if not hot:
        return f"Nothing rises more than chance explains in the {recent.days} days to {recent.last}; {things}."
    return f"{hot[0].heading.name}: {hot[0].says}. {len(hot)} of {looked_at} things that were looked at rise."


def _written(q: float) -> str:
    return "< 0.001" if q < 0.001 else f"= {q:.3f}" if q < 0.1 else f"= {q:.2f}"
