"""Sides compared: which are shown, which issues count, and when a difference is called."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.chart import Heading
from kb.charts.samples import TOO_FEW, is_small
from kb.charts.sides import Sides, Tallies, compare, tally_sides
from kb.core.intervals import newcombe

CODES = ("a", "b", "c")
CATEGORIES = ("x", "y")
CODE_SETS, CATEGORY_SETS = st.sets(st.sampled_from(CODES)), st.sets(st.sampled_from(CATEGORIES))
GROUPS = st.lists(st.tuples(CODE_SETS, CATEGORY_SETS, st.integers(1, 60)), max_size=12)


def compared(tallies: Tallies) -> Sides:
    headings = [Heading(code, code.upper()) for code in CODES]
    return compare(tallies, headings, [Heading(code, code.upper()) for code in CATEGORIES])


def of_numbers(*numbers: tuple[int, int]) -> Sides:
    """Sides with so many issues of the category x, of so many."""
    sides = Counter({code: of for code, (_, of) in zip(CODES, numbers, strict=False)})
    pairs = Counter({(code, "x"): issues for code, (issues, _) in zip(CODES, numbers, strict=False) if issues})
    return compared(Tallies(sides, pairs, 0, sides.total()))


@given(GROUPS)
def test_an_issue_counts_on_one_side_alone(groups: list[tuple[set[str], set[str], int]]) -> None:
    tallies = tally_sides(groups, CODES)
    counted = [(sides, issues) for sides, categories, issues in groups if categories and sides]
    assert tallies.sides.total() == sum(issues for sides, issues in counted if len(sides) == 1)
    assert tallies.shared == sum(issues for sides, issues in counted if len(sides) > 1)
    assert tallies.all_issues == sum(issues for sides, _, issues in groups if sides)


@given(GROUPS)
def test_every_side_is_compared_or_left_out_and_small_ones_are_last(
    groups: list[tuple[set[str], set[str], int]],
) -> None:
    sides = compared(tally_sides(groups, CODES))
    assert {side.code for side in (*sides.sides, *sides.left_out)} == set(CODES)
    assert all((side.issues or 0) < TOO_FEW for side in sides.left_out)
    marks = [is_small(side.issues or 0) for side in sides.sides]
    assert marks == sorted(marks)
    assert all(len(line.shares) == len(sides.sides) for line in sides.lines)


@given(GROUPS)
def test_a_difference_is_called_only_where_its_interval_leaves_out_nothing(
    groups: list[tuple[set[str], set[str], int]],
) -> None:
    sides = compared(tally_sides(groups, CODES))
    for line in sides.differing:
        assert line.difference
        higher, lower = line.shares[line.difference.higher], line.shares[line.difference.lower]
        assert newcombe(higher.issues, higher.of, lower.issues, lower.of).low > 0
    assert [line.difference is None for line in sides.lines] == sorted(line.difference is None for line in sides.lines)


def test_a_clear_difference_is_called_and_one_that_may_be_chance_is_not() -> None:
    (line,) = of_numbers((80, 100), (20, 100)).lines
    assert line.difference
    assert (line.difference.higher, line.difference.lower) == (0, 1)
    (line,) = of_numbers((3, 10), (6, 10)).lines
    assert line.difference is None


def test_more_comparisons_ask_for_more() -> None:
    """Two sides that barely differ do so no more beside a third, which makes three pairs of one."""
    (alone,) = of_numbers((30, 100), (17, 100)).lines
    (beside,) = of_numbers((30, 100), (17, 100), (24, 100)).lines
    assert alone.difference
    assert beside.difference is None
