"""Published against recounted: equality, differences, percentages, and what is said of them."""

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.recounted import Printed, compare, verdict

ROWS, COLUMNS = ("a", "b", ""), ("x", "y", "")
KEYS = [(row, column) for row in ROWS for column in COLUMNS]
NAMES = {key: " × ".join(part for part in key if part) or "sum" for key in KEYS}
counts = st.dictionaries(st.sampled_from(KEYS), st.integers(1, 500), min_size=9)


@given(counts)
def test_a_table_equals_itself(numbers: dict[tuple[str, str], int]) -> None:
    found = compare({k: Printed(n) for k, n in numbers.items()}, keys=KEYS, recounted=numbers, issues=numbers)
    assert not found.differing
    assert len(found.compared) == 9
    assert verdict(found, NAMES) == "All 4 cells and 5 sums equal the published ones."


@given(counts, st.sampled_from(KEYS), st.integers(-5, 5).filter(bool))
def test_one_changed_number_is_the_one_that_differs(
    numbers: dict[tuple[str, str], int], key: tuple[str, str], by: int
) -> None:
    printed = {k: Printed(n) for k, n in numbers.items()} | {key: Printed(numbers[key] + by + 5)}
    found = compare(printed, keys=KEYS, recounted=numbers, issues={})
    assert [cell.key for cell in found.differing] == ([key] if by != -5 else [])
    if by != -5:
        assert verdict(found, NAMES).startswith(f"1 of 9 numbers differ: {NAMES[key]} ")
        assert found.cells[key].difference == -by - 5


def test_nothing_imported_compares_nothing() -> None:
    found = compare({("a", ""): Printed(3)}, keys=KEYS, recounted={}, issues={})
    assert verdict(found, NAMES) == "Nothing can be compared."
    assert found.cells["a", ""].recounted is None
    assert found.cells["a", ""].issues is None


def test_what_was_not_counted_is_nought_once_anything_is_imported() -> None:
    found = compare({("a", ""): Printed(3)}, keys=[("a", "")], recounted={("", ""): 7}, issues={})
    assert found.cells["a", ""].difference == -3
    assert verdict(found, NAMES) == "1 of 1 numbers differ: a 3 published, 0 counted."


def test_percentages_agree_when_they_round_to_what_was_printed() -> None:
    def agrees(printed: float, ours: int, of: int, digits: int) -> bool:
        table = {("a", ""): Printed(None, printed)}
        return not compare(
            table, keys=[("a", "")], recounted={("a", ""): ours, ("", ""): of}, issues={}, digits=digits
        ).differing

    assert agrees(31.6, 223, 706, 1)
    assert not agrees(31.5, 223, 706, 1)
    assert agrees(12.5, 1, 8, 1)
    assert agrees(13, 1, 8, 0)  # either way of rounding a half is right
    assert agrees(12, 1, 8, 0)


def test_many_differences_are_counted_not_listed() -> None:
    keys = [(str(n), "") for n in range(8)]
    found = compare({key: Printed(1) for key in keys}, keys=keys, recounted=dict.fromkeys(keys, 2), issues={})
    said = verdict(found, {key: key[0] for key in keys})
    assert said.count("published") == 5
    assert said.endswith("; and 3 more.")
