"""What there is for a member in a round, and how far they are: told without taking anything."""

import datetime as dt

import pytest
from django.utils import timezone

from labeling.models import Member, Pass, Role, Round, Slot
from labeling.selectors.own_work import drafts, last_vote, may_take_back, passes, votes
from labeling.selectors.pace import pace
from labeling.selectors.places import Prospect, free_slots, standing
from labeling.services.assignment import pass_item
from labeling.services.rounds import close_round
from labeling.services.voting import save_draft
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, take

pytestmark = pytest.mark.django_db


def prospect(member: Member, round_: Round) -> Prospect:
    """What there is for the member."""
    return standing(member=member, round_=round_).prospect


def offered(member: Member, round_: Round) -> list[Slot]:
    """The places that the member may take, in turn."""
    return [slot for places in free_slots(member=member, round_=round_) for slot in places]


def test_an_issue_waits_until_it_is_taken() -> None:
    round_, (first, _) = make_open_round()
    assert prospect(first, round_) is Prospect.NEXT
    assert not Slot.objects.exclude(member=None).exists()
    slot = take(first, round_)
    found = standing(member=first, round_=round_)
    assert found.prospect is Prospect.HELD
    assert found.held == slot.item


def test_what_others_are_at_may_come_free_later() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    slot = take(first, round_)
    assert prospect(second, round_) is Prospect.LATER
    Slot.objects.filter(pk=slot.pk).update(reserved_until=timezone.now() - dt.timedelta(seconds=1))
    assert prospect(second, round_) is Prospect.NEXT


def test_who_has_voted_on_all_is_done() -> None:
    round_, (first, _) = make_open_round()
    cast(first, round_)
    assert prospect(first, round_) is Prospect.DONE


def test_what_was_skipped_does_not_come_back() -> None:
    round_, (first, _) = make_open_round()
    pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.SKIP, reason="Mine.")
    assert prospect(first, round_) is Prospect.DONE


def test_a_closed_round_and_one_of_others_offer_nothing() -> None:
    lead = make_project()
    first, second = (make_member(lead.project) for _ in range(2))
    round_ = make_round(lead, is_open=False, votes_wanted=1)
    round_.annotators.add(first)
    Round.objects.filter(pk=round_.pk).update(state="open", opened_at=timezone.now())
    round_.refresh_from_db()
    assert prospect(second, round_) is Prospect.OTHERS
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    assert prospect(first, round_) is Prospect.SHUT


def test_a_seniors_places_come_first_for_a_senior_only() -> None:
    lead = make_project()
    junior, senior = make_member(lead.project), make_member(lead.project, is_senior=True)
    round_ = make_round(lead, votes_wanted=2, seniors_wanted=1)
    assert [slot.for_senior for slot in offered(senior, round_)] == [True, False]
    assert [slot.for_senior for slot in offered(junior, round_)] == [False]


def test_the_share_is_what_each_does_if_all_do_as_much() -> None:
    round_, people = make_open_round(annotators=4, issues=6, votes_wanted=2)
    found = pace(member=people[0], round_=round_)
    assert (found.done, found.share, found.median_seconds) == (0, 3, None)
    cast(people[0], round_)
    found = pace(member=people[0], round_=round_)
    assert (found.done, found.median_seconds) == (1, None)


def test_the_pace_is_ones_own() -> None:
    round_, (first, second) = make_open_round(issues=2)
    cast(second, round_)
    assert pace(member=first, round_=round_).done == 0
    assert not votes(member=first).exists()


def test_only_a_young_blind_vote_is_offered_to_be_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    assert last_vote(member=first, round_=round_) == vote
    assert may_take_back(vote)
    later = timezone.now() + dt.timedelta(minutes=16)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert last_vote(member=first, round_=round_) is None
    assert not may_take_back(vote)


def test_drafts_and_passes_are_ones_own_and_of_open_rounds() -> None:
    round_, (first, second) = make_open_round(issues=2)
    item = take(first, round_).item
    save_draft(member=first, item=item, content={}, revision=0, active_seconds=0)
    pass_item(member=first, item=item, kind=Pass.Kind.FLAG, reason="Odd.")
    assert [draft.item for draft in drafts(member=first)] == [item]
    assert [one.reason for one in passes(member=first)] == ["Odd."]
    assert not drafts(member=second).exists()
    assert not passes(member=second).exists()
    close_round(lead=Member.objects.get(project=round_.project, roles__contains=[Role.LEAD]), round_=round_)
    assert not drafts(member=first).exists()
