"""From draft to vote: saving what is filled in, submitting it with a receipt, taking it back for a while."""

import datetime as dt
import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from labeling.ballots import Ballot, Passage, as_kept, ballot_of, faults, hash_of
from labeling.models import Answer, AnswerNode, Draft, Evidence, Item, Member, NodeVersion, Role, Round, Slot, Vote
from labeling.refusals import GoneError, RefusedError
from labeling.selectors.codebooks import AxisNodes, ballot_axes, ballot_rules, frozen_axes, versions_by_code
from labeling.selectors.own_work import UNDO
from labeling.services.assignment import kept_until, locked_slot
from labeling.services.people import require

RECEIPT_BYTES = 6
PARTS = ("title", "body")
# Saves are some seconds apart; what is beyond the time since the last one was not spent here.
LEEWAY = dt.timedelta(seconds=2)
MOST_SECONDS = 24 * 3600
MOST_FIRST_REVISION = 10**9


class IncompleteError(RefusedError):
    """A ballot that cannot be taken as it is; `faults`: place -> what to do, as `ballots.faults` gives it."""

    def __init__(self, found: Mapping[str, str]) -> None:
        super().__init__(" ".join(found.values()))
        self.faults = dict(found)


class OutdatedError(RefusedError):
    """What is sent does not go on from the draft that is here: somebody would lose words."""

    def __init__(self) -> None:
        super().__init__("Another tab or device has changed this ballot meanwhile.")


@transaction.atomic
def save_draft(
    *, member: Member, item: Item, content: Mapping[str, Any], active_seconds: int, revision: int | None = None,
    bases: Collection[str] = (),
) -> Draft:  # fmt: skip
    """Keep what is filled in, with the seconds at work since the last save.

    It names what it goes on from: `revision`, the one that was seen last, or `bases`, the hashes of all that may have
    been the draft: what was seen last, and what was sent since and never answered.
    Raises OutdatedError when the draft is another one, and RefusedError when nothing may be written any more.
    """
    draft, slot = _at_work(member, item)
    ballot = ballot_of(content)
    _require_known(draft, ballot, revision, bases)
    # Where nothing changes, nobody falls behind: neither by time nor by what was sent twice.
    if hash_of(ballot) != hash_of(ballot_of(draft.content)):
        draft.revision += 1
    draft.content = dict(content)
    return _saved(draft, slot, active_seconds)


@transaction.atomic
def spend_time(*, member: Member, item: Item, active_seconds: int) -> Draft:
    """Count seconds at work in which nothing was filled in. Raises RefusedError as `save_draft` does."""
    draft, slot = _at_work(member, item)
    return _saved(draft, slot, active_seconds)


def _at_work(member: Member, item: Item) -> tuple[Draft, Slot | None]:
    """The draft, or an empty one, and the place, both locked. Raises RefusedError where the member has neither."""
    # The person first, as wherever their places are locked: two tabs would wait for each other.
    Member.objects.select_for_update().get(pk=member.pk)
    slot = locked_slot(item=item, member=member)
    draft = Draft.objects.select_for_update().filter(item=item, member=member).first()
    if (slot is None and draft is None) or Vote.objects.filter(item=item, member=member).exists():
        raise RefusedError("This issue is not with you, so nothing was saved.")
    draft = draft or Draft(member=member)
    draft.item = item
    return draft, slot


def _saved(draft: Draft, slot: Slot | None, active_seconds: int) -> Draft:
    """Who saves is at work: the issue is kept for them for as long again as it was when they took it."""
    round_ = draft.item.round
    draft.active_seconds += _spent(active_seconds, draft, slot, round_)
    draft.save()
    if slot is not None and round_.state == Round.State.OPEN:
        Slot.objects.filter(pk=slot.pk).update(reserved_until=kept_until(round_))
    return draft


