"""When a run stands still, by its own rhythm. Time is told here: nothing waits."""

from collections.abc import Iterator
from itertools import accumulate, repeat

import pytest
from faultbook.watch.rhythm import Rhythm, patience_of, step_in

LEAST = 240.0


def heard(texts: list[str], times: Iterator[float]) -> tuple[Rhythm, float]:
    """A rhythm that has heard these lines at these times, and the last of them."""
    rhythm, now = Rhythm(LEAST, 0.0), 0.0
    for text, now in zip(texts, times, strict=False):
        rhythm.hear(f"{text}\n".encode(), now)
    return rhythm, now


def every(seconds: float) -> Iterator[float]:
    """Moments that are so far apart."""
    return accumulate(repeat(seconds))


STEPS = [f"step {number} | loss: 2.5" for number in range(1, 40)]


def limit(rhythm: Rhythm, last: float) -> float:
    """The silence after which it counts as a stall, to the second."""
    return next(seconds for seconds in range(1, 20_000) if rhythm.stall(last + seconds, 0.0) is not None) - 1.0


class TestLimits:
    def test_fast_steps_leave_the_least_time(self) -> None:
        assert limit(*heard(STEPS, every(2.0))) == LEAST

    def test_slow_steps_are_given_eight_times_as_long(self) -> None:
        assert limit(*heard(STEPS, every(100.0))) == 800.0

    def test_a_pause_may_be_twice_as_long_as_the_longest_so_far(self) -> None:
        times = [number * 2.0 + (400.0 if number > 20 else 0.0) for number in range(39)]
        assert limit(*heard(STEPS, iter(times))) == 804.0

    def test_without_steps_four_times_the_least(self) -> None:
        assert limit(*heard([f"request {number} served" for number in range(30)], every(1.0))) == 4 * LEAST

    def test_a_run_that_writes_but_makes_no_step_may_be_at_something_else(self) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        for second in range(1, 4 * 240 + 1):
            assert rhythm.stall(now + second, 0.0) is None
            rhythm.hear(b"still waiting for step 39\n", now + second)
        stall = rhythm.stall(now + second + 1, 0.0)
        assert stall is not None
        assert (stall.what, stall.last_step) == ("step", 39)

    @pytest.mark.parametrize(
        ("line", "times"),
        [
            ("compiling the model with torch.compile", 15.0),
            ("Saving checkpoint to /ckpt/global_step39", 4.0),
            ("Loading checkpoint shards", 4.0),
            ("Starting evaluation", 4.0),
            ("saved checkpoint in 12 s", 1.0),
            ("step 40 | loss: 2.5", 1.0),
        ],
    )
    def test_some_work_takes_longer(self, line: str, times: float) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        rhythm.hear(f"{line}\n".encode(), now)
        assert limit(rhythm, now) == times * LEAST

    def test_nobody_need_ask_a_server(self) -> None:
        rhythm, now = heard(["INFO: Application startup complete."], every(1.0))
        assert rhythm.stall(now + 1e6, 0.0) is None


class TestMotion:
    def test_the_same_step_again_is_no_motion_and_a_new_one_is(self) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        rhythm.hear(b"step 39 | loss: 2.5\n", now + 300.0)
        assert not rhythm.moved_since(now)
        rhythm.hear(b"step 40 | loss: 2.5\n", now + 301.0)
        assert rhythm.moved_since(now)

    def test_after_a_false_alarm_such_a_pause_is_known(self) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        assert rhythm.stall(now + 500.0, 0.0) is not None
        rhythm.hear(b"step 40\n", now + 500.0)
        assert limit(rhythm, now + 500.0) == 1000.0

    def test_time_in_which_it_was_stopped_does_not_count(self) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        rhythm.shift(3600.0)
        assert rhythm.stall(now + 3700.0, 0.0) is None

    def test_what_it_says(self) -> None:
        rhythm, now = heard(STEPS, every(2.0))
        stall = rhythm.stall(now + 300.0, 10.0)
        assert stall is not None
        assert (stall.noticed, stall.quiet, stall.limit, stall.last_step, stall.usual) == (368.0, 300.0, 240.0, 39, 2.0)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("[rank3]: iteration      120/  500000 | lm loss: 2.5", 120),
        ("{'loss': 2.1, 'global_step': 77}", 77),
        (" 12%|█▏        | 61/500 [02:01<14:30,  1.98s/it]", 61),
        ("one step ahead", None),
        ("step 3.5 of the guide", None),
    ],
)
def test_steps_in_lines(line: str, number: int | None) -> None:
    assert step_in(line.encode()) == number


def test_the_last_line_that_tells_decides_what_a_run_is_at() -> None:
    assert patience_of("Saving checkpoint to /ckpt/iter_10\nstep 11 | loss: 2\n") == 1.0
    assert patience_of("step 11 | loss: 2\nSaving checkpoint to /ckpt/iter_10\nmemory: 3 GB\n") == 4.0
