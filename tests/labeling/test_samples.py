"""Samples that can be drawn again: the same seed gives the same issues, whatever else the knowledge base holds."""

from hypothesis import given
from hypothesis import strategies as st

from labeling.samples import proportional, random_sample, shuffled, stratified_sample

ADDRESSES = [f"https://example.org/issues/{number}" for number in range(200)]
sizes = st.dictionaries(st.text(max_size=3), st.integers(0, 500), max_size=8)


def test_the_same_seed_draws_the_same_sample_in_any_order() -> None:
    drawn = random_sample(ADDRESSES, size=20, seed="one")
    assert drawn == random_sample(reversed(ADDRESSES), size=20, seed="one")
    assert drawn != random_sample(ADDRESSES, size=20, seed="two")
    assert len(set(drawn)) == 20


def test_a_larger_sample_begins_with_the_smaller_one() -> None:
    assert random_sample(ADDRESSES, size=50, seed="s")[:20] == random_sample(ADDRESSES, size=20, seed="s")


def test_a_new_issue_moves_none_of_the_others() -> None:
    grown = shuffled([*ADDRESSES, "https://example.org/issues/new"], "s")
    assert [one for one in grown if not one.endswith("new")] == shuffled(ADDRESSES, "s")


def test_a_stratified_sample_keeps_the_shares() -> None:
    strata = {"vllm": ADDRESSES[:150], "deepspeed": ADDRESSES[150:]}
    drawn = stratified_sample(strata, size=20, seed="s")
    assert sum(one in strata["vllm"] for one in drawn) == 15
    assert len(drawn) == 20


def test_places_that_do_not_divide_go_to_the_largest_remainders() -> None:
    assert proportional({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    assert proportional({"a": 47, "b": 16, "c": 16, "d": 21}, 10) == {"a": 5, "b": 2, "c": 1, "d": 2}


@given(sizes, st.integers(0, 2_000))
def test_shares_sum_up_and_never_exceed_what_there_is(strata: dict[str, int], places: int) -> None:
    shares = proportional(strata, places)
    assert sum(shares.values()) == min(places, sum(strata.values()))
    assert all(0 <= shares[name] <= size for name, size in strata.items())
