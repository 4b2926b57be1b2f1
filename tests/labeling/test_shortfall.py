"""What is left of a round and cannot be finished is told before everybody waits for ever, with who could finish it."""

import pytest

from labeling.models import Item, Member, Pass, Role, Round
from labeling.selectors.shortfall import shortfall
from labeling.services.assignment import pass_item, take_item
from labeling.services.dropping import drop_item
from labeling.services.people import leave
from labeling.services.round_people import remove_annotator
from labeling.services.rounds import change_votes_wanted
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, take
from tests.labeling.test_round_people import lead_of

pytestmark = pytest.mark.django_db


def warnings(round_: Round, reader: Member | None = None) -> list[str]:
    """What a reader, usually the lead, is told."""
    return list(shortfall(member=reader or lead_of(round_), round_=round_).warnings)


def helpers(round_: Round) -> list[tuple[Member, int, bool]]:
    """Who could finish it, as the lead is told."""
    found = shortfall(member=lead_of(round_), round_=round_).helpers
    return [(one.member, one.issues, one.is_passed) for one in found]


def pass_next(member: Member, round_: Round) -> Item:
    item = take(member, round_).item
    pass_item(member=member, item=item, kind=Pass.Kind.SKIP, reason="I wrote it.")
    return item


def test_a_round_with_people_enough_warns_of_nothing() -> None:
    round_, (first, _) = make_open_round(issues=2)
    assert warnings(round_) == []
    cast(first, round_)
    take(first, round_)
    assert warnings(round_) == []


def test_a_round_whose_people_left_says_who_did() -> None:
    lead = make_project()
    first, second = (make_member(lead.project) for _ in range(2))
    round_ = make_round(lead, issues=3, votes_wanted=2)
    round_.annotators.set([first, second])
    cast(second, round_)
    leave(member=second)
    assert warnings(round_) == [
        "2 issues have more places left than people who can take them.",
        f"Chosen for the round, but no longer in the project: {second.pseudonym}.",
    ]


def test_annotators_outside_the_round_could_finish_it() -> None:
    round_, (first, second) = make_open_round(issues=3)
    cast(second, round_)
    remove_annotator(lead=lead_of(round_), round_=round_, person=second)
    # On the issue that they voted on, they cannot vote again; it lacks nobody.
    assert helpers(round_) == [(second, 2, False)]
    assert warnings(round_) == ["2 issues have more places left than people who can take them."]
    assert first not in [one for one, *_ in helpers(round_)]


def test_what_everybody_left_passed_on_is_told_with_who_could_take_it_up() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    item = pass_next(first, round_)
    assert warnings(round_) == []
    pass_next(second, round_)
    assert warnings(round_) == [
        "One issue has more places left than people who can take it.",
        "One issue has been passed on by everybody who could still vote on it.",
    ]
    assert helpers(round_) == [(first, 1, True), (second, 1, True)]
    take_item(member=first, item=item)
    assert warnings(round_) == []


def test_seniors_that_lack_are_told() -> None:
    lead = make_project()
    senior = make_member(lead.project, is_senior=True)
    juniors = [make_member(lead.project) for _ in range(2)]
    round_ = make_round(lead, votes_wanted=2, seniors_wanted=1)
    assert warnings(round_) == []
    remove_annotator(lead=lead, round_=round_, person=senior)
    assert warnings(round_) == ["One issue has more places for seniors left than seniors who can take it."]
    assert helpers(round_) == [(senior, 1, False)]
    assert len(juniors) == 2


def test_more_votes_than_people_are_told_until_fewer_are_wanted_or_the_issue_is_dropped() -> None:
    round_, _ = make_open_round(issues=2)
    lead = lead_of(round_)
    change_votes_wanted(lead=lead, round_=round_, wanted=3)
    assert warnings(round_) == ["2 issues have more places left than people who can take them."]
    drop_item(lead=lead, item=Item.objects.all()[0], reason="It is empty.")
    assert warnings(round_) == ["One issue has more places left than people who can take it."]
    change_votes_wanted(lead=lead, round_=round_, wanted=2)
    assert warnings(round_) == []


def test_who_is_blind_learns_nothing_of_votes() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    leading = make_member(round_.project, Role.LEAD, Role.ANNOTATOR)
    for member in (first, second):
        pass_next(member, round_)
    take_off = pass_next(leading, round_)
    assert take_off
    assert warnings(round_)
    for reader in (leading, first):
        assert warnings(round_, reader) == []
    Round.objects.filter(pk=round_.pk).update(votes_wanted=9)
    round_.refresh_from_db()
    assert warnings(round_, leading) == ["Every issue needs 9 annotators; the round has 3."]


def test_an_observer_reads_the_warnings_and_no_names() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    observer = make_member(round_.project, Role.OBSERVER)
    for member in (first, second):
        pass_next(member, round_)
    found = shortfall(member=observer, round_=round_)
    assert found.warnings
    assert not found.helpers
