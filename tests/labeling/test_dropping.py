"""An issue dropped from an open round: its votes stay, and count for nothing until it is put back."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.exchange.export import documents
from labeling.models import Item, Member, ProjectNode, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.releases import method, state
from labeling.selectors.round_progress import progress
from labeling.selectors.screening import all_screened
from labeling.selectors.votes import axis_votes
from labeling.services.assignment import next_slot
from labeling.services.dropping import drop_item, put_back
from labeling.services.rounds import change_votes_wanted, close_round
from labeling.services.voting import submit, take_back
from tests.labeling.factories import cast, cast_on, make_ballot, make_open_round, take

pytestmark = pytest.mark.django_db
WHY = "The report is empty."


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def drop(item: Item) -> Item:
    return drop_item(lead=lead_of(item.round), item=item, reason=WHY)


def test_nobody_gets_a_dropped_issue_and_who_holds_it_loses_it() -> None:
    round_, (first, second) = make_open_round()
    slot = take(first, round_)
    drop(slot.item)
    assert next_slot(member=first, round_=round_) is None
    assert next_slot(member=second, round_=round_) is None
    with pytest.raises(RefusedError, match="dropped this issue"):
        submit(member=first, item=slot.item, ballot=make_ballot())


def test_its_votes_stay_and_count_for_nothing() -> None:
    round_, (first, second) = make_open_round(issues=2)
    votes = [cast(member, round_) for member in (first, second)]
    lead = lead_of(round_)
    drop(votes[0].item)
    assert Vote.objects.count() == 2
    counted = {vote.item for vote in axis_votes(member=lead, round_=round_)}
    assert counted == {vote.item_id for vote in votes if vote.item_id != votes[0].item_id}
    assert votes[0].item.subject.url not in {one.issue for one in documents(member=lead, rounds=[round_])}
    found = progress(member=lead, rounds=[round_])[round_.pk]
    assert (found.issues, found.wanted) == (1, 2)


def test_it_is_not_released_when_the_round_closes() -> None:
    round_, (first, second) = make_open_round()
    item = cast(first, round_).item
    cast(second, round_)
    drop(item)
    assert close_round(lead=lead_of(round_), round_=round_) == 0
    item.refresh_from_db()
    assert item.released_at is None


def test_put_back_it_has_the_votes_and_places_that_it_had() -> None:
    round_, (first, second) = make_open_round()
    item = cast(first, round_).item
    drop(item)
    change_votes_wanted(lead=lead_of(round_), round_=round_, wanted=3)
    put_back(lead=lead_of(round_), item=item)
    assert take(second, round_).item_id == item.pk
    assert (Slot.objects.count(), Vote.objects.count()) == (3, 1)


def test_put_back_with_all_its_votes_it_is_released_where_issues_are() -> None:
    round_, (first, second) = make_open_round(release=Round.Release.ISSUE)
    item = cast(first, round_).item
    drop(item)
    change_votes_wanted(lead=lead_of(round_), round_=round_, wanted=1)
    put_back(lead=lead_of(round_), item=item)
    item.refresh_from_db()
    assert item.released_at is not None
    assert next_slot(member=second, round_=round_) is None


def test_a_released_issue_is_not_dropped() -> None:
    round_, (first, second) = make_open_round(release=Round.Release.ISSUE, issues=2, votes_wanted=1)
    item = cast(first, round_).item
    with pytest.raises(RefusedError, match="its votes are known"):
        drop(item)
    assert next_slot(member=second, round_=round_)


def test_a_drop_wants_a_reason_an_open_round_and_no_drop_before() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    with pytest.raises(RefusedError, match="Say why"):
        drop_item(lead=lead_of(round_), item=item, reason=" ")
    drop(item)
    with pytest.raises(RefusedError, match="dropped already"):
        drop(item)
    close_round(lead=lead_of(round_), round_=round_)
    with pytest.raises(RefusedError, match="is closed"):
        put_back(lead=lead_of(round_), item=item)


def test_a_vote_on_it_is_not_taken_back() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    drop(vote.item)
    with pytest.raises(RefusedError, match="dropped this issue"):
        take_back(member=first, vote=vote)


def test_the_method_of_a_release_says_how_many_and_why() -> None:
    round_, (first, second) = make_open_round(issues=2)
    for member in (first, second):
        cast_on(member, Item.objects.filter(round=round_)[0])
    drop(Item.objects.filter(votes=None)[0])
    close_round(lead=lead_of(round_), round_=round_)
    text = method.files(state.read(project=round_.project))["METHOD.md"].decode()
    assert f"1 issue was dropped while it was open: “{WHY}” (1)." in text


def test_a_screening_does_not_keep_it() -> None:
    round_, (first, _) = make_open_round(issues=2, votes_wanted=1)
    round_.exclusions.create(
        project=round_.project,
        node=(node := ProjectNode.objects.get(axis__project=round_.project, code="question")),
        axis=node.axis,
    )
    item = take(first, round_).item
    drop(item)
    assert item not in all_screened(round_=round_).kept
    assert len(all_screened(round_=round_).kept) == 1


class TestPostgres:
    def test_refuses_a_vote_on_a_dropped_issue(self) -> None:
        round_, (first, second) = make_open_round()
        vote = cast(first, round_)
        drop(vote.item)
        slot = Slot.objects.get(vote=None)
        Slot.objects.filter(pk=slot.pk).update(member=second)
        with pytest.raises(IntegrityError, match="dropped item"), transaction.atomic():
            Vote.objects.create(
                slot=slot, item=vote.item, member=second, codebook=vote.codebook, confidence=3, receipt="X"
            )

    @pytest.mark.parametrize("changes", [{"released_at": timezone.now()}, {"drop_reason": ""}, {"dropped_by": None}])
    def test_refuses_half_a_drop(self, changes: dict[str, object]) -> None:
        round_, (first, _) = make_open_round()
        item = drop(take(first, round_).item)
        with pytest.raises(IntegrityError, match="item_dropped_with_reason"), transaction.atomic():
            Item.objects.filter(pk=item.pk).update(**changes)
