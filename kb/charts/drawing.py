"""Draws a chart of the catalogue for an address, or remembers how it was drawn."""

from collections.abc import Mapping
from dataclasses import replace

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


def _draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    drawn = chart.draw(evidence, chosen)
    return replace(drawn, sources=holders_of(evidence, drawn.counted.all_issues))


def holders_of(evidence: Evidence, issues: int) -> tuple[tuple[str, int], ...]:
    """Whose answers are counted, with the number of issues of each; a single one has all of the `issues`."""
    holders = [source.name for source in evidence.sources] or list(sources_of_house())
    return ((holders[0], issues),) if len(holders) == 1 else by_source(evidence)
