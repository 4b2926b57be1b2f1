"""What waits to be settled, and what stands still: right in number, nothing that its reader may not know."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.ballots import Choice
from labeling.models import Decision, Member, Pass, ProjectAxis, Proposal, Role, Round, Vote
from labeling.selectors.adjudication import desk
from labeling.selectors.disputes import Waits, standing
from labeling.selectors.to_do import ToDo, to_do
from labeling.services.assignment import pass_item
from labeling.services.decisions import accept, adjudicate
from labeling.services.people import invite, join
from labeling.services.proposals import propose, put_to_vote
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion, revise, say
from labeling.wordings import Wording
from tests.labeling.factories import cast, make_member, make_open_round, make_round, make_user, take
from tests.labeling.results.builders import annotators, lead_of, voted_round

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)
VOTES = ((HANG, CRASH), (HANG, HANG), (CRASH, HANG))


def waits(member: Member) -> ToDo:
    return to_do(members=[member])[member.pk]


def symptom(round_: Round) -> ProjectAxis:
    return ProjectAxis.objects.get(project=round_.project, code="symptom")


def numbers(pairs: Any) -> dict[int, int]:
    return {round_.number: number for round_, number in pairs}


def test_a_discussion_wants_an_answer_of_those_who_voted_and_gave_none() -> None:
    round_ = voted_round(VOTES, rule=Round.Rule.DISCUSSION)
    first, second = annotators(lead_of(round_), 2)
    third = make_member(round_.project)
    item = round_.items.get(position=1)
    assert numbers(waits(first).discussions) == numbers(waits(second).discussions) == {1: 2}
    assert not waits(third).discussions
    say(member=first, item=item, axis=symptom(round_), text="It waits.")
    revise(member=first, item=item, axis=symptom(round_), choice=Choice(HANG))
    assert numbers(waits(first).discussions) == {1: 1}
    assert numbers(waits(second).discussions) == {1: 2}
    assert "your answer in 2 discussions" in waits(second).texts


def test_nothing_is_discussed_before_the_release() -> None:
    round_, (first, second) = make_open_round(rule=Round.Rule.DISCUSSION)
    cast(first, round_, symptom=HANG)
    cast(second, round_, symptom=CRASH)
    assert waits(first) == waits(second) == ToDo()


def test_an_adjudicator_has_opinions_and_then_decisions_and_none_on_what_they_voted_on() -> None:
    round_ = voted_round(VOTES, rule=Round.Rule.THIRD_EXPERT)
    judge = make_member(round_.project, Role.ADJUDICATOR)
    assert (waits(judge).opinions, waits(judge).decisions) == (2, 0)
    item = round_.items.get(position=1)
    for axis in ProjectAxis.objects.filter(project=round_.project):
        give_opinion(adjudicator=judge, item=item, axis=axis, choice=Choice(HANG if axis.several else ("bug",)))
    assert (waits(judge).opinions, waits(judge).decisions) == (1, 1)
    found = desk(adjudicator=judge)
    assert (len(found.opinions), len(found.decisions)) == (1, 1)
    adjudicate(
        adjudicator=judge, item=item, axis=symptom(round_), choice=Choice(HANG), cause=Decision.Cause.SLIP,
        reason="The log ends in a wait.",
    )  # fmt: skip
    assert (waits(judge).opinions, waits(judge).decisions) == (1, 0)
    voter = annotators(lead_of(round_), 1)[0]
    Member.objects.filter(pk=voter.pk).update(roles=[Role.ANNOTATOR, Role.ADJUDICATOR])
    voter.refresh_from_db()
    assert (waits(voter).opinions, waits(voter).decisions) == (0, 0)


def test_a_lead_has_what_the_votes_decide_until_it_is_accepted() -> None:
    round_ = voted_round((*VOTES, (HANG, HANG)))
    lead = lead_of(round_)
    # Four issues with one type each, and two with one symptom.
    assert numbers(waits(lead).accepting) == {1: 6}
    found = standing(member=lead, round_=round_)
    assert found.agreed[1].open + sum(one.waits is Waits.LEAD for one in found.disputes) == 6
    assert "6 answers to accept" in waits(lead).texts
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    assert not waits(lead).accepting


def test_a_lead_who_adjudicates_is_not_told_what_the_votes_say_before_an_opinion() -> None:
    round_ = voted_round(VOTES)
    lead = lead_of(round_)
    Member.objects.filter(pk=lead.pk).update(roles=[Role.LEAD, Role.ADJUDICATOR])
    lead.refresh_from_db()
    assert not waits(lead).accepting
    agreed = round_.items.get(position=2)
    for axis in ProjectAxis.objects.filter(project=round_.project):
        give_opinion(adjudicator=lead, item=agreed, axis=axis, choice=Choice(HANG if axis.several else ("bug",)))
    assert numbers(waits(lead).accepting) == {1: 2}
    found = standing(member=lead, round_=round_)
    assert found.agreed[1].open == 2


def test_a_lead_learns_what_stands_still_and_one_who_votes_does_not() -> None:
    round_, (first, second) = make_open_round(issues=2)
    lead = lead_of(round_)
    Round.objects.filter(pk=round_.pk).update(opened_at=timezone.now() - dt.timedelta(days=8))
    assert [one.pk for one in waits(lead).idle] == [round_.pk]
    cast(first, round_)
    assert not waits(lead).idle
    pass_item(member=second, item=take(second, round_).item, kind=Pass.Kind.FLAG, reason="Two faults in one.")
    assert waits(lead).flagged == 1
    assert not waits(lead).complete
    Member.objects.filter(pk=lead.pk).update(roles=[Role.LEAD, Role.ANNOTATOR])
    lead.refresh_from_db()
    told = waits(lead)
    assert (told.flagged, told.idle, told.complete, told.asked) == (0, (), (), 0)


def test_a_round_with_all_its_votes_wants_to_be_closed() -> None:
    round_, people = make_open_round()
    for member in people:
        assert not waits(lead_of(round_)).complete
        cast(member, round_)
    assert [one.pk for one in waits(lead_of(round_)).complete] == [round_.pk]
    close_round(lead=lead_of(round_), round_=round_)
    assert not waits(lead_of(round_)).complete


def test_ballots_wait_for_who_is_asked_and_the_lead_learns_that_they_are_missing() -> None:
    round_ = voted_round(VOTES)
    author, other = annotators(lead_of(round_), 2)
    made = propose(
        author=author, axis=symptom(round_), kind=Proposal.Kind.ADD, reason="Missing.",
        wording=[Wording("stall", "Stall", "It goes on, but hardly.")],
    )  # fmt: skip
    assert (waits(other).ballots, waits(lead_of(round_)).asked) == (0, 0)
    put_to_vote(member=author, proposal=made)
    assert (waits(other).ballots, waits(lead_of(round_)).asked) == (1, 1)
    assert waits(other).asked == 0


def test_many_projects_and_issues_cost_what_one_costs() -> None:
    user, members = make_user(), []

    def another(issues: int) -> None:
        votes = ((HANG, CRASH),) * issues
        lead = lead_of(voted_round(votes, rule=Round.Rule.DISCUSSION))
        _, token = invite(lead=lead, roles=[Role.ADJUDICATOR, Role.LEAD])
        members.append(join(user=user, token=token))
        make_round(lead, is_open=False)

    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            to_do(members=members)
        return len(asked)

    another(1)
    few = cost()
    another(3)
    another(2)
    assert cost() == few <= 22
    assert Vote.objects.count() == 12
