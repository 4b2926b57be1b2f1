"""Samples that can be drawn again: the same seed gives the same issues, whatever else the knowledge base holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.samples import (
    proportional,
    random_sample,
    search_query,
    shuffled,
    stratified_sample,
    tidy_address,
)  # fmt: skip

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


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("https://example.org/issues/?q=hang&framework=vllm#results", "q=hang&framework=vllm"),
        ("/issues/?q=hang", "q=hang"),
        ("?q=hang&state=open", "q=hang&state=open"),
        ("framework=vllm", "framework=vllm"),
        ("NCCL timeout", "q=NCCL+timeout"),
        ("timeout=30 has no effect", "q=timeout%3D30+has+no+effect"),
        ("  ", ""),
        ("https://example.org/issues/", ""),
    ],
)
def test_a_search_is_taken_from_an_address_or_from_words(text: str, query: str) -> None:
    assert search_query(text) == query


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/a/b/issues/12",
        "http://www.github.com/a/b/issues/12/",
        "github.com/a/b/issues/12?page=2",
        "<https://github.com/a/b/issues/12#issuecomment-3>,",
        "a/b#12",
    ],
)
def test_an_address_is_written_as_the_knowledge_base_writes_it(text: str) -> None:
    assert tidy_address(text) == "https://github.com/a/b/issues/12"


def test_what_is_no_address_stays_as_it_is() -> None:
    assert tidy_address("see below") == "see below"
