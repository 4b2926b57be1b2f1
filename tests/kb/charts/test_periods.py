"""Years, quarters and windows leave no day out and count none twice."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from kb.charts.periods import DAY, YEAR_DAYS, period_of, windows, without_gaps

DAYS = st.dates(dt.date(2008, 1, 1), dt.date(2030, 12, 31))
STEPS = st.sampled_from(["year", "quarter"])


@given(DAYS, STEPS)
def test_a_day_lies_in_its_period_and_the_next_begins_when_it_ends(day: dt.date, step: str) -> None:
    period = period_of(day, step)
    assert period.first <= day <= period.last
    assert period_of(period.last, step) == period_of(period.first, step) == period
    assert period_of(period.last + DAY, step).first == period.last + DAY


@given(st.lists(DAYS, min_size=1, max_size=5), STEPS)
def test_periods_have_no_gaps_and_hold_every_day(days: list[dt.date], step: str) -> None:
    periods = list(without_gaps(days, step))
    assert sum(one.days for one in periods) == (periods[-1].last - periods[0].first).days + 1
    assert len({one.code for one in periods}) == len(periods)
    assert all(any(one.first <= day <= one.last for one in periods) for day in days)


def test_no_days_have_no_periods() -> None:
    assert list(without_gaps([], "year")) == []


def test_they_are_called_as_people_call_them() -> None:
    day = dt.date(2024, 11, 5)
    assert (period_of(day, "year").code, period_of(day, "quarter").code) == ("2024", "2024-Q4")


@given(DAYS, st.sampled_from([30, 90, 365]))
def test_the_window_ends_with_the_newest_day_and_the_year_before_touches_it(newest: dt.date, days: int) -> None:
    recent, past = windows(newest, days)
    assert (recent.last, recent.days, past.days) == (newest, days, YEAR_DAYS)
    assert past.last + DAY == recent.first
