"""Drafts: a change goes on from what was seen, or is refused; time alone, or the same words again, change nothing."""

from collections.abc import Collection

import pytest

from labeling.ballots import ballot_of, hash_of
from labeling.models import Draft, Item, Member
from labeling.refusals import RefusedError
from labeling.services.voting import OutdatedError, save_draft, spend_time, submit, take_back
from tests.labeling.factories import cast, make_ballot, make_open_round, take

pytestmark = pytest.mark.django_db


def taken() -> tuple[Member, Item]:
    """Somebody with an issue."""
    round_, (first, _) = make_open_round()
    return first, take(first, round_).item


def hash_with(note: str) -> str:
    """The hash of a ballot with a note and nothing else; of the empty ballot where there is none."""
    return hash_of(ballot_of({"note": note}))


def save(member: Member, item: Item, note: str, bases: Collection[str] = ()) -> Draft:
    """Save a note that goes on from one of `bases`."""
    return save_draft(member=member, item=item, content={"note": note}, bases=bases, active_seconds=0)


def test_time_alone_raises_no_revision() -> None:
    member, item = taken()
    assert spend_time(member=member, item=item, active_seconds=1).revision == 0
    saved = save_draft(member=member, item=item, content={"note": "so far"}, revision=0, active_seconds=0)
    assert saved.revision == 1
    assert spend_time(member=member, item=item, active_seconds=1).revision == 1
    again = save_draft(member=member, item=item, content={"note": "so far"}, revision=1, active_seconds=1)
    assert (again.revision, again.active_seconds) == (1, 3)
    assert again.content == {"note": "so far"}


def test_the_same_content_sent_twice_is_no_conflict() -> None:
    member, item = taken()
    for _ in range(2):
        draft = save(member, item, "leaving")
    assert draft.revision == 1


@pytest.mark.parametrize("seen", [{"revision": 0}, {"bases": [hash_with("")]}, {}])
def test_a_draft_that_was_changed_elsewhere_is_not_overwritten(seen: dict[str, object]) -> None:
    member, item = taken()
    save(member, item, "here")
    with pytest.raises(OutdatedError, match="Another tab"):
        save_draft(member=member, item=item, content={"note": "there"}, active_seconds=0, **seen)  # type: ignore[arg-type]
    assert Draft.objects.get().content == {"note": "here"}


def test_what_was_sent_and_never_answered_is_no_conflict() -> None:
    """The answer was lost on the way: the page goes on from one of the two, and does not know from which."""
    member, item = taken()
    save(member, item, "one", bases=[hash_with("")])
    draft = save(member, item, "one two", bases=[hash_with(""), hash_with("one")])
    assert draft.content == {"note": "one two"}


def test_what_comes_late_does_not_overwrite_what_came_after_it() -> None:
    member, item = taken()
    save(member, item, "one two", bases=[hash_with(""), hash_with("one")])
    with pytest.raises(OutdatedError):
        save(member, item, "one", bases=[hash_with("")])
    assert Draft.objects.get().content == {"note": "one two"}


def test_a_vote_taken_back_is_not_what_a_stale_tab_saw() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="voted")
    draft = take_back(member=first, vote=vote)
    with pytest.raises(OutdatedError):
        save(first, draft.item, "stale", bases=[hash_with("")])
    with pytest.raises(OutdatedError):
        save_draft(member=first, item=draft.item, content={"note": "stale"}, revision=0, active_seconds=0)


def test_a_vote_goes_on_from_what_was_sent_and_never_answered() -> None:
    member, item = taken()
    save(member, item, "one")
    vote = submit(member=member, item=item, ballot=make_ballot(note="one two"), bases=[hash_with(""), hash_with("one")])
    assert vote.note == "one two"


def test_nobody_spends_time_on_what_is_not_with_them() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    item = take(first, round_).item
    with pytest.raises(RefusedError, match="not reserved for you"):
        spend_time(member=second, item=item, active_seconds=5)
