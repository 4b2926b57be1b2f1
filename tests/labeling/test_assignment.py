"""Handing out issues: each to as many different people as votes are wanted, whatever happens at once."""

import datetime as dt
import threading
from collections import Counter

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from labeling.models import Item, Member, Pass, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.services.assignment import next_slot, pass_item, take_item
from labeling.services.people import leave
from labeling.services.rounds import change_votes_wanted
from labeling.services.voting import submit
from tests.labeling.factories import cast, make_ballot, make_member, make_open_round, make_project, make_round, take

pytestmark = pytest.mark.django_db


def run_out(slot: Slot) -> None:
    """Let a reservation run out."""
    Slot.objects.filter(pk=slot.pk).update(reserved_until=timezone.now() - dt.timedelta(seconds=1))


def test_an_issue_goes_to_as_many_people_as_votes_are_wanted() -> None:
    round_, people = make_open_round(annotators=3, issues=1, votes_wanted=2)
    slots = [next_slot(member=member, round_=round_) for member in people]
    assert [slot is not None for slot in slots] == [True, True, False]


def test_who_asks_again_gets_the_same_issue() -> None:
    round_, (first, _) = make_open_round(issues=3)
    assert take(first, round_).pk == take(first, round_).pk


def test_the_next_issue_comes_after_the_vote() -> None:
    round_, (first, _) = make_open_round(issues=2)
    positions = [cast(first, round_).item.position for _ in range(2)]
    assert positions == [1, 2]
    assert next_slot(member=first, round_=round_) is None


def test_a_reservation_that_ran_out_goes_to_who_asks_next() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    slot = take(first, round_)
    assert next_slot(member=second, round_=round_) is None
    run_out(slot)
    assert take(second, round_).pk == slot.pk
    with pytest.raises(RefusedError, match="someone else has the issue"):
        submit(member=first, item=slot.item, ballot=make_ballot())


def test_a_reservation_that_ran_out_is_still_good_while_nobody_took_it() -> None:
    round_, (first, _) = make_open_round(votes_wanted=1)
    slot = take(first, round_)
    run_out(slot)
    assert submit(member=first, item=slot.item, ballot=make_ballot()).slot_id == slot.pk


def test_a_seniors_place_is_kept_for_a_senior() -> None:
    lead = make_project()
    juniors = [make_member(lead.project) for _ in range(2)]
    senior = make_member(lead.project, is_senior=True)
    round_ = make_round(lead, votes_wanted=2, seniors_wanted=1)
    assert take(juniors[0], round_).for_senior is False
    assert next_slot(member=juniors[1], round_=round_) is None
    assert take(senior, round_).for_senior is True


def test_a_skipped_issue_goes_to_others_and_not_back() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    slot = take(first, round_)
    pass_item(member=first, item=slot.item, kind=Pass.Kind.SKIP, reason="I wrote this report.")
    assert next_slot(member=first, round_=round_) is None
    assert take(second, round_).item_id == slot.item_id


def test_who_skipped_may_change_their_mind() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    pass_item(member=first, item=item, kind=Pass.Kind.SKIP, reason="Later.")
    assert take_item(member=first, item=item).member_id == first.pk
    assert not Pass.objects.filter(taken_back_at=None).exists()


def test_passing_wants_a_reason() -> None:
    round_, (first, _) = make_open_round()
    with pytest.raises(RefusedError, match="Say briefly why"):
        pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.FLAG, reason=" ")


def test_who_leaves_frees_their_places_and_keeps_their_votes() -> None:
    round_, (first, second) = make_open_round(issues=2, votes_wanted=1)
    vote = cast(first, round_)
    open_slot = take(first, round_)
    assert leave(member=first) == 1
    assert take(second, round_).pk == open_slot.pk
    assert Vote.objects.get(pk=vote.pk).member_id == first.pk
    with pytest.raises(RefusedError, match="Only somebody who is annotator"):
        next_slot(member=first, round_=round_)


def test_an_observer_gets_nothing_to_label() -> None:
    round_, _ = make_open_round()
    observer = make_member(round_.project, Role.OBSERVER)
    with pytest.raises(RefusedError, match="Only somebody who is annotator"):
        next_slot(member=observer, round_=round_)


def test_a_member_of_another_project_gets_nothing() -> None:
    round_, _ = make_open_round()
    stranger = make_member(make_project().project)
    with pytest.raises(RefusedError, match="another project"):
        next_slot(member=stranger, round_=round_)