def _require_known(draft: Draft, ballot: Ballot, revision: int | None, bases: Collection[str]) -> None:
    is_known = revision is not None and revision == draft.revision
    if not is_known and draft.pk and hash_of(ballot_of(draft.content)) not in {*bases, hash_of(ballot)}:
        raise OutdatedError


def _spent(active_seconds: int, draft: Draft, slot: Slot | None, round_: Round) -> int:
    """As much of the time as can have passed since the last save, or since the issue was taken."""
    since = draft.updated_at if draft.pk else None
    if since is None and slot is not None and slot.reserved_until:
        since = slot.reserved_until - dt.timedelta(minutes=round_.hold_minutes)
    spent = dt.timedelta(seconds=max(0, min(active_seconds, MOST_SECONDS)))
    if since is not None:
        spent = min(spent, timezone.now() - since + LEEWAY)
    return max(0, int(spent.total_seconds()))


@transaction.atomic
def submit(
    *, member: Member, item: Item, ballot: Ballot, bases: Collection[str] | None = None, active_seconds: int = 0
) -> Vote:
    """Cast a vote; the same ballot once more gives the same vote. The last one releases the item if the round says so.

    `bases`: as for `save_draft`, where it goes on from a draft; `active_seconds`: at work since that was saved.
    Raises IncompleteError with what is missing, OutdatedError when the draft is another one, and RefusedError when the
    member has voted otherwise, or when the place is somebody else's by now.
    """
    member = Member.objects.select_for_update().get(pk=member.pk)
    require(member, Role.ANNOTATOR)
    if done := Vote.objects.filter(item=item, member=member).first():
        if hash_of(as_kept(ballot)) != hash_of(ballot_of(as_content(done))):
            raise RefusedError("You have voted on this issue, and this ballot says something else. Your vote stands.")
        return done
    # Before anything that refers to it is written: two people with the last votes would wait for each other.
    item = Item.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=item.pk)
    slot = locked_slot(item=item, member=member)
    if slot is None:
        raise RefusedError("Your reservation ran out and somebody else has the issue now. What you wrote is kept.")
    round_ = Round.objects.get(pk=item.round_id)
    if round_.state != Round.State.OPEN:
        raise RefusedError(f"The round “{round_.name}” is {round_.get_state_display().lower()}.")
    draft = Draft.objects.filter(item=item, member=member).first() or Draft(item=item, member=member)
    if bases is not None:
        _require_known(draft, ballot, None, bases)
    axes = frozen_axes(codebook_id=round_.codebook_id)
    quotes = _checked_quotes(item, ballot, axes, round_)
    spent = draft.active_seconds + _spent(active_seconds, draft, slot, round_)
    vote = _write(slot, round_, member, ballot, axes, quotes, spent)
    Slot.objects.filter(pk=slot.pk).update(reserved_until=None)
    if draft.pk:
        draft.delete()
    if round_.release == Round.Release.ISSUE:
        _release_if_complete(item)
    return vote


def _checked_quotes(item: Item, ballot: Ballot, axes: Sequence[AxisNodes], round_: Round) -> list[str]:
    """The words of the ballot's passages. Raises IncompleteError where the ballot is not whole."""
    found = faults(ballot, ballot_axes(axes), ballot_rules(project_id=round_.project_id))
    quotes = _quotes(item, ballot.evidence)
    if len(quotes) < len(ballot.evidence):
        found["evidence"] = "A passage is not in the text as it was frozen. Select it again."
    if found:
        raise IncompleteError(found)
    return quotes


