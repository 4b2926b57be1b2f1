"""Who labels an open round changes: votes stay, and every issue still gets exactly the votes that are wanted."""

import pytest
from django.db import IntegrityError, transaction

from labeling.models import Item, Member, Pass, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.services.assignment import next_slot, pass_item
from labeling.services.round_people import Moved, add_annotators, hand_over, remove_annotator, replace_annotator
from labeling.services.voting import save_draft, submit
from tests.labeling.factories import (
    cast,
    make_ballot,
    make_member,
    make_open_round,
    make_project,
    make_round,
    take,
)

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


class TestReplacing:
    def test_gives_the_places_without_a_vote_to_the_other_and_leaves_the_votes(self) -> None:
        round_, (first, second, third) = make_open_round(annotators=3, issues=2, votes_wanted=1)
        vote, held = cast(first, round_), take(first, round_)
        assert replace_annotator(lead=lead_of(round_), round_=round_, person=first, by=third) == Moved(1, 0)
        assert next_slot(member=second, round_=round_) is None
        assert take(third, round_).pk == held.pk
        assert Vote.objects.get().pk == vote.pk
        with pytest.raises(RefusedError, match="by other members"):
            next_slot(member=first, round_=round_)

    def test_keeps_the_words_of_who_is_replaced_theirs(self) -> None:
        round_, (first, second) = make_open_round(votes_wanted=1)
        item = take(first, round_).item
        save_draft(member=first, item=item, content={"note": "mine"}, revision=0, active_seconds=0)
        replace_annotator(lead=lead_of(round_), round_=round_, person=first, by=second)
        with pytest.raises(RefusedError, match="the lead changed who labels it"):
            submit(member=first, item=item, ballot=make_ballot())
        assert item.drafts.get().member == first

    def test_never_gives_two_votes_on_an_issue_to_one_person(self) -> None:
        round_, (first, second) = make_open_round(votes_wanted=2)
        cast(second, round_)
        take(first, round_)
        assert replace_annotator(lead=lead_of(round_), round_=round_, person=first, by=second) == Moved(0, 1)
        assert next_slot(member=second, round_=round_) is None

    def test_leaves_to_others_what_the_other_passed_on(self) -> None:
        round_, (first, second, third) = make_open_round(annotators=3, votes_wanted=1)
        pass_item(member=second, item=take(second, round_).item, kind=Pass.Kind.SKIP, reason="I wrote it.")
        take(first, round_)
        assert replace_annotator(lead=lead_of(round_), round_=round_, person=first, by=second) == Moved(0, 1)
        assert take(third, round_)

    def test_leaves_a_seniors_place_to_seniors(self) -> None:
        lead = make_project()
        senior, junior = make_member(lead.project, is_senior=True), make_member(lead.project)
        round_ = make_round(lead, votes_wanted=1, seniors_wanted=1, is_open=True)
        take(senior, round_)
        assert replace_annotator(lead=lead, round_=round_, person=senior, by=junior) == Moved(0, 1)
        assert next_slot(member=junior, round_=round_) is None

    def test_takes_annotators_alone(self) -> None:
        round_, (first, second) = make_open_round()
        lead = lead_of(round_)
        observer, stranger = make_member(round_.project, Role.OBSERVER), make_member(make_project().project)
        for other, says in ((observer, "is no annotator"), (stranger, "another project"), (first, "two different")):
            with pytest.raises(RefusedError, match=says):
                replace_annotator(lead=lead, round_=round_, person=first, by=other)
        with pytest.raises(RefusedError, match="Only somebody who is lead"):
            replace_annotator(lead=second, round_=round_, person=first, by=second)
        with pytest.raises(RefusedError, match="does not label"):
            replace_annotator(lead=lead, round_=round_, person=observer, by=second)


class TestTakingOut:
    def test_frees_the_places_for_the_others(self) -> None:
        round_, (first, second) = make_open_round(votes_wanted=1)
        held = take(first, round_)
        assert remove_annotator(lead=lead_of(round_), round_=round_, person=first) == Moved(0, 1)
        assert take(second, round_).pk == held.pk

    def test_leaves_only_those_who_labelled_it_then(self) -> None:
        round_, (first, _) = make_open_round()
        remove_annotator(lead=lead_of(round_), round_=round_, person=first)
        late = make_member(round_.project)
        with pytest.raises(RefusedError, match="by other members"):
            next_slot(member=late, round_=round_)
        add_annotators(lead=lead_of(round_), round_=round_, people=[first, late])
        assert take(late, round_)
        assert take(first, round_)

    def test_never_leaves_the_round_to_nobody_which_would_mean_everybody(self) -> None:
        round_, (first,) = make_open_round(annotators=1, votes_wanted=1)
        with pytest.raises(RefusedError, match="Nobody would label"):
            remove_annotator(lead=lead_of(round_), round_=round_, person=first)
        assert not round_.annotators.exists()


class TestHandingOver:
    def test_keeps_both_in_the_round(self) -> None:
        round_, (first, second) = make_open_round(issues=2, votes_wanted=1)
        held = take(first, round_)
        assert hand_over(lead=lead_of(round_), round_=round_, person=first, to=second) == Moved(1, 0)
        assert take(first, round_).item_id != held.item_id
        assert take(second, round_).pk == held.pk

    def test_goes_on_with_what_was_kept_for_the_person(self) -> None:
        round_, (first, second, third) = make_open_round(annotators=3, votes_wanted=1)
        take(first, round_)
        for giver, taker in ((first, second), (second, third)):
            assert hand_over(lead=lead_of(round_), round_=round_, person=giver, to=taker) == Moved(1, 0)
        assert next_slot(member=second, round_=round_) is None
        assert take(third, round_)

    def test_wants_somebody_who_labels_the_round(self) -> None:
        round_, (first, second) = make_open_round()
        remove_annotator(lead=lead_of(round_), round_=round_, person=second)
        with pytest.raises(RefusedError, match="Add them first"):
            hand_over(lead=lead_of(round_), round_=round_, person=first, to=second)


def test_a_round_that_all_label_needs_nobody_added() -> None:
    round_, (first, _) = make_open_round()
    with pytest.raises(RefusedError, match="also those who join later"):
        add_annotators(lead=lead_of(round_), round_=round_, people=[first])


def test_one_replaced_and_one_taken_out_on_the_way_leave_exactly_the_votes_wanted() -> None:
    round_, people = make_open_round(annotators=5, issues=6, votes_wanted=3)
    lead = lead_of(round_)
    substitute = make_member(round_.project)
    for member in people[:2]:
        for _ in range(2):
            cast(member, round_)
        take(member, round_)
    replace_annotator(lead=lead, round_=round_, person=people[0], by=substitute)
    remove_annotator(lead=lead, round_=round_, person=people[1])
    for member in [*people[2:], substitute]:
        while slot := next_slot(member=member, round_=round_):
            submit(member=member, item=slot.item, ballot=make_ballot())
    assert [item.votes.count() for item in Item.objects.all()] == [3] * 6
    assert Vote.objects.filter(member__in=people[:2]).count() == 4


def test_postgres_refuses_two_places_kept_for_one_person_on_an_issue() -> None:
    _, (first, _) = make_open_round(votes_wanted=2)
    with pytest.raises(IntegrityError, match="slot_item_only_for_unique"), transaction.atomic():
        Slot.objects.update(only_for=first)
