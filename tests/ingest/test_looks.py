"""When issues were last looked at is never said to be later than it was, however sweeps go round."""

import datetime as dt
import random

import pytest

from ingest.looks import Stretch, looked, seen_since

NOON = dt.datetime(2026, 11, 26, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def test_a_round_ends_with_all_seen_since_its_first_look() -> None:
    stretches = looked([], after=0, up_to=10, at=NOON)
    stretches = looked(stretches, after=10, up_to=20, at=NOON + HOUR, is_end=True)
    assert seen_since(stretches) == NOON
    assert seen_since(looked(stretches, after=0, up_to=10, at=NOON + 2 * HOUR)) == NOON + HOUR


def test_looks_within_an_hour_are_one() -> None:
    stretches: list[Stretch] = []
    for place in range(120):
        stretches = looked(stretches, after=place, up_to=place + 1, at=NOON + place * HOUR / 60)
    assert stretches == [[60, NOON.timestamp()], [120, (NOON + HOUR).timestamp()]]


def test_nothing_was_seen_before_the_first_look() -> None:
    assert seen_since([]) is None


@pytest.mark.parametrize("seed", range(20))
def test_no_issue_is_said_to_be_seen_later_than_it_was(seed: int) -> None:
    chance, held = random.Random(seed), 50  # noqa: S311 no secret
    seen, stretches, place, now = [0.0] * (held + 1), [[held, int(NOON.timestamp())]], 0, NOON
    seen[1:] = [NOON.timestamp()] * held
    for _ in range(200):
        now += HOUR * chance.uniform(0.1, 3)
        up_to = min(held, place + chance.randint(1, 15))
        is_end = up_to == held
        stretches = looked(stretches, after=place, up_to=up_to, at=now, is_end=is_end)  # type: ignore[assignment]
        seen[place + 1 : up_to + 1] = [now.timestamp()] * (up_to - place)
        place = 0 if is_end or chance.random() < 0.1 else up_to
        since = seen_since(stretches)
        assert since is not None
        assert since.timestamp() <= min(seen[1:])
        assert min(seen[1:]) - since.timestamp() < 2 * 3_600
