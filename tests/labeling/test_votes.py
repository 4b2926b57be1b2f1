"""A round's votes as measures and outcomes need them."""

import pytest
from pytest_django import DjangoAssertNumQueries

from labeling.ballots import Choice
from labeling.models import Member, Role, Round
from labeling.outcomes import How
from labeling.selectors.votes import axis_votes, outcomes
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_open_round

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def test_every_answer_is_a_row(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    round_, (first, second) = make_open_round(issues=2)
    cast(first, round_, symptom=("hang", "crash"))
    cast(second, round_, choices={"symptom": Choice(is_undecidable=True), "issue_type": Choice(("bug",))})
    lead = lead_of(round_)
    with django_assert_num_queries(1):
        rows = list(axis_votes(member=lead, round_=round_))
    assert [(row.position, row.axis, row.member) for row in rows] == [
        (1, "symptom", first.pk), (1, "symptom", second.pk), (1, "issue_type", first.pk), (1, "issue_type", second.pk),
    ]  # fmt: skip
    assert set(rows[0].choice.codes) == {"hang", "crash"}
    assert rows[1].choice == Choice(is_undecidable=True)


def test_outcomes_are_told_by_axis() -> None:
    round_, people = make_open_round(annotators=3, votes_wanted=3)
    for member, symptom in zip(people, ("hang", "hang", "crash"), strict=True):
        cast(member, round_, symptom=(symptom,))
    found = {one.axis: one.outcome for one in outcomes(member=lead_of(round_), round_=round_)}
    assert (found["symptom"].how, found["symptom"].support) == (How.MAJORITY, 2)
    assert found["issue_type"].how is How.UNANIMOUS


def test_outcomes_are_as_blind_as_votes() -> None:
    round_, (first, second) = make_open_round()
    cast(first, round_)
    assert outcomes(member=second, round_=round_) == []
    close_round(lead=lead_of(round_), round_=round_)
    assert len(outcomes(member=second, round_=round_)) == 2
