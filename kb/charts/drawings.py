"""Draws charts of the catalogue for an address, or remembers how they were drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from kb.charts.chart import Chart, Drawn
from kb.charts.counting import by_source, combinations, sources_of_house
from kb.charts.dimensions import DIMENSIONS, categories
from kb.charts.evidence import Evidence
from kb.selectors.remembered import remembered, remembered_together

# What a mirror changes (an issue is closed, a comment comes) shows after so long; labels show at once.
SECONDS = 60
# Several charts ask for parts of these, so that one statement answers all of them.
SHARED = (("framework", "symptom", "cause"), ("framework", "state", "has_fix", "stage", "type"))

Wanted = tuple[Chart, Mapping[str, str]]


def draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    """The chart as it stands; `chosen` holds a value for each of its options."""
    return remembered(_name(chart, evidence, chosen), lambda: _draw(chart, evidence, chosen), seconds=SECONDS)


def draw_together(
    wanted: Sequence[Wanted], evidence: Evidence, *, shared: Sequence[Sequence[str]] = SHARED
) -> list[Drawn]:
    """Many charts of the same evidence, in few statements: what they share is read once, by these keys."""
    together = _Together(evidence, shared)
    named = {_name(chart, evidence, chosen): partial(together.draw, chart, chosen) for chart, chosen in wanted}
    return list(remembered_together(named, seconds=SECONDS).values())


def _name(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> str:
    options = ":".join(f"{name}={value}" for name, value in sorted(chosen.items()))
    return f"chart:{chart.slug}:{options}:{evidence.key}"


class _Together:
    """Charts of one evidence, which is looked at in breadth before the first of them is drawn."""

    def __init__(self, evidence: Evidence, shared: Sequence[Sequence[str]]) -> None:
        self._evidence = evidence
        self._shared = shared

    @cached_property
    def _sources(self) -> "Sources":
        categories(self._evidence, DIMENSIONS)
        for keys in self._shared:
            combinations(self._evidence, keys)
        return _sources_of(self._evidence)

    def draw(self, chart: Chart, chosen: Mapping[str, str]) -> Drawn:
        """The chart with its sources."""
        sources = self._sources
        return _with(chart.draw(self._evidence, chosen), sources)


# The number of a lone source's issues is that of the chart.
Sources = tuple[tuple[str, int | None], ...]


def _sources_of(evidence: Evidence) -> Sources:
    holders = {source.name: source.pk for source in evidence.sources} or sources_of_house()
    return tuple((name, None) for name in holders) if len(holders) == 1 else by_source(evidence, holders.values())


def holders_of(evidence: Evidence, issues: int) -> tuple[tuple[str, int], ...]:
    """Whose answers are counted, with the number of issues of each; a single one has all of the `issues`."""
    return _numbered(_sources_of(evidence), issues)


def _numbered(sources: Sources, issues: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, issues if own is None else own) for name, own in sources)


def _with(drawn: Drawn, sources: Sources) -> Drawn:
    return replace(drawn, sources=_numbered(sources, drawn.counted.all_issues))


def _draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    return _with(chart.draw(evidence, chosen), _sources_of(evidence))
