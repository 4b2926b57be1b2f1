"""What an upgrade does to a fault, by the bounds that are known of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from kb.core.setups.known_faults import Bound, Row, combined
from kb.core.upgrades import Course, has_change, outcome, standing
from kb.core.versions import exactly, within

START, TARGET = Version("0.14.2"), Version("0.15.4")


def bound(text: str) -> Bound | None:
    """`0.15.0 git`; empty is not known."""
    version, _, by = text.partition(" ")
    return Bound(Version(version), by or "git") if version else None  # type: ignore[arg-type]


def row(introduced: str = "", fixed: str = "", last: str = "", oldest: str = "") -> Row:
    return Row(
        "deepspeed",
        is_of_record=True,
        introduced=bound(introduced),
        fixed=bound(fixed),
        last_affected=bound(last),
        oldest=Version(oldest) if oldest else None,
    )


@pytest.mark.parametrize(
    ("rows", "course", "is_sure"),
    [
        ([row("0.13.0", "0.15.0")], Course.FIXED, True),
        ([row("", "0.15.0")], Course.FIXED, False),
        ([row("0.14.0 reported", "0.15.4")], Course.FIXED, True),
        ([row("0.14.9 reported", "0.15.4")], Course.FIXED, False),
        ([row("", "0.14.2")], Course.ABSENT, False),
        ([row("0.15.0", "0.15.1")], Course.PASSED, False),
        ([row("0.15.0", "0.16.0")], Course.NEW, True),
        ([row("0.15.0")], Course.NEW, True),
        ([row("0.15.0 reported")], Course.NEW, False),
        ([row("0.15.0 lines", oldest="0.12.0")], Course.NEW, False),
        ([row("0.15.4")], Course.NEW, True),
        ([row("0.13.0", "0.16.0")], Course.OPEN, True),
        ([row("", "0.16.0")], Course.OPEN, False),
        ([row("0.14.2 reported")], Course.OPEN, False),
        ([row("0.13.0", last="0.15.4")], Course.OPEN, True),
        ([row("0.16.0", "0.17.0")], Course.ABSENT, False),
        ([row("0.16.0 reported")], Course.ABSENT, False),
        ([row(last="0.13.0")], Course.ABSENT, False),
        # Fixed on the lower line, missing from the first release of the next one, fixed there too.
        ([row("0.13.0", "0.14.3"), row("0.15.0", "0.15.2")], Course.FIXED, True),
        ([row("0.13.0", "0.14.3"), row("0.15.0", "0.16.0")], Course.OPEN, True),
        # The lower version has the backport, the higher one is before the fix.
        ([row("0.13.0", "0.14.1"), row("0.15.0", "0.16.0")], Course.NEW, True),
    ],
)
def test_the_course_follows_from_the_bounds(rows: list[Row], course: Course, is_sure: bool) -> None:
    result = outcome(rows, START, TARGET)
    assert (result.course, result.is_sure) == (course, is_sure)


versions = st.builds(lambda minor, patch: f"0.{minor}.{patch}", st.integers(10, 18), st.integers(0, 5))
certainties = st.sampled_from(["git", "lines", "reported"])
bounds = st.one_of(st.just(""), st.builds(lambda version, by: f"{version} {by}", versions, certainties))
ranges = st.lists(st.builds(row, introduced=bounds, fixed=bounds), min_size=1, max_size=3)


@given(rows=ranges, one=versions, other=versions)
def test_the_course_agrees_with_both_versions(rows: list[Row], one: str, other: str) -> None:
    start, target = sorted((Version(one), Version(other)))
    joined = combined(rows)
    result = outcome(joined, start, target)
    before, after = (within([each.versions() for each in joined], exactly(version)) for version in (start, target))
    if result.course is Course.FIXED:
        assert before is not False
        assert after is False
    if result.course in (Course.NEW, Course.OPEN):
        assert after is not False
        assert standing(joined, target).course is Course.OPEN
    if result.course is Course.OPEN and result.is_sure:
        assert after
    if start == target:
        assert result.course in (Course.OPEN, Course.ABSENT)


@pytest.mark.parametrize(
    ("missing", "version", "has"),
    [
        ([[None, "0.15.0"]], "0.14.9", False),
        ([[None, "0.15.0"]], "0.15.0", True),
        ([[None, "0.14.5"], ["0.15.0", "0.15.2"]], "0.14.5", True),
        ([[None, "0.14.5"], ["0.15.0", "0.15.2"]], "0.15.1", False),
        ([[None, "0.14.5"], ["0.15.0", None]], "9.0", False),
        ([[None, None]], "0.15.0", False),
        ([], "0.1", True),
    ],
)
def test_a_release_has_a_change_outside_the_runs_without_it(
    missing: list[list[str | None]],
    version: str,
    has: bool,
) -> None:
    assert has_change([(first, end) for first, end in missing], Version(version)) is has
