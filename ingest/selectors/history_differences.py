"""Where records or hosts say otherwise than the histories that were read."""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.core.versions import as_version
from kb.models import AffectedRange, Fix, History
from kb.services.histories import changes_by_fix, fixes_in

FACTS = ("merged_on", "additions", "deletions", "files_changed")
RECORD, HISTORY = AffectedRange.Origin.RECORD, AffectedRange.Origin.HISTORY


@dataclass(frozen=True)
class Difference:
    """What is stated of something, and what git says."""

    about: str
    stated: str
    from_git: str


def fix_differences() -> Iterator[Difference]:
    """Days and sizes of fixes that are stated otherwise."""
    for fix in Fix.objects.exclude(commit="").order_by("url"):
        stated = {name: value for name, value in fix.stated_facts.items() if value is not None}
        differing = [name for name in FACTS if name in stated and stated[name] != getattr(fix, name)]
        if differing:
            yield Difference(
                fix.short_name,
                ", ".join(f"{name} {stated[name]}" for name in differing),
                ", ".join(f"{name} {getattr(fix, name)}" for name in differing),
            )


def fixes_not_in_history() -> Iterator[Difference]:
    """Known fixes in repositories whose histories were read, which no branch or release has."""
    for history in History.objects.select_related("repository").order_by("repository"):
        known = changes_by_fix(history.repository)
        for fix in fixes_in(history.repository):
            if fix not in known:
                yield Difference(fix.short_name, f"merged {fix.merged_on or 'not stated'}", "not in the history")


def range_differences() -> Iterator[Difference]:
    """Bounds that records state otherwise, and reports of versions that have the fix."""
    rows: dict[tuple[int, str], list[AffectedRange]] = {}
    for row in AffectedRange.objects.select_related("issue__repository").order_by("issue_id", "package", "pk"):
        rows.setdefault((row.issue_id, row.package), []).append(row)
    for several in rows.values():
        stated = [row for row in several if row.origin == RECORD]
        read = [row for row in several if row.origin == HISTORY]
        if stated and read:
            yield from _bounds(stated, read)


def _bounds(stated: list[AffectedRange], read: list[AffectedRange]) -> Iterator[Difference]:
    about = f"{stated[0].issue.repository.full_name}#{stated[0].issue.ref} {stated[0].package}"
    ends = [row.fixed for row in stated if row.fixed]
    ends_read = [row.fixed for row in read if row.fixed]
    if ends and set(ends) != set(ends_read):
        yield Difference(about, f"fixed {', '.join(ends)}", f"fixed {', '.join(ends_read) or 'in no release'}")
    ends_last = [row.last_affected for row in stated if row.last_affected]
    if ends_last:
        yield Difference(
            about, f"last affected {', '.join(ends_last)}", f"fixed {', '.join(ends_read) or 'in no release'}"
        )
    oldest = as_version(read[0].introduced_oldest)
    for row in stated:
        beginning = as_version(row.introduced)
        if beginning is not None and oldest is not None and beginning < oldest:
            yield Difference(about, f"from {beginning} ({row.introduced_by})", f"no line before {oldest}")
        late = [text for text in row.reported if ends_read and _is_after_all(text, ends_read)]
        if late:
            yield Difference(about, f"reported on {', '.join(late)}", f"fixed {', '.join(ends_read)}")


def _is_after_all(text: str, ends: list[str]) -> bool:
    version = as_version(text)
    known = [end for end in map(as_version, ends) if end is not None]
    return version is not None and all(version >= end for end in known)
