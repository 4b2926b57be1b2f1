"""Draws charts of the catalogue from the database, or takes them from the cache."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from kb.charts.chart import LABELLED, Chart, Drawn
from kb.charts.counting import by_source, sources_of_house
from kb.charts.dimensions import DIMENSIONS, categories
from kb.charts.evidence import Evidence
from kb.selectors.remembered import remembered, remembered_together

# What a mirror changes (an issue is closed, a comment comes) shows after so long; labels show at once.
SECONDS = 60

# Names with the number of issues of each, which is None for a lone source: it has all that are counted.
Sources = Sequence[tuple[str, int | None]]


def draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
    """The chart with its sources; `chosen` holds a value for each of its options."""
    key = _cache_key(chart, evidence, chosen)
    return remembered(key, lambda: _draw(chart, evidence, chosen, _sources(evidence)), seconds=SECONDS)


def draw_together(charts: Sequence[tuple[Chart, Mapping[str, str]]], evidence: Evidence) -> list[Drawn]:
    """Charts with their options, of the same evidence, in few statements: what they share is read once."""

    @cache
    def sources() -> Sources:
        """Read what the charts share before the first of them that is not in the cache."""
        categories(evidence, DIMENSIONS)
        return _sources(evidence)

    def draw_late(chart: Chart, chosen: Mapping[str, str]) -> Drawn:
        return _draw(chart, evidence, chosen, sources())

    computed = {}
    for chart, chosen in charts:
        computed[_cache_key(chart, evidence, chosen)] = partial(draw_late, chart, chosen)
    return list(remembered_together(computed, seconds=SECONDS).values())


def holders_of(evidence: Evidence, issues: int) -> tuple[tuple[str, int], ...]:
    """The names of the sources that are counted, with the number of issues of each; a single one has all `issues`."""
    return _numbered(_sources(evidence), issues)


def _cache_key(chart: Chart, evidence: Evidence, chosen: Mapping[str, str]) -> str:
    options = ":".join(f"{name}={value}" for name, value in sorted(chosen.items()))
    return f"chart:{chart.slug}:{options}:{evidence.key}"


def _sources(evidence: Evidence) -> Sources:
    holders = {source.name: source.pk for source in evidence.sources} or sources_of_house()
    if len(holders) == 1:
        return [(name, None) for name in holders]
    return by_source(evidence, holders.values())


def _draw(chart: Chart, evidence: Evidence, chosen: Mapping[str, str], sources: Sources) -> Drawn:
    drawn = chart.draw(evidence, chosen)
    if drawn.counted.population != LABELLED:
        # The hosts say it, not those who label.
        return drawn
    return replace(drawn, sources=_numbered(sources, drawn.counted.all_issues))


def _numbered(sources: Sources, issues: int) -> tuple[tuple[str, int], ...]:
    return tuple((name, issues if own is None else own) for name, own in sources)
