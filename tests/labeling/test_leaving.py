"""Whoever leaves, nothing is left that cannot be resolved: their votes stay, their places and issues go on."""

import pytest

from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, ProjectAxis, Role, Round, Slot, Vote
from labeling.services.assignment import next_slot
from labeling.services.decisions import adjudicate
from labeling.services.people import leave
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion
from labeling.services.voting import submit
from tests.labeling.factories import cast, make_ballot, make_member, make_open_round, take

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def test_those_who_stay_complete_every_issue() -> None:
    round_, (leaver, *others) = make_open_round(annotators=3, issues=3, votes_wanted=2)
    cast(leaver, round_)
    take(leaver, round_)
    leave(member=leaver)
    for member in others:
        while slot := next_slot(member=member, round_=round_):
            submit(member=member, item=slot.item, ballot=make_ballot())
    assert not Slot.objects.filter(item__round=round_, vote=None).exists()
    assert Vote.objects.filter(member=leaver).count() == 1
    assert close_round(lead=lead_of(round_), round_=round_) == 0


def test_an_issue_that_waits_for_nobody_any_more_is_closed_and_settled() -> None:
    round_, (leaver, other) = make_open_round(annotators=2, issues=1, votes_wanted=2)
    cast(other, round_)
    leave(member=leaver)
    assert next_slot(member=other, round_=round_) is None
    assert close_round(lead=lead_of(round_), round_=round_) == 1
    adjudicator = make_member(round_.project, Role.ADJUDICATOR)
    item = Item.objects.get(round=round_)
    for axis in ProjectAxis.objects.filter(project=round_.project):
        choice = Choice(("crash",) if axis.code == "symptom" else ("bug",))
        give_opinion(adjudicator=adjudicator, item=item, axis=axis, choice=choice)
        adjudicate(
            adjudicator=adjudicator, item=item, axis=axis, choice=choice, cause=Decision.Cause.REPORT, reason="The log."
        )
    assert Decision.objects.filter(item=item, reopened_at=None).count() == 2


def test_another_adjudicator_goes_on_where_one_left_after_a_first_opinion() -> None:
    round_, people = make_open_round(annotators=2, issues=1, votes_wanted=2)
    for place, member in enumerate(people):
        cast(member, round_, symptom=("hang",) if place else ("crash",))
    close_round(lead=lead_of(round_), round_=round_)
    first, second = (make_member(round_.project, Role.ADJUDICATOR) for _ in range(2))
    item, axis = Item.objects.get(round=round_), ProjectAxis.objects.get(project=round_.project, code="symptom")
    give_opinion(adjudicator=first, item=item, axis=axis, choice=Choice(("hang",)))
    leave(member=first)
    give_opinion(adjudicator=second, item=item, axis=axis, choice=Choice(("crash",)))
    made = adjudicate(
        adjudicator=second,
        item=item,
        axis=axis,
        choice=Choice(("crash",)),
        cause=Decision.Cause.SLIP,
        reason="It died.",
    )
    assert made.support == 1
