"""How long to wait for a host: the rules one by one, and what holds whatever the host says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.hosts.asking import budget
from ingest.hosts.asking.budget import Meter

NOW = 1_800_000_000.0


def told(remaining: int, *, limit: int = 5_000, reset_in: int = 600, host_ahead: int = 0) -> Meter:
    headers = {
        "x-ratelimit-limit": str(limit),
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset": str(int(NOW) + host_ahead + reset_in),
    }
    return budget.learn(budget.spend(Meter(), now=NOW), headers=headers, now=NOW, host_now=NOW + host_ahead)


def refused(meter: Meter | None = None, **headers: str) -> Meter:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return budget.refuse(meter or Meter(), headers=named, now=NOW, host_now=NOW, jitter=0.0)


def test_nothing_is_known_so_nothing_is_waited_for() -> None:
    assert budget.wait(Meter(), now=NOW) == 0


def test_a_full_budget_needs_no_wait() -> None:
    assert budget.wait(told(4_000), now=NOW) == 0


def test_below_a_tenth_what_is_left_is_spread_over_the_time_until_it_is_renewed() -> None:
    assert budget.wait(told(99, reset_in=500), now=NOW) == pytest.approx(5.01)
    assert budget.wait(told(400, reset_in=400), now=NOW) < 1.01


def test_whoever_has_waited_as_told_may_ask() -> None:
    meter = told(99, reset_in=500)
    assert budget.wait(meter, now=NOW + budget.wait(meter, now=NOW)) == 0


def test_no_single_request_is_spread_out_for_longer_than_ten_seconds() -> None:
    assert budget.wait(told(1, reset_in=3_000), now=NOW) == 10


def test_an_empty_budget_waits_for_its_renewal_and_a_second_more() -> None:
    assert budget.wait(told(0, reset_in=300), now=NOW) == 301


def test_the_renewal_is_reckoned_by_the_hosts_own_clock() -> None:
    assert budget.wait(told(0, reset_in=300, host_ahead=7_200), now=NOW) == 301


def test_a_renewed_budget_is_not_waited_for() -> None:
    assert budget.wait(told(0, reset_in=300), now=NOW + 302) == 0


def test_retry_after_is_taken_at_its_word() -> None:
    assert budget.wait(refused(retry_after="42"), now=NOW) == 42


def test_a_refusal_with_an_empty_budget_waits_for_the_renewal() -> None:
    meter = refused(x_ratelimit_remaining="0", x_ratelimit_reset=str(int(NOW) + 90))
    assert budget.wait(meter, now=NOW) == 91


def test_refusals_without_a_word_double_from_a_minute_and_then_exhaust() -> None:
    meter = Meter()
    waits = []
    for _ in range(budget.MOST_STRIKES + 1):
        meter = refused(meter)
        waits.append(budget.wait(meter, now=NOW))
    assert waits == [60, 120, 240, 480, 960, 1_920]
    assert meter.exhausted


def test_a_good_answer_ends_a_series_of_refusals() -> None:
    meter = budget.learn(refused(), headers={}, now=NOW + 61, host_now=NOW + 61)
    assert meter.strikes == 0


FREELY = round(budget.POINTS_A_MINUTE * (1 - budget.SPREAD_BELOW))


def spent(times: int, *, now: float = NOW) -> Meter:
    meter = Meter()
    for _ in range(times):
        meter = budget.spend(meter, now=now)
    return meter


def test_a_minutes_points_are_not_overspent() -> None:
    meter = spent(budget.POINTS_A_MINUTE)
    assert budget.wait(meter, now=NOW + 20) == 40
    assert budget.wait(meter, now=NOW + 60) == 0


def test_most_of_a_minutes_points_are_spent_without_a_wait() -> None:
    assert budget.wait(spent(FREELY), now=NOW) == 0
    assert budget.wait(spent(FREELY + 1), now=NOW) > 0


@given(seconds=st.floats(0, 0.5), until=st.integers(1, 5))
def test_who_asks_all_the_time_never_waits_long_and_asks_as_often_as_the_pace_allows(
    seconds: float, until: int
) -> None:
    """`seconds` is how long an answer takes."""
    meter, now, asked = Meter(), NOW, 0
    while now < NOW + 60 * until - 1:
        if wait := budget.wait(meter, now=now):
            assert wait < 1.5
            now += wait
            assert budget.wait(meter, now=now) < 0.001
        meter, asked = budget.spend(meter, now=now), asked + 1
        assert meter.minute_spent <= budget.POINTS_A_MINUTE
        now += seconds
    unhindered = 60 * until / seconds if seconds else asked
    assert asked >= min(unhindered, budget.POINTS_A_MINUTE * until) * 0.95


HEADER = st.one_of(st.none(), st.integers(-5, 2 * 10**12).map(str), st.text(max_size=8))


@given(
    headers=st.fixed_dictionaries(
        {}, optional={name: HEADER.filter(lambda value: value is not None) for name in (
            "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after")}
    ),
    skew=st.floats(-10**6, 10**6),
    jitter=st.floats(0, 1),
    later=st.floats(0, 10**5),
)  # fmt: skip
def test_whatever_a_host_says_a_refusal_is_followed_by_a_wait(
    headers: dict[str, str], skew: float, jitter: float, later: float
) -> None:
    meter = budget.refuse(Meter(), headers=headers, now=NOW, host_now=NOW + skew, jitter=jitter)
    assert budget.wait(meter, now=NOW) >= budget.MARGIN
    assert budget.wait(meter, now=NOW + later) >= 0
    assert budget.wait(meter, now=max(meter.blocked_until, meter.renews_at or 0)) <= budget.LONGEST_SPREAD
