"""Casting votes: whole or not at all, once, never changed, and taken back only while they are blind."""

import datetime as dt

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.ballots import Choice, Passage, ballot_of, hash_of
from labeling.models import (
    Answer,
    AnswerNode,
    Draft,
    Evidence,
    Item,
    Member,
    NodeVersion,
    Pass,
    ProjectAxis,
    Role,
    Slot,
    Vote,
)
from labeling.refusals import RefusedError
from labeling.services.assignment import pass_item, take_item
from labeling.services.rounds import close_round
from labeling.services.voting import IncompleteError, OutdatedError, as_content, save_draft, submit, take_back
from tests.labeling.factories import cast, make_ballot, make_open_round, take

pytestmark = pytest.mark.django_db


def lead_of(item: Item) -> Member:
    return Member.objects.get(project=item.round.project, roles__contains=[Role.LEAD])


def taken_before(slot: Slot, *, seconds: int) -> None:
    """Let a place have been taken a while ago."""
    Slot.objects.filter(pk=slot.pk).update(reserved_until=F("reserved_until") - dt.timedelta(seconds=seconds))


def test_a_vote_holds_every_answer_by_the_rounds_codebook() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, symptom=("hang", "crash"))
    found = {
        answer.axis.code: sorted(one.version.node.code for one in answer.nodes.all()) for answer in vote.answers.all()
    }
    assert found == {"symptom": ["crash", "hang"], "issue_type": ["bug"]}
    assert vote.codebook_id == round_.codebook_id
    assert len(vote.receipt) == 12


def test_casting_a_vote_twice_gives_the_same_vote() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    votes = [submit(member=first, item=item, ballot=make_ballot()) for _ in range(2)]
    assert votes[0].receipt == votes[1].receipt
    assert Vote.objects.count() == 1


def test_a_ballot_with_an_open_question_is_not_taken() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    ballot = make_ballot(choices={"symptom": Choice(("hang",))})
    with pytest.raises(IncompleteError) as caught:
        submit(member=first, item=item, ballot=ballot)
    assert list(caught.value.faults) == ["axis:issue_type"]
    assert not Vote.objects.exists()


def test_that_the_report_does_not_tell_is_an_answer() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, choices={"symptom": Choice(("hang",)), "issue_type": Choice(is_undecidable=True)})
    answer = Answer.objects.get(vote=vote, axis__code="issue_type")
    assert answer.is_undecidable
    assert not answer.nodes.exists()


def test_evidence_keeps_the_words_it_rests_on() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, evidence=[Passage(part="body", start=0, end=6, axis="symptom")])
    assert Evidence.objects.get(vote=vote).quote == "Rank 3"


def test_evidence_outside_of_the_text_is_not_taken() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    ballot = make_ballot(evidence=[Passage(part="body", start=0, end=9_999)])
    with pytest.raises(IncompleteError, match="Select it again"):
        submit(member=first, item=item, ballot=ballot)


def test_a_draft_survives_and_counts_only_time_that_passed() -> None:
    round_, (first, _) = make_open_round()
    slot = take(first, round_)
    taken_before(slot, seconds=60)
    item = slot.item
    draft = save_draft(member=first, item=item, content={"note": "so far"}, revision=0, active_seconds=5)
    assert (draft.revision, draft.active_seconds) == (1, 5)
    draft = save_draft(member=first, item=item, content={"note": "further"}, revision=1, active_seconds=3_600)
    assert draft.active_seconds <= 5 + 3
    assert Draft.objects.get().content == {"note": "further"}


def test_a_first_save_counts_no_more_than_the_time_since_the_issue_was_taken() -> None:
    round_, (first, _) = make_open_round()
    slot = take(first, round_)
    taken_before(slot, seconds=60)
    draft = save_draft(member=first, item=slot.item, content={}, revision=0, active_seconds=3_600)
    assert 60 <= draft.active_seconds <= 65


def test_who_saves_is_at_work_and_keeps_the_issue() -> None:
    round_, (first, _) = make_open_round()
    slot = take(first, round_)
    taken_before(slot, seconds=1_800)
    save_draft(member=first, item=slot.item, content={}, revision=0, active_seconds=60)
    slot.refresh_from_db()
    assert slot.reserved_until is not None
    assert slot.reserved_until > timezone.now() + dt.timedelta(minutes=round_.hold_minutes - 1)


def test_the_time_since_the_last_save_counts_on_submitting() -> None:
    round_, (first, _) = make_open_round()
    slot = take(first, round_)
    taken_before(slot, seconds=600)
    save_draft(member=first, item=slot.item, content={}, revision=0, active_seconds=300)
    Draft.objects.update(updated_at=timezone.now() - dt.timedelta(seconds=90))
    vote = submit(member=first, item=slot.item, ballot=make_ballot(), active_seconds=40)
    assert vote.active_seconds == 340


def test_a_tab_that_did_not_see_the_newest_draft_does_not_submit() -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    save_draft(member=first, item=item, content={"note": "elsewhere"}, revision=0, active_seconds=0)
    with pytest.raises(OutdatedError, match="Another tab"):
        submit(member=first, item=item, ballot=make_ballot(), bases=[hash_of(ballot_of({}))])
    assert not Vote.objects.exists()


