"""Draws a chart of the catalogue for an address, or remembers how it was drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from kb.charts.chart import Chart, Drawn
from kb.charts.counting import by_source, sources_of_house
from kb.charts.evidence import Evidence
from kb.selectors.remembered import remembered

# What a mirror changes (an issue is closed, a comment comes) shows after so long; labels show at once.
SECONDS = 60


def draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    """The chart as it stands; `chosen` holds a value for each of its options."""
    options = ":".join(f"{name}={value}" for name, value in sorted(chosen.items()))
    return remembered(
        f"chart:{chart.slug}:{options}:{evidence.key}", lambda: _draw(chart, evidence, chosen), seconds=SECONDS
    )


def draw_together(asked: Sequence[tuple[Chart, Mapping[str, str]]], evidence: Evidence) -> tuple[Drawn, ...]:
    """Several charts of the same evidence, each with a value for each of its options; remembered as one."""
    options = ";".join(f"{chart.slug}:{sorted(chosen.items())}" for chart, chosen in asked)
    return remembered(
        f"charts:{sha256(options.encode()).hexdigest()}:{evidence.key}",
        lambda: _draw_together(asked, evidence),
        seconds=SECONDS,
    )


def _draw_together(asked: Sequence[tuple[Chart, Mapping[str, str]]], evidence: Evidence) -> tuple[Drawn, ...]:
    drawn = [chart.draw(evidence, chosen) for chart, chosen in asked]
    sources = holders_of(evidence, drawn[0].counted.all_issues) if drawn else ()
    return tuple(replace(one, sources=sources) for one in drawn)


def _draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    drawn = chart.draw(evidence, chosen)
    return replace(drawn, sources=holders_of(evidence, drawn.counted.all_issues))


def holders_of(evidence: Evidence, issues: int) -> tuple[tuple[str, int], ...]:
    """Whose answers are counted, with the number of issues of each; a single one has all of the `issues`."""
    holders = {source.name: source.pk for source in evidence.sources} or sources_of_house()
    return tuple((name, issues) for name in holders) if len(holders) == 1 else by_source(evidence, holders.values())
