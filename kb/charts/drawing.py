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
    holders = [source.name for source in evidence.sources] or list(sources_of_house())
    if len(holders) == 1:
        return replace(drawn, sources=((holders[0], drawn.counted.all_issues),))
    return replace(drawn, sources=by_source(evidence))