def test_only_chosen_annotators_label_a_round() -> None:
    lead = make_project()
    chosen, other = make_member(lead.project), make_member(lead.project)
    round_ = make_round(lead, votes_wanted=1)
    round_.annotators.add(chosen)
    assert next_slot(member=chosen, round_=round_)
    with pytest.raises(RefusedError, match="by other members"):
        next_slot(member=other, round_=round_)


def test_more_votes_can_be_wanted_later() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    cast(first, round_)
    assert next_slot(member=second, round_=round_) is None
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    assert change_votes_wanted(lead=lead, round_=round_, wanted=2) == 1
    assert take(second, round_)


def test_fewer_votes_take_empty_places_away() -> None:
    round_, _ = make_open_round(annotators=3, issues=2, votes_wanted=3)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    assert change_votes_wanted(lead=lead, round_=round_, wanted=1) == -4
    assert Counter(Slot.objects.values_list("item", flat=True)) == dict.fromkeys(
        Item.objects.values_list("pk", flat=True), 1
    )


def test_fewer_votes_than_there_are_leave_the_votes() -> None:
    round_, people = make_open_round(annotators=3, issues=2, votes_wanted=3)
    for member in people[:2]:
        cast(member, round_)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    change_votes_wanted(lead=lead, round_=round_, wanted=1)
    for item in Item.objects.all():
        votes = Vote.objects.filter(item=item).count()
        assert Slot.objects.filter(item=item).count() == max(1, votes)


def test_fewer_votes_take_places_from_people_at_work_last() -> None:
    round_, people = make_open_round(annotators=3, votes_wanted=3)
    held = take(people[0], round_)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    change_votes_wanted(lead=lead, round_=round_, wanted=1)
    assert [slot.pk for slot in Slot.objects.all()] == [held.pk]


def test_fewer_votes_release_what_is_complete_where_issues_are_released() -> None:
    round_, (first, _) = make_open_round(release=Round.Release.ISSUE)
    item = cast(first, round_).item
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    change_votes_wanted(lead=lead, round_=round_, wanted=1)
    item.refresh_from_db()
    assert item.released_at is not None


def test_more_votes_after_fewer_give_every_issue_exactly_so_many_places() -> None:
    round_, people = make_open_round(annotators=3, issues=3, votes_wanted=3)
    cast(people[0], round_)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    for wanted in (1, 3, 2):
        change_votes_wanted(lead=lead, round_=round_, wanted=wanted)
        assert set(Counter(Slot.objects.values_list("item", flat=True)).values()) == {wanted}


def test_postgres_refuses_two_places_of_one_person_on_an_issue() -> None:
    round_, (first, _) = make_open_round(votes_wanted=2)
    item = take(first, round_).item
    with pytest.raises(IntegrityError, match="slot_item_member_unique"), transaction.atomic():
        Slot.objects.filter(item=item).update(member=first)


def test_postgres_refuses_to_exchange_who_voted() -> None:
    round_, (first, second) = make_open_round()
    vote = cast(first, round_)
    with pytest.raises(IntegrityError, match="vote_is_of_its_slot"), transaction.atomic():
        Slot.objects.filter(pk=vote.slot_id).update(member=second)


@pytest.mark.django_db(transaction=True)
def test_many_people_at_once_never_share_a_place() -> None:
    round_, people = make_open_round(annotators=8, issues=6, votes_wanted=3)
    failures: list[Exception] = []
    start = threading.Barrier(len(people))

    def label(member: Member) -> None:
        try:
            start.wait(timeout=30)
            while slot := next_slot(member=member, round_=round_):
                submit(member=member, item=slot.item, ballot=make_ballot())
        except Exception as error:  # noqa: BLE001 - told by the test below
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=label, args=(member,)) for member in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert failures == []
    # Somebody may have been told "nothing now" while others held the last places; what is left is taken now.
    for member in people:
        while slot := next_slot(member=member, round_=round_):
            submit(member=member, item=slot.item, ballot=make_ballot())
    votes = Counter(Vote.objects.values_list("item", flat=True))
    assert set(votes.values()) == {3}
    assert len(votes) == 6


@pytest.mark.django_db(transaction=True)
def test_the_last_place_goes_to_exactly_one_of_two() -> None:
    round_, people = make_open_round(annotators=2, issues=1, votes_wanted=1)
    got: list[Slot | None] = []
    start = threading.Barrier(2)

    def ask(member: Member) -> None:
        start.wait(timeout=30)
        got.append(next_slot(member=member, round_=Round.objects.get(pk=round_.pk)))
        connection.close()

    threads = [threading.Thread(target=ask, args=(member,)) for member in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(slot is not None for slot in got) == [False, True]
