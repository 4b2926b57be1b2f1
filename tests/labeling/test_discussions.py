"""Discussion first: when a discussion counts as held, how it ends, and who goes on then."""

import datetime as dt

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from labeling.models import Decision, DiscussionEnd, Item, Member, ProjectAxis, Revision, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.acceptance import preview
from labeling.selectors.adjudication import Stalled, desk, stalled
from labeling.selectors.disputes import Dispute, Waits, disputes
from labeling.services.decisions import accept, adjudicate
from labeling.services.discussions import (
    change_discussion_days,
    end_discussion,
    end_discussions,
    resume_discussion,
)
from labeling.services.people import leave
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion, revise, say, stay, take_answer
from tests.labeling.factories import cast, make_member, make_open_round, make_round
from tests.labeling.test_settling import CRASH, HANG, lead_of

pytestmark = pytest.mark.django_db
REASON = "Rank 3 waits in the log for ever."


class Discussed:
    """A released issue with these votes on its symptom, where discussion comes first."""

    def __init__(self, *symptoms: str, rule: Round.Rule = Round.Rule.DISCUSSION) -> None:
        self.round, self.people = make_open_round(annotators=len(symptoms), votes_wanted=len(symptoms), rule=rule)
        for member, symptom in zip(self.people, symptoms, strict=True):
            cast(member, self.round, symptom=(symptom,))
        self.lead = lead_of(self.round)
        close_round(lead=self.lead, round_=self.round)
        self.item = Item.objects.get(round=self.round)
        self.axis = ProjectAxis.objects.get(project=self.round.project, code="symptom")

    def dispute(self) -> Dispute:
        (one,) = disputes(member=self.lead, round_=self.round)
        return one

    def stay(self, *members: Member) -> None:
        for member in members:
            stay(member=member, item=self.item, axis=self.axis)

    def say(self, member: Member, text: str) -> None:
        say(member=member, item=self.item, axis=self.axis, text=text)

    def take(self, member: Member, voter: Member, revision: int = 0) -> Revision:
        return take_answer(member=member, item=self.item, axis=self.axis, voter=voter, revision=revision)

    def accept(self) -> int:
        """How many answers are accepted besides the issue's type, on which all agree."""
        expected = preview(member=self.lead, round_=self.round, how=Decision.How.DISCUSSION)
        accepted = accept(lead=self.lead, round_=self.round, how=Decision.How.DISCUSSION)
        assert expected is not None
        assert expected.total == accepted
        return Decision.objects.filter(axis=self.axis, reopened_at=None).count()

    def outdate(self, days: int) -> None:
        """Let so many days pass since the release, in a round whose discussions have seven."""
        change_discussion_days(lead=self.lead, round_=self.round, days=7)
        Item.objects.filter(pk=self.item.pk).update(released_at=timezone.now() - dt.timedelta(days=days))
        self.item.refresh_from_db()
        self.round.refresh_from_db()


@pytest.fixture
def two_to_one() -> Discussed:
    return Discussed("hang", "hang", "crash")


@pytest.mark.parametrize("text", ["ok", "I agree with A.", "+1 " * 9, "!!! ... ??? --- !!! ... ??? ---"])
def test_a_post_without_substance_does_not_count(two_to_one: Discussed, text: str) -> None:
    first, second, third = two_to_one.people
    two_to_one.stay(first, second)
    two_to_one.say(third, text)
    assert two_to_one.dispute().missing == {third.pk}
    assert two_to_one.accept() == 0


@pytest.mark.parametrize("text", [REASON, "\u65e5\u5fd7\u663e\u793a\u8fdb\u7a0b\u4e00\u76f4\u7b49\u5f85"])
def test_a_post_of_substance_counts_in_any_language(two_to_one: Discussed, text: str) -> None:
    for member in two_to_one.people:
        two_to_one.say(member, text)
    assert two_to_one.dispute().missing == frozenset()
    assert two_to_one.accept() == 1


def test_a_discussion_is_held_when_every_voter_wrote_or_chose(two_to_one: Discussed) -> None:
    first, second, third = two_to_one.people
    two_to_one.say(first, REASON)
    two_to_one.stay(second)
    assert (two_to_one.dispute().waits, two_to_one.accept()) == (Waits.ANNOTATORS, 0)
    two_to_one.stay(third)
    assert two_to_one.dispute().waits is Waits.LEAD
    assert two_to_one.accept() == 1


def test_a_discussion_does_not_wait_for_who_left(two_to_one: Discussed) -> None:
    first, second, third = two_to_one.people
    two_to_one.stay(first, second)
    leave(member=third)
    assert two_to_one.dispute().waits is Waits.LEAD


def test_without_a_majority_the_adjudicator_follows() -> None:
    discussed = Discussed("hang", "crash")
    discussed.stay(*discussed.people)
    assert discussed.dispute().waits is Waits.ADJUDICATOR