def test_an_issue_that_is_with_nobody_takes_no_draft() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    item = take(first, round_).item
    with pytest.raises(RefusedError, match="nothing was saved"):
        save_draft(member=second, item=item, content={}, revision=0, active_seconds=0)


def test_a_vote_taken_back_is_a_draft_again() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="look at rank 3", evidence=[Passage("body", 0, 6, "symptom")])
    content = as_content(vote)
    draft = take_back(member=first, vote=vote)
    assert draft.content == content
    assert draft.content["choices"]["symptom"]["codes"] == ["hang"]
    assert not Vote.objects.exists()
    assert take(first, round_).item_id == draft.item_id


def test_a_vote_is_not_taken_back_after_a_quarter_of_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    later = timezone.now() + dt.timedelta(minutes=16)
    monkeypatch.setattr(timezone, "now", lambda: later)
    with pytest.raises(RefusedError, match="15 minutes"):
        take_back(member=first, vote=vote)


def test_nobody_takes_somebody_elses_vote_back() -> None:
    round_, (first, second) = make_open_round()
    vote = cast(first, round_)
    with pytest.raises(RefusedError, match="only take back your own vote"):
        take_back(member=second, vote=vote)


def test_the_last_vote_releases_an_issue_where_the_round_says_so() -> None:
    round_, (first, second) = make_open_round(release="issue", votes_wanted=2)
    item = cast(first, round_).item
    item.refresh_from_db()
    assert item.released_at is None
    cast(second, round_)
    item.refresh_from_db()
    assert item.released_at is not None


def test_closing_a_round_releases_it_and_tells_what_lacks_votes() -> None:
    round_, (first, _) = make_open_round(issues=2, votes_wanted=1)
    vote = cast(first, round_)
    assert close_round(lead=lead_of(vote.item), round_=round_) == 1
    assert not Item.objects.filter(released_at=None).exists()
    with pytest.raises(RefusedError, match="only while it is blind"):
        take_back(member=first, vote=vote)


def test_postgres_refuses_to_change_a_vote() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Vote.objects.filter(pk=vote.pk).update(note="changed")
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        AnswerNode.objects.update(several=True)


def test_postgres_refuses_to_touch_the_votes_of_a_released_issue() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    close_round(lead=lead_of(vote.item), round_=round_)
    with pytest.raises(IntegrityError, match="settled"), transaction.atomic():
        vote.delete()
    assert Vote.objects.filter(pk=vote.pk).exists()


def test_postgres_refuses_a_second_answer_where_one_is_possible() -> None:
    round_, (first, _) = make_open_round()
    answer = cast(first, round_).answers.get(axis__code="issue_type")
    other = NodeVersion.objects.get(node__code="question")
    with pytest.raises(IntegrityError, match="answernode_only_one"), transaction.atomic():
        AnswerNode.objects.create(answer=answer, axis=answer.axis, several=False, version=other)
    with pytest.raises(IntegrityError, match="answernode_several_as_its_axis"), transaction.atomic():
        AnswerNode.objects.create(answer=answer, axis=answer.axis, several=True, version=other)


def test_postgres_refuses_an_answer_of_another_axis() -> None:
    round_, (first, _) = make_open_round()
    answer = cast(first, round_).answers.get(axis__code="symptom")
    foreign = NodeVersion.objects.get(node__code="question")
    with pytest.raises(IntegrityError, match="answernode_version_is_on_axis"), transaction.atomic():
        AnswerNode.objects.create(answer=answer, axis=answer.axis, several=True, version=foreign)


def test_postgres_refuses_a_second_answer_on_an_axis_and_a_second_vote() -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_)
    axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
    with pytest.raises(IntegrityError, match="answer_vote_axis_unique"), transaction.atomic():
        Answer.objects.create(vote=vote, axis=axis)
    vote.pk, vote.receipt = None, "ANOTHER"
    with pytest.raises(IntegrityError, match="labeling_vote"), transaction.atomic():
        vote.save(force_insert=True)


def test_who_works_locks_their_own_rows_and_the_issue_and_nobody_elses() -> None:
    """A lock on the round or the project would make thirty people wait for one another."""
    round_, (member, _) = make_open_round(issues=2)
    with CaptureQueriesContext(connection) as captured:
        item = Item.objects.get(pk=take(member, round_).item_id)
        save_draft(member=member, item=item, content={}, revision=0, active_seconds=1)
        vote = submit(member=member, item=item, ballot=make_ballot())
        take_back(member=member, vote=vote)
        take_item(member=member, item=item)
        pass_item(member=member, item=item, kind=Pass.Kind.SKIP, reason="Not mine.")
    locking = [one["sql"] for one in captured.captured_queries if "FOR UPDATE" in one["sql"]]
    assert len(locking) > 8
    wide = ("labeling_round", "labeling_project")
    assert [sql for sql in locking if " OF " not in sql and any(f'JOIN "{table}"' in sql for table in wide)] == []
