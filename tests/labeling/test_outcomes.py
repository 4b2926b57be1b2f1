"""What several votes on one axis say together."""

import random

from hypothesis import given
from hypothesis import strategies as st

from labeling.ballots import Choice
from labeling.outcomes import How, outcome

HANG, CRASH, BOTH = Choice(("hang",)), Choice(("crash",)), Choice(("hang", "crash"))
UNTOLD = Choice(is_undecidable=True)
choices = st.one_of(
    st.just(UNTOLD), st.sets(st.sampled_from("abcd"), min_size=1).map(lambda codes: Choice(tuple(codes)))
)


def test_the_same_answer_of_all_is_unanimous_in_whatever_order_it_was_given() -> None:
    found = outcome([BOTH, Choice(("crash", "hang"))])
    assert (found.how, found.choice, found.support) == (How.UNANIMOUS, Choice(("crash", "hang")), 2)


def test_more_than_half_is_a_majority() -> None:
    found = outcome([HANG, HANG, CRASH])
    assert (found.how, found.choice, found.votes, found.support) == (How.MAJORITY, HANG, 3, 2)


def test_half_is_a_conflict() -> None:
    assert outcome([HANG, CRASH]).how is How.CONFLICT
    assert outcome([HANG, HANG, CRASH, CRASH]).how is How.CONFLICT


def test_of_several_answers_each_needs_its_own_majority() -> None:
    found = outcome([BOTH, HANG, Choice(("hang", "slow"))])
    assert (found.how, found.choice, found.support) == (How.MAJORITY, HANG, 1)


def test_that_the_report_does_not_tell_can_be_the_majority() -> None:
    assert outcome([UNTOLD, UNTOLD, HANG]).choice == UNTOLD
    assert outcome([UNTOLD, HANG]).how is How.CONFLICT


def test_one_vote_agrees_with_itself_and_none_says_nothing() -> None:
    assert outcome([HANG]).how is How.UNANIMOUS
    assert outcome([]).how is How.NO_VOTES


@given(st.lists(choices, min_size=1, max_size=9), st.randoms())
def test_the_order_of_votes_does_not_count(votes: list[Choice], chance: random.Random) -> None:
    shuffled = list(votes)
    chance.shuffle(shuffled)
    assert outcome(votes) == outcome(shuffled)


@given(st.lists(choices, min_size=1, max_size=9))
def test_a_majority_is_named_by_more_than_half_and_a_conflict_names_nothing(votes: list[Choice]) -> None:
    found = outcome(votes)
    if found.how is How.CONFLICT:
        assert found.choice == Choice()
    for code in found.choice.codes:
        assert sum(code in vote.codes for vote in votes) * 2 > len(votes)