def test_the_last_choice_counts_and_says_how_it_came(two_to_one: Discussed) -> None:
    first, second, third = two_to_one.people
    two_to_one.take(third, first)
    two_to_one.stay(first, second)
    revise(member=third, item=two_to_one.item, axis=two_to_one.axis, choice=CRASH)
    two_to_one.stay(third)
    kinds = Revision.objects.filter(member=third).values_list("kind", "taken_from", "versions__node__code")
    assert list(kinds.order_by("pk")) == [("take", first.pk, "hang"), ("own", None, "crash"), ("stay", None, "crash")]
    two_to_one.accept()
    assert Decision.objects.get(axis=two_to_one.axis).versions.get().node.code == "hang"


def test_taking_takes_what_the_other_answers_now() -> None:
    discussed = Discussed("hang", "crash")
    first, second = discussed.people
    changed = revise(member=first, item=discussed.item, axis=discussed.axis, choice=HANG)
    with pytest.raises(RefusedError, match="changed a moment ago"):
        discussed.take(second, first)
    assert discussed.take(second, first, changed.pk).versions.get().node.code == "hang"
    with pytest.raises(RefusedError, match="yours"):
        discussed.take(first, first, changed.pk)


def test_who_did_not_vote_neither_stays_nor_is_taken_from(two_to_one: Discussed) -> None:
    other = make_member(two_to_one.round.project)
    with pytest.raises(RefusedError, match="Only annotators who voted"):
        two_to_one.stay(other)
    with pytest.raises(RefusedError, match="no vote"):
        two_to_one.take(two_to_one.people[0], other)


def test_postgres_knows_whose_answer_was_taken(two_to_one: Discussed) -> None:
    first = two_to_one.people[0]
    for kind, taken_from in (("take", None), ("take", first), ("stay", two_to_one.people[1])):
        with pytest.raises(IntegrityError, match="revision_taken_from_another"), transaction.atomic():
            Revision.objects.create(
                item=two_to_one.item, axis=two_to_one.axis, member=first, kind=kind, taken_from=taken_from
            )


def test_after_the_deadline_the_rule_goes_on_and_late_answers_still_count(two_to_one: Discussed) -> None:
    first, second, third = two_to_one.people
    two_to_one.outdate(6)
    assert (two_to_one.dispute().waits, two_to_one.dispute().is_stalled) == (Waits.ANNOTATORS, False)
    two_to_one.outdate(8)
    late = two_to_one.dispute()
    assert (late.waits, late.is_stalled, late.missing) == (Waits.LEAD, True, frozenset({first.pk, second.pk, third.pk}))
    two_to_one.take(first, third)
    two_to_one.take(second, third)
    two_to_one.accept()
    assert Decision.objects.get(axis=two_to_one.axis).versions.get().node.code == "crash"


def test_the_lead_ends_a_discussion_and_takes_that_back(two_to_one: Discussed) -> None:
    lead, item, axis = two_to_one.lead, two_to_one.item, two_to_one.axis
    end = end_discussion(lead=lead, item=item, axis=axis)
    assert (end.member, two_to_one.dispute().waits, two_to_one.dispute().missing) == (lead, Waits.LEAD, frozenset())
    for act in (
        lambda: two_to_one.stay(two_to_one.people[0]), lambda: two_to_one.say(two_to_one.people[0], REASON),
        lambda: end_discussion(lead=lead, item=item, axis=axis),
    ):  # fmt: skip
        with pytest.raises(RefusedError, match="ended this discussion"):
            act()
    resume_discussion(lead=lead, item=item, axis=axis)
    assert two_to_one.dispute().waits is Waits.ANNOTATORS
    with pytest.raises(RefusedError, match="not ended"):
        resume_discussion(lead=lead, item=item, axis=axis)
    two_to_one.stay(*two_to_one.people)
    end_discussion(lead=lead, item=item, axis=axis)
    assert two_to_one.accept() == 1
    assert list(DiscussionEnd.objects.values_list("taken_back_by", flat=True)) == [lead.pk, None]
    with pytest.raises(RefusedError, match="decided"):
        resume_discussion(lead=lead, item=item, axis=axis)


def test_all_discussions_that_wait_are_ended_at_once() -> None:
    round_, (first, second) = make_open_round(issues=3, rule=Round.Rule.DISCUSSION)
    for symptom in ("hang", "hang", "hang"):
        cast(first, round_, symptom=(symptom,))
    for symptom in ("hang", "crash", "crash"):
        cast(second, round_, symptom=(symptom,))
    lead = lead_of(round_)
    close_round(lead=lead, round_=round_)
    axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
    held = disputes(member=lead, round_=round_)[0]
    for member in (first, second):
        stay(member=member, item=Item.objects.get(pk=held.item), axis=axis)
    assert end_discussions(lead=lead, round_=round_) == 1
    assert end_discussions(lead=lead, round_=round_) == 0
    assert not DiscussionEnd.objects.filter(item=held.item).exists()


