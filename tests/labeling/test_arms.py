"""The split of a round's places into assisted and blind ones: exact, even on every item, and by its seed alone."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from labeling.arms import Held, assisted

PERCENTS = st.integers(10, 90)
SEEDS = st.text("0123456789abcdef", min_size=1, max_size=16)


def full(items: int, places: int) -> dict[int, range]:
    return dict.fromkeys(range(1, items + 1), range(1, places + 1))


@given(st.integers(1, 60), st.integers(1, 30), PERCENTS, SEEDS)
def test_the_share_is_exact_and_every_item_is_within_one_place_of_it(
    items: int, places: int, percent: int, seed: str
) -> None:
    chosen = assisted(full(items, places), percent=percent, seed=seed)
    assert abs(len(chosen) - items * places * percent / 100) <= 0.5
    for item in range(1, items + 1):
        number = sum(1 for position, _ in chosen if position == item)
        assert abs(number - places * percent / 100) < 1


@given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), PERCENTS, SEEDS)
def test_places_that_are_added_make_up_for_those_that_are_there(
    items: int, before: int, more: int, percent: int, seed: str
) -> None:
    first = assisted(full(items, before), percent=percent, seed=seed)
    held = {item: Held(before, sum(1 for at, _ in first if at == item)) for item in range(1, items + 1)}
    new = dict.fromkeys(range(1, items + 1), range(before + 1, before + more + 1))
    added = assisted(new, percent=percent, seed=seed, held=held)
    assert {number for _, number in added} <= set(range(before + 1, before + more + 1))
    for item in range(1, items + 1):
        number = held[item].assisted + sum(1 for at, _ in added if at == item)
        assert abs(number - (before + more) * percent / 100) <= 1


def test_anybody_computes_the_split_from_the_published_seed() -> None:
    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    by_hand = set()
    favoured = sorted((1, 2, 3, 4), key=lambda item: digest(f"ab12:{item}"))[:2]
    for item in (1, 2, 3, 4):
        order = sorted((1, 2, 3), key=lambda number: digest(f"ab12:{item}:{number}"))
        by_hand |= {(item, number) for number in order[: 2 if item in favoured else 1]}
    assert assisted(full(4, 3), percent=50, seed="ab12") == by_hand


def test_another_seed_is_another_split() -> None:
    splits = {frozenset(assisted(full(20, 2), percent=50, seed=str(seed))) for seed in range(20)}
    assert len(splits) == 20
