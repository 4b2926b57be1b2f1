"""How numbers are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.figures import percent, percent_range, times
from kb.core.intervals import Interval


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.001, "<1 %"), (0.384, "38 %"), (0.999, ">99 %"), (1, "100 %")],
)
def test_a_share_is_written_in_whole_percent(share: float, text: str) -> None:
    assert percent(share) == text


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_something_never_reads_nothing_nor_all(share: float) -> None:
    assert percent(share) not in ("0 %", "100 %")


def test_an_interval_is_written_as_a_range() -> None:
    assert percent_range(Interval(0.234, 0.551)) == "23–55 %"


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.04, "0.04×"), (1, "1.0×"), (2.54, "2.5×"), (9.9, "9.9×"), (33.4, "33×")]
)
def test_a_lift_is_written_as_times(ratio: float, text: str) -> None:
    assert times(ratio) == text