def test_only_a_lead_ends_discussions_and_only_where_votes_differ(two_to_one: Discussed) -> None:
    first, kind = two_to_one.people[0], ProjectAxis.objects.get(project=two_to_one.round.project, code="issue_type")
    with pytest.raises(RefusedError, match="lead"):
        end_discussion(lead=first, item=two_to_one.item, axis=two_to_one.axis)
    with pytest.raises(RefusedError, match="do not differ"):
        end_discussion(lead=two_to_one.lead, item=two_to_one.item, axis=kind)
    with pytest.raises(RefusedError, match="another project"):
        end_discussion(lead=lead_of(make_open_round()[0]), item=two_to_one.item, axis=two_to_one.axis)
    majority = Discussed("hang", "crash", rule=Round.Rule.MAJORITY)
    with pytest.raises(RefusedError, match="no decision waits"):
        end_discussion(lead=majority.lead, item=majority.item, axis=majority.axis)


def test_a_lead_who_adjudicates_ends_no_discussion_unseen(two_to_one: Discussed) -> None:
    Member.objects.filter(pk=two_to_one.lead.pk).update(roles=[Role.LEAD, Role.ADJUDICATOR])
    lead = Member.objects.get(pk=two_to_one.lead.pk)
    with pytest.raises(RefusedError, match="first opinion"):
        end_discussion(lead=lead, item=two_to_one.item, axis=two_to_one.axis)
    assert end_discussions(lead=lead, round_=two_to_one.round) == 0


def test_postgres_keeps_every_end_of_a_discussion(two_to_one: Discussed) -> None:
    end = end_discussion(lead=two_to_one.lead, item=two_to_one.item, axis=two_to_one.axis)
    with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
        end.delete()
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        DiscussionEnd.objects.update(member=two_to_one.people[0])
    blind = Item.objects.get(round=make_round(two_to_one.lead))
    with pytest.raises(IntegrityError, match="after its release"), transaction.atomic():
        DiscussionEnd.objects.create(item=blind, axis=two_to_one.axis, member=two_to_one.lead)


def test_an_adjudicator_decides_only_after_the_discussion(two_to_one: Discussed) -> None:
    adjudicator, item, axis = make_member(two_to_one.round.project, Role.ADJUDICATOR), two_to_one.item, two_to_one.axis
    give_opinion(adjudicator=adjudicator, item=item, axis=axis, choice=HANG)

    def decide() -> Decision:
        return adjudicate(
            adjudicator=adjudicator, item=item, axis=axis, choice=HANG, cause=Decision.Cause.SLIP, reason=REASON
        )

    with pytest.raises(RefusedError, match="still discussing"):
        decide()
    end_discussion(lead=two_to_one.lead, item=item, axis=axis)
    assert decide().how == Decision.How.ADJUDICATION


def test_the_desk_lists_what_is_overdue_and_tells_whom_it_waits_for_only_after_a_first_opinion() -> None:
    discussed = Discussed("hang", "crash")
    adjudicator = make_member(discussed.round.project, Role.ADJUDICATOR)
    assert stalled(adjudicator=adjudicator) == []
    discussed.outdate(8)
    discussed.stay(discussed.people[0])
    assert stalled(adjudicator=adjudicator) == [Stalled(discussed.item.pk)]
    assert list(desk(adjudicator=adjudicator).opinions) == [discussed.item.pk]
    give_opinion(adjudicator=adjudicator, item=discussed.item, axis=discussed.axis, choice=HANG)
    accept(lead=discussed.lead, round_=discussed.round, how=Decision.How.UNANIMOUS)
    missing = frozenset({discussed.people[1].pk})
    assert stalled(adjudicator=adjudicator) == [Stalled(discussed.item.pk, "symptom", missing)]
    discussed.stay(discussed.people[1])
    assert stalled(adjudicator=adjudicator) == []


def test_the_desk_keeps_an_overdue_discussion_that_waits_for_the_lead_from_who_gave_no_opinion(
    two_to_one: Discussed,
) -> None:
    adjudicator = make_member(two_to_one.round.project, Role.ADJUDICATOR)
    two_to_one.outdate(8)
    assert two_to_one.dispute().is_stalled
    assert stalled(adjudicator=adjudicator) == []


def test_a_discussion_has_between_a_day_and_a_year(two_to_one: Discussed) -> None:
    for days in (0, 366):
        with pytest.raises(RefusedError, match="between 1 and 365"):
            change_discussion_days(lead=two_to_one.lead, round_=two_to_one.round, days=days)
    with pytest.raises(IntegrityError, match="round_discusses_for_a_day"), transaction.atomic():
        Round.objects.update(discussion_days=0)
