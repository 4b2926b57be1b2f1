"""Faults in the format of OSV (ossf.github.io/osv-schema, version 1.7): what tools for vulnerabilities read.

OSV knows no uncertainty: an event is the widest bound that is known, and `database_specific` says what it rests on. A
range of which only reports are known is left out.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from packaging.version import Version

from kb.core.setups.known_faults import Bound, Row, combined
from kb.core.versions import exactly
from kb.exports import Document, Json
from kb.models import Issue, Release
from kb.selectors.affected import row_of
from kb.selectors.releases import Package, find_package

SCHEMA_VERSION = "1.7.5"
# The prefix of databases that are not collected by osv.dev, before a public id, and before a report's place.
PREFIX, PLACE_PREFIX = "x_", "x_FAULTBOOK-"
NO_BOUND = ("", "reported")
Absolute = Callable[[str], str]


def osv_id(issue: Issue) -> str:
    """The fault's id: the same on every site, and a file's name. `x_FB-000860` where the fault has a public id."""
    return f"{PREFIX}{issue.public_id}" if issue.public_id else place_id(issue)


def place_id(issue: Issue) -> str:
    """An id made of the report's place, which every fault had before there were public ids."""
    repository = issue.repository
    return f"{PLACE_PREFIX}{repository.host}__{repository.full_name.replace('/', '__')}__{issue.ref}"


class Exporter:
    """Makes documents; reads each package's releases once."""

    def __init__(self, absolute: Absolute) -> None:
        self._absolute = absolute
        self._packages: dict[str, Package | None] = {}

    def document(self, issue: Issue) -> Document | None:
        """The issue, read with its ranges, fixes and relatives; None where only reports name its versions."""
        rows = [row for row in combined(row_of(bounds) for bounds in issue.affected_ranges.all()) if is_bounded(row)]
        affected = [
            entry
            for name, several in groupby(rows, key=attrgetter("package"))
            if (entry := self._affected(name, list(several)))
        ]
        if not affected:
            return None
        document: dict[str, Json] = {
            "schema_version": SCHEMA_VERSION,
            "id": osv_id(issue),
            "modified": _moment(self._modified(issue, rows)),
            "summary": issue.heading or issue.short_name,
            "details": _details(issue),
            "affected": affected,
            "references": list(self._references(issue, rows)),
            "database_specific": {"condition": issue.affects_when or None, "is_vulnerability": False},
        }
        if issue.public_id:
            document["aliases"] = [place_id(issue)]
        if issue.opened_at:
            document["published"] = _moment(issue.opened_at)
        related = sorted(osv_id(other) for other in issue.related.all())
        if related:
            document["related"] = related
        return document

    def _package(self, name: str) -> Package | None:
        if name not in self._packages:
            self._packages[name] = find_package(name)
        return self._packages[name]

    def _affected(self, name: str, rows: Sequence[Row]) -> Document | None:
        package = self._package(name)
        if "/" in name:
            ranges = [found for row in rows if (found := _git_range(row, package))]
            return {"ranges": ranges} if ranges else None
        entry: dict[str, Json] = {
            "package": {"ecosystem": "PyPI", "name": name, "purl": f"pkg:pypi/{name}"},
            "ranges": [
                {"type": "ECOSYSTEM", "events": _events(row, str), "database_specific": _certainty(row)} for row in rows
            ],
        }
        versions = [release.version for version, release in _versions(package) if _is_within(rows, version)]
        return {**entry, "versions": versions} if versions else entry

    def _modified(self, issue: Issue, rows: Sequence[Row]) -> dt.datetime:
        """The newest of what it is made from: the host's last change, our reading, and the reading of histories."""
        moments = [moment for moment in (issue.host_updated_at, issue.closed_at, issue.opened_at) if moment]
        if issue.read_on:
            moments.append(dt.datetime.combine(issue.read_on, dt.time(), dt.UTC))
        for name in {row.package for row in rows}:
            package = self._package(name)
            if package and package.history:
                moments.append(package.history.read_at)
        return max(moments, default=dt.datetime(1970, 1, 1, tzinfo=dt.UTC))

    def _references(self, issue: Issue, rows: Sequence[Row]) -> Iterator[Document]:
        """Every address once, under its first kind."""
        page = self._absolute(issue.get_absolute_url())
        # Without the site's address it is none that others can follow.
        links = [("REPORT", issue.url), ("WEB", page if "://" in page else "")]
        links += [("FIX", fix.url) for fix in issue.fixes.all()]
        links += [("FIX", row.fixed.evidence) for row in rows if row.fixed]
        links += [("EVIDENCE", row.introduced.evidence) for row in rows if row.introduced]
        links += [("EVIDENCE", row.last_affected.evidence) for row in rows if row.last_affected]
        kinds: dict[str, str] = {}
        for kind, url in links:
            if url:
                kinds.setdefault(url, kind)
        return ({"type": kind, "url": url} for url, kind in kinds.items())


def is_bounded(row: Row) -> bool:
    """Whether a bound rests on more than a report."""
    bounds = (row.introduced, row.fixed, row.last_affected)
    return any(bound.by not in NO_BOUND for bound in bounds if bound)


def _first(row: Row) -> Version | None:
    """Below it no version has the fault; None where that is not known."""
    if row.oldest is not None:
        return row.oldest
    return row.introduced.version if row.introduced and row.introduced.by not in NO_BOUND else None


def _events(row: Row, text: Callable[[Version], str]) -> list[dict[str, str]]:
    first = _first(row)
    events = [{"introduced": text(first) if first else "0"}]
    if row.fixed:
        events.append({"fixed": text(row.fixed.version)})
    elif row.last_affected:
        events.append({"last_affected": text(row.last_affected.version)})
    return events


def _git_range(row: Row, package: Package | None) -> Document | None:
    """A range by the commits of releases; None where a bound's release was not read."""
    commits = {version: release.commit for version, release in _versions(package)}
    end = row.fixed or row.last_affected
    bounds = [version for version in (_first(row), end.version if end else None) if version]
    if package is None or package.repository is None or not commits.keys() >= set(bounds):
        return None
    return {
        "type": "GIT",
        "repo": package.repository.url,
        "events": _events(row, commits.__getitem__),
        "database_specific": _certainty(row),
    }


def _versions(package: Package | None) -> Sequence[tuple[Version, Release]]:
    return package.versions if package else ()


def _is_within(rows: Sequence[Row], version: Version) -> bool:
    """Whether the events' ranges hold the version."""
    for row in rows:
        first = _first(row)
        if (first is None or version >= first) and row.versions().holds(exactly(version)) is not False:
            return True
    return False


def _certainty(row: Row) -> Document:
    """What each bound rests on."""
    return {
        "introduced": bound_document(row.introduced),
        "fixed": bound_document(row.fixed),
        "last_affected": bound_document(row.last_affected),
        "oldest": str(row.oldest) if row.oldest else None,
    }


def bound_document(bound: Bound | None) -> Document | None:
    """A bound with what it rests on."""
    return {"version": str(bound.version), "by": bound.by, "evidence": bound.evidence or None} if bound else None


def _details(issue: Issue) -> str:
    """Our own words, in Markdown; never the host's text."""
    parts = [issue.fix_line, issue.snippet and f"```\n{issue.snippet}\n```", issue.summary]
    parts += [f"Fix: {issue.resolution}"] if issue.resolution else []
    parts += [f"Workaround: {issue.workaround}"] if issue.workaround else []
    return "\n\n".join(part for part in parts if part)


def _moment(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
