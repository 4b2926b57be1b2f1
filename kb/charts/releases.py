"""How many known faults each release of a package has, by severity: stacked bars, the oldest release first.

It is of one package, and of all its faults with a known range, so it is on the package's page and in no catalogue.
"""

from collections.abc import Mapping, Sequence

from packaging.version import Version

from kb.charts.bars import Bar, Series, bars
from kb.charts.caption import Caption, Origin
from kb.charts.chart import Cell, Counted, Drawn, Heading, Record, Row, Table, named
from kb.charts.samples import is_drawn
from kb.core.setups.known_faults import Severity
from kb.core.versions import Range, exactly, within
from kb.models import Release
from kb.selectors.releases import Package

# So many of the newest releases fit beside each other on a wide screen.
MOST_RELEASES = 36
NAMES: Mapping[Severity, str] = {
    Severity.SILENT: "Silent wrong results",
    Severity.HANG: "Hangs",
    Severity.CRASH: "Crashes and memory",
    Severity.SETUP: "Set-up failures",
    Severity.OTHER: "Others",
}
CAVEAT = (
    "A release has the faults that were found and described: an old release had more time to be reported on, and a "
    "new one has fewer only because nobody has reported them yet. Do not read a short bar as a good release."
)

# By release the faults that are surely in it, by severity; and the number of those that may be.
Held = Mapping[str, tuple[Mapping[Severity, int], int]]


def draw_releases(package: Package) -> Drawn:
    """The faults of the newest releases, with the number of those that may be in one beside them."""
    releases = package.versions[-MOST_RELEASES:]
    faults = [(fault.severity, fault.by_package[package.name].ranges) for fault in package.faults]
    held = {release.version: _held(faults, version) for version, release in releases}
    shown = [severity for severity in Severity if any(counts.get(severity) for counts, _ in held.values())]
    counted = sum(any(within(ranges, exactly(version)) for version, _ in releases) for _, ranges in faults)
    places = [Heading(release.version, release.version) for _, release in releases]
    series = [Series(NAMES[severity], _bars(held, severity)) for severity in shown]
    return Drawn(
        counted=Counted(
            counted, len(package.faults), "known to be in a release shown", "described faults with versions"
        ),
        figure=bars(places, series, upright=True) if is_drawn(counted) else {},
        table=_table(releases, held, shown),
        records=_records(releases, held),
        notes=_notes(package, len(releases)),
        sentence=_sentence(package, releases, held),
    )


def release_caption(package: Package, drawn: Drawn, origin: Origin) -> Caption:
    """What the picture says of itself: what is counted, how sure that is, and where it comes from."""
    read = f"git history read {package.history.read_at:%-d %B %Y}" if package.history else "no history read"
    return Caption(
        title=drawn.sentence or f"Known faults by release of {package.name}",
        counted=f"{package.name}: n = {drawn.counted.issues} of {drawn.counted.all_issues} {drawn.counted.population}.",
        uncertainty=CAVEAT,
        origin=f"Source: Faultbook's records and the {read}. Not a random sample. Counted {origin.day:%-d %B %Y}.",
        address=f"Faultbook, {origin.url.split('://')[-1]}",
    )


def _held(faults: Sequence[tuple[Severity, Sequence[Range]]], version: Version) -> tuple[Mapping[Severity, int], int]:
    counts: dict[Severity, int] = {}
    maybe = 0
    for severity, ranges in faults:
        holds = within(ranges, exactly(version))
        if holds:
            counts[severity] = counts.get(severity, 0) + 1
        maybe += holds is None
    return counts, maybe


def _bars(held: Held, severity: Severity) -> dict[str, Bar]:
    drawn = {}
    for release, (counts, maybe) in held.items():
        number = counts.get(severity, 0)
        if number:
            hover = (f"{NAMES[severity]}: {number}", f"{maybe} more may be in it", "Click to see the release")
            drawn[release] = Bar(number, hover=hover, query=f"{release}/")
    return drawn


def _table(releases: Sequence[tuple[Version, Release]], held: Held, shown: Sequence[Severity]) -> Table:
    rows = []
    for _, release in reversed(releases):
        counts, maybe = held[release.version]
        cells = [Cell(counts.get(severity, 0), str(counts.get(severity, 0))) for severity in shown]
        total = Cell(sum(counts.values()), str(sum(counts.values())), query=f"{release.version}/")
        rows.append(Row(Heading(release.version, release.version), (*cells, total, Cell(maybe, str(maybe)))))
    columns = named(*(NAMES[severity] for severity in shown), "All", "May be in it")
    return Table("Release", columns, tuple(rows))


def _records(releases: Sequence[tuple[Version, Release]], held: Held) -> list[Record]:
    records: list[Record] = []
    for _, release in releases:
        counts, maybe = held[release.version]
        severities = {severity.name.lower(): counts.get(severity, 0) for severity in Severity}
        records.append(
            {"release": release.version, "released_on": release.released_on.isoformat(), **severities, "may": maybe}
        )
    return records


def _notes(package: Package, shown: int) -> tuple[str, ...]:
    notes = ["Counted are faults whose beginning and end are known; “may be in it” are those where one is not."]
    if len(package.versions) > shown:
        notes.append(f"Shown are the newest {shown} of {len(package.versions)} releases.")
    return tuple(notes)


def _sentence(package: Package, releases: Sequence[tuple[Version, Release]], held: Held) -> str:
    totals = {release.version: sum(held[release.version][0].values()) for _, release in releases}
    if not any(totals.values()):
        return ""
    most = max(totals, key=lambda release: totals[release])
    newest = releases[-1][1].version
    return f"{package.name} {most} has {totals[most]} known faults, the newest release {newest} has {totals[newest]}."
