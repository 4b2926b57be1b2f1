"""What an upgrade does to a fault: it is fixed on the way, comes on the way, or is still there. Pure.

Ranges are compared in `kb.core.versions`; which faults are known stands in `kb.selectors.faults`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from packaging.version import Version

from kb.core.histories import Run, is_within
from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Setup
from kb.core.setups.known_faults import KnownFault, Row
from kb.core.versions import exactly, within


class Course(Enum):
    """What becomes of a fault between two versions."""

    FIXED = "fixed"
    NEW = "new"
    OPEN = "open"
    PASSED = "passed"
    ABSENT = "absent"


@dataclass(frozen=True)
class Outcome:
    """The course, the range that decides it, and whether it is certain or only not excluded."""

    course: Course
    row: Row | None = None
    is_sure: bool = False


def outcome(rows: Sequence[Row], start: Version, target: Version) -> Outcome:
    """What becomes of a fault with these ranges of one package between two versions, the lower one first."""
    ranges = [row.versions() for row in rows]
    before, after = within(ranges, exactly(start)), within(ranges, exactly(target))
    if after is False:
        ended = [row for row in rows if row.fixed is not None and start < row.fixed.version <= target]
        if not ended:
            return Outcome(Course.ABSENT)
        course = Course.PASSED if before is False else Course.FIXED
        return Outcome(course, ended[-1], is_sure=before is True)
    begun = [row for row in rows if row.introduced is not None and start < row.introduced.version <= target]
    if begun and before is not True:
        return Outcome(Course.NEW, begun[-1], is_sure=begun[-1].has_sure_beginning)
    return standing(rows, target)


def standing(rows: Sequence[Row], version: Version) -> Outcome:
    """Whether a fault with these ranges is in one version: open there or absent.

    What was first reported on a later version, and has no known fix, is not said to be there.
    """
    there = [(row, row.versions().holds(exactly(version))) for row in rows]
    sure = [row for row, holds in there if holds]
    if sure:
        return Outcome(Course.OPEN, sure[0], is_sure=True)
    maybe = [row for row, holds in there if holds is None and not _is_later(row, version)]
    return Outcome(Course.OPEN, maybe[0]) if maybe else Outcome(Course.ABSENT)


def _is_later(row: Row, version: Version) -> bool:
    """Whether all that is known of the range is of later versions, or of its end before this one."""
    if row.last_affected is not None and row.last_affected.version < version:
        return True
    return row.fixed is None and row.introduced is not None and row.introduced.version > version


def meets(fault: KnownFault, setup: Setup) -> bool | None:
    """Whether a set-up meets the fault's condition; None where that, or the condition, is not known."""
    return compiled(fault.condition)(setup).holds if fault.condition else None


def has_change(missing: Sequence[Run], version: Version) -> bool:
    """Whether a release contains a change, by the runs of releases without it."""
    return not any(is_within(run, version) for run in missing)
