"""What a chart says of itself wherever it is shown: on its page, in a frame, a report, and in its picture."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from kb.charts.chart import LABELLED, Drawn
from kb.charts.samples import SMALL, TOO_FEW

MOST_SOURCES = 3
UNCERTAINTY = (
    f"Intervals are at 95 %. Fewer than {TOO_FEW} issues are not drawn; fewer than {SMALL} are faded, hollow and last."
)


@dataclass(frozen=True)
class Caption:
    """The finding as title, and below it: what is counted, how sure that is, where it comes from, and its address."""

    title: str
    counted: str
    uncertainty: str
    origin: str
    address: str

    @property
    def lines(self) -> tuple[str, ...]:
        """What stands below the title."""
        return self.counted, self.uncertainty, self.origin, self.address


@dataclass(frozen=True)
class Origin:
    """The codebook's name and version, the day of counting, the filters in words, and the page's full address."""

    codebook: str
    version: str
    day: dt.date
    filters: Sequence[str]
    url: str

    @property
    def codebook_text(self) -> str:
        """Such as `house codebook, version 12`."""
        return f"{self.codebook} codebook" + (f", version {self.version}" if self.version else "")


def caption(name: str, drawn: Drawn, origin: Origin) -> Caption:
    """The caption of a chart of this name; without a finding the name is the title."""
    counted = drawn.counted
    issues = "1 issue" if counted.issues == 1 else f"{counted.issues:,} issues"
    filters = f" with {'; '.join(origin.filters)}" if origin.filters else ""
    return Caption(
        title=drawn.sentence or name,
        counted=f"{name}: n = {issues} {counted.condition}, of {counted.all_issues:,} {counted.population}{filters}.",
        uncertainty=UNCERTAINTY,
        origin=(f"{_whose(drawn, origin)}. Not a random sample. Counted {origin.day.day} {origin.day:%B %Y}."),
        address=f"Faultbook, {origin.url.split('://')[-1]}",
    )


def _whose(drawn: Drawn, origin: Origin) -> str:
    """Who says what is counted: those who labelled, or the hosts of the issues."""
    if drawn.counted.population != LABELLED:
        return "Source: what the issues’ hosts state"
    return f"Labels: {_sources(drawn.sources)}; {origin.codebook_text}"


def _sources(sources: Sequence[tuple[str, int]]) -> str:
    """The sources with most issues by name, the others as a number."""
    if not sources:
        return "none"
    largest = sorted(sources, key=lambda source: -source[1])[:MOST_SOURCES]
    names = [f"{name} ({issues:,})" for name, issues in largest]
    more = len(sources) - len(largest)
    return ", ".join([*names, *([f"{more} more"] if more else [])])