@transaction.atomic
def take_back(*, member: Member, vote: Vote) -> Draft:
    """Make one's vote a draft again, within `UNDO` of submitting it and while nobody else could see it."""
    if vote.member_id != member.pk:
        raise RefusedError("Only who cast a vote may take it back.")
    # The person first, as in `save_draft`.
    Member.objects.select_for_update().get(pk=member.pk)
    item = Item.objects.select_for_update().get(pk=vote.item_id)
    if not Vote.objects.filter(pk=vote.pk).exists():
        raise GoneError("There is no vote of yours on this issue to take back.")
    if item.released_at or timezone.now() - vote.submitted_at > UNDO:
        raise RefusedError(
            "A vote can be taken back for 15 minutes, and only while it is blind. "
            "Later, say in the discussion what you think now."
        )
    round_ = Round.objects.get(pk=item.round_id)
    content, seconds = as_content(vote), vote.active_seconds
    slot = Slot.objects.select_for_update().get(pk=vote.slot_id)
    vote.delete()
    Slot.objects.filter(pk=slot.pk).update(reserved_until=kept_until(round_))
    # No revision of the draft that the vote was made of: who saw that one must not take this one for it.
    revision = secrets.randbelow(MOST_FIRST_REVISION) + 1
    return Draft.objects.create(item=item, member=member, content=content, revision=revision, active_seconds=seconds)


def as_content(vote: Vote) -> dict[str, Any]:
    """What a draft would hold to give this vote."""
    answers = vote.answers.select_related("axis").prefetch_related("nodes__version__node")
    return {
        "choices": {
            answer.axis.code: {
                "codes": [one.version.node.code for one in answer.nodes.all()],
                "is_undecidable": answer.is_undecidable,
            }
            for answer in answers
        },
        "confidence": vote.confidence,
        "note": vote.note,
        "evidence": [
            {"part": one.part, "start": one.start, "end": one.end, "axis": one.axis.code if one.axis else ""}
            for one in vote.evidence.select_related("axis")
        ],
        "rule_reasons": vote.rule_reasons,
    }


def _quotes(item: Item, evidence: Sequence[Passage]) -> list[str]:
    """The passages' words; fewer than passages where one is not in the text."""
    content = item.snapshot.content
    texts = [(content.get(one.part, "") if one.part in PARTS else "", one) for one in evidence]
    return [text[one.start : one.end] for text, one in texts if 0 <= one.start < one.end <= len(text)]


def _write(
    slot: Slot, round_: Round, member: Member, ballot: Ballot, axes: Sequence[AxisNodes], quotes: Sequence[str],
    active_seconds: int,
) -> Vote:  # fmt: skip
    vote = Vote.objects.create(
        slot=slot, item_id=slot.item_id, member=member, codebook_id=round_.codebook_id,
        guideline_id=round_.guideline_id, confidence=ballot.confidence, note=ballot.note.strip(),
        rule_reasons=dict(ballot.rule_reasons), active_seconds=active_seconds,
        receipt=secrets.token_hex(RECEIPT_BYTES).upper(),
    )  # fmt: skip
    versions = versions_by_code(axes)
    _write_answers(vote, ballot, axes, versions)
    by_code = {one.axis.code: one.axis for one in axes}
    Evidence.objects.bulk_create(
        Evidence(vote=vote, axis=by_code.get(one.axis), part=one.part, start=one.start, end=one.end, quote=quote)
        for one, quote in zip(ballot.evidence, quotes, strict=True)
    )
    return vote


def _write_answers(
    vote: Vote, ballot: Ballot, axes: Sequence[AxisNodes], versions: Mapping[str, Mapping[str, NodeVersion]]
) -> None:
    chosen = [(one.axis, ballot.choices[one.axis.code]) for one in axes]
    answers = Answer.objects.bulk_create(
        Answer(vote=vote, axis=axis, is_undecidable=choice.is_undecidable) for axis, choice in chosen
    )
    AnswerNode.objects.bulk_create(
        AnswerNode(answer=answer, axis=axis, several=axis.several, version=versions[axis.code][code])
        for answer, (axis, choice) in zip(answers, chosen, strict=True)
        for code in choice.codes
    )


def _release_if_complete(item: Item) -> None:
    """Release the item, which is locked, once no place on it is without a vote."""
    missing = ~Exists(Vote.objects.filter(slot=OuterRef("pk")))
    if not Slot.objects.filter(missing, item=item).exists():
        Item.objects.filter(pk=item.pk, released_at=None).update(released_at=timezone.now())
