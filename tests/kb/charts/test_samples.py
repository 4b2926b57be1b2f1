"""Small samples: what is drawn, what is marked, in which order, and in which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.samples import (
    SMALL,
    TOO_FEW,
    Sample,
    in_order,
    is_drawn,
    is_small,
    left_out,
    sample_of,
    small_note,
    unless_too_few,
)

NUMBERS = st.lists(st.integers(0, 40))


@given(st.integers(0, 10_000))
def test_more_cases_are_never_worse(n: int) -> None:
    order = [Sample.TOO_FEW, Sample.SMALL, Sample.ENOUGH]
    assert order.index(sample_of(n)) <= order.index(sample_of(n + 1))
    assert is_drawn(n) == (n >= TOO_FEW)
    assert is_small(n) == (n < SMALL)


@given(st.integers(0, 100))
def test_the_words_and_the_mark_go_together(n: int) -> None:
    assert (small_note(n) == f"small sample (n = {n})") == is_small(n)
    assert bool(small_note(n)) == is_small(n)
    assert unless_too_few(n, "50 %") == ("50 %" if is_drawn(n) else "–")


def test_less_than_nothing_is_no_sample() -> None:
    with pytest.raises(ValueError, match="-1"):
        sample_of(-1)


@given(NUMBERS)
def test_what_is_drawn_has_its_small_samples_last_and_keeps_its_order(numbers: list[int]) -> None:
    items = list(enumerate(numbers))
    ordered = in_order(items, lambda item: item[1])
    assert sorted(ordered) == [item for item in items if item[1] >= TOO_FEW]
    marks = [is_small(n) for _, n in ordered]
    assert marks == sorted(marks)
    for mark in (True, False):
        places = [place for place, n in ordered if is_small(n) == mark]
        assert places == sorted(places)


@given(NUMBERS)
def test_everything_is_either_drawn_or_named(numbers: list[int]) -> None:
    cases = [(f"case-{place}", n) for place, n in enumerate(numbers)]
    drawn = {name for name, _ in in_order(cases, lambda case: case[1])}
    (note,) = left_out(cases) or ("",)
    assert {name for name, n in cases if f"{name} (n = {n})" in note} == {name for name, _ in cases} - drawn
