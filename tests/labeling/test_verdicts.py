"""What blind votes say together, counted in Postgres: as `outcomes` says of each. It is kept until more is released."""

from typing import Any

import pytest

from labeling.ballots import Choice
from labeling.models import Item, Round
from labeling.outcomes import How
from labeling.selectors.verdicts import AxisVerdict, verdicts
from labeling.selectors.votes import all_outcomes
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_open_round
from tests.labeling.results.builders import voted_round
from tests.labeling.test_settling import lead_of

pytestmark = pytest.mark.django_db
HANG, CRASH, BOTH = ("hang",), ("crash",), ("hang", "crash")


def said(round_: Round) -> list[tuple[int, str, How, int]]:
    return [
        (pk, axis, one.how, one.votes)
        for pk, item in verdicts(rounds=[round_.pk])[round_.pk].items()
        for axis, one in item.axes.items()
    ]


@pytest.mark.parametrize(
    "votes",
    [
        (HANG, HANG, HANG),
        (BOTH, BOTH, ("crash", "hang")),
        (BOTH, HANG, HANG),
        (BOTH, BOTH, HANG),
        (HANG, HANG, CRASH),
        (HANG, CRASH),
        (BOTH, HANG),
        (HANG,),
    ],
)
def test_the_counts_say_what_the_answers_say_one_by_one(votes: tuple[tuple[str, ...], ...]) -> None:
    round_ = voted_round((votes, votes[::-1]))
    expected = [(one.item, one.axis, one.outcome.how, one.outcome.votes) for one in all_outcomes(round_=round_)]
    assert said(round_) == expected


def test_that_the_report_does_not_tell_is_an_answer_like_others() -> None:
    round_, people = make_open_round(annotators=3, votes_wanted=3)
    untold, told = Choice(is_undecidable=True), Choice(HANG)
    for member, symptom in zip(people, (untold, untold, told), strict=True):
        cast(member, round_, choices={"symptom": symptom, "issue_type": Choice(("bug",))})
    close_round(lead=lead_of(round_), round_=round_)
    (item,) = verdicts(rounds=[round_.pk])[round_.pk].values()
    assert item.axes["symptom"] == AxisVerdict(How.MAJORITY, 3)
    assert item.people == {member.pk for member in people}


def test_what_is_still_blind_is_not_there_and_comes_with_its_release() -> None:
    round_, people = make_open_round(annotators=2, issues=2, votes_wanted=2, release=Round.Release.ISSUE)
    for member in people:
        cast(member, round_)
    first, second = Item.objects.filter(round=round_).order_by("position")
    assert list(verdicts(rounds=[round_.pk])[round_.pk]) == [first.pk]
    for member in people:
        cast(member, round_)
    assert list(verdicts(rounds=[round_.pk])[round_.pk]) == [first.pk, second.pk]


@pytest.mark.parametrize("issues", [1, 8])
def test_what_is_known_costs_one_statement(issues: int, django_assert_num_queries: Any) -> None:
    round_ = voted_round(((HANG, CRASH),) * issues)
    with django_assert_num_queries(6):
        first = verdicts(rounds=[round_.pk])
    with django_assert_num_queries(1):
        assert verdicts(rounds=[round_.pk]) == first
