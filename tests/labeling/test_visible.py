"""Blindness: until an issue is released, what others said is seen only by who neither votes nor adjudicates."""

import pytest

from labeling.models import Draft, Item, Member, Pass, Role, Round
from labeling.selectors import visible
from labeling.services.assignment import pass_item
from labeling.services.people import leave
from labeling.services.rounds import close_round
from labeling.services.voting import save_draft
from tests.labeling.factories import cast, make_member, make_open_round, make_project, take

pytestmark = pytest.mark.django_db


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def test_an_annotator_sees_only_their_own_votes_before_release() -> None:
    round_, (first, second) = make_open_round(votes_wanted=2)
    mine, _ = cast(first, round_), cast(second, round_)
    assert list(visible.votes(member=first)) == [mine]
    close_round(lead=lead_of(round_), round_=round_)
    assert visible.votes(member=first).count() == 2


def test_evidence_and_reasons_are_as_blind_as_votes() -> None:
    round_, (first, second) = make_open_round(issues=2)
    pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.FLAG, reason="Not about training.")
    assert visible.passes(member=second).count() == 0
    assert visible.passes(member=first).count() == 1
    assert visible.passes(member=lead_of(round_)).count() == 1


def test_nobody_sees_anothers_draft_not_even_the_lead() -> None:
    round_, (first, second) = make_open_round()
    item = take(first, round_).item
    save_draft(member=first, item=item, content={"note": "a thought"}, revision=0, active_seconds=1)
    assert visible.drafts(member=first).count() == 1
    for other in (second, lead_of(round_)):
        assert not visible.drafts(member=other).exists()
    close_round(lead=lead_of(round_), round_=round_)
    assert not visible.drafts(member=second).exists()
    assert Draft.objects.count() == 1


@pytest.mark.parametrize(
    ("roles", "sees"),
    [
        ((Role.LEAD,), True),
        ((Role.OBSERVER,), True),
        ((Role.ANNOTATOR,), False),
        ((Role.ADJUDICATOR,), False),
        ((Role.LEAD, Role.ANNOTATOR), False),
        ((Role.LEAD, Role.ADJUDICATOR), False),
        ((Role.OBSERVER, Role.ANNOTATOR), False),
    ],
)
def test_who_votes_or_adjudicates_is_blind_whatever_else_they_are(roles: tuple[Role, ...], sees: bool) -> None:
    round_, (first, _) = make_open_round()
    cast(first, round_)
    reader = make_member(round_.project, *roles)
    assert visible.votes(member=reader).exists() is sees
    assert visible.released_items(member=reader).exists() is sees


def test_an_adjudicator_sees_no_vote_after_release_either_without_an_opinion() -> None:
    round_, (first, _) = make_open_round()
    cast(first, round_)
    adjudicator = make_member(round_.project, Role.ADJUDICATOR)
    close_round(lead=lead_of(round_), round_=round_)
    assert not visible.votes(member=adjudicator).exists()


def test_another_projects_people_see_nothing() -> None:
    round_, (first, _) = make_open_round()
    cast(first, round_)
    close_round(lead=lead_of(round_), round_=round_)
    stranger = make_project()
    assert not visible.votes(member=stranger).exists()
    assert not visible.released_items(member=stranger).exists()


def test_who_left_sees_their_own_votes_only() -> None:
    round_, (first, second) = make_open_round(votes_wanted=2)
    mine, _ = cast(first, round_), cast(second, round_)
    close_round(lead=lead_of(round_), round_=round_)
    leave(member=first)
    assert list(visible.votes(member=first)) == [mine]
    assert not visible.released_items(member=first).exists()
    assert Item.objects.exclude(released_at=None).exists()
