"""From draft to vote: saving a draft, submitting it as a vote with a receipt, and taking the vote back."""

import datetime as dt
import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.ballots import (
    Ballot,
    Choice,
    ChoiceContent,
    DraftContent,
    PassageContent,
    as_kept,
    ballot_of,
    choice_content,
    faults,
    hash_of,
    number_in,
)
from labeling.models import (
    Answer,
    AnswerNode,
    AxisKind,
    Draft,
    Evidence,
    Item,
    Member,
    ProjectAxis,
    Repeat,
    Role,
    Round,
    Slot,
    Vote,
)  # fmt: skip
from labeling.refusals import GoneError, RefusedError
from labeling.selectors.codebooks import AxisNodes, ballot_axes, ballot_rules, frozen_axes, versions_by_code
from labeling.selectors.own_work import UNDO
from labeling.selectors.places import labels
from labeling.services.assignment import DROPPED, kept_until, locked_slot, require_room
from labeling.services.people import require

RECEIPT_BYTES = 6
PARTS = ("title", "body")
# A save may report this much more than the time since the last one, but no more.
LEEWAY = dt.timedelta(seconds=2)
MOST_SECONDS = 24 * 3600
MOST_FIRST_REVISION = 10**9
VOTED_OTHERWISE = "You have voted on this issue, and this ballot differs. Your vote stands."


class IncompleteError(RefusedError):
    """A ballot that is not complete; `faults`: place -> what to do, as `ballots.faults` gives it."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = dict(faults)


class OutdatedError(RefusedError):
    """A save that is not based on the current draft, and would overwrite somebody's words."""

    def __init__(self) -> None:
        super().__init__("Another tab or device has changed this ballot in the meantime.")


@transaction.atomic
def save_draft(
    *, member: Member, item: Item, content: Mapping[str, Any], active_seconds: int, revision: int | None = None,
    bases: Collection[str] = (),
) -> Draft:  # fmt: skip
    """Save the draft, with the seconds at work since the last save.

    The save names its base: `revision`, the revision that the tab saw last, or `bases`, the hashes of all contents that
    the draft may have had: the one seen last, and those sent since without an answer.
    Raises OutdatedError when the draft is another one, and RefusedError when nothing may be written any more.
    """
    draft, slot = _lock_draft(member, item)
    ballot = ballot_of(content)
    require_current(draft, ballot, revision, bases)
    # The same content keeps its revision, so that neither a save for the time alone nor one sent twice is a conflict.
    if hash_of(ballot) != hash_of(ballot_of(draft.content)):
        draft.revision += 1
    draft.content = dict(content)
    return _save(draft, slot, active_seconds)


@transaction.atomic
def spend_time(*, member: Member, item: Item, active_seconds: int) -> Draft:
    """Count seconds at work in which nothing was filled in. Raises RefusedError as `save_draft` does."""
    draft, slot = _lock_draft(member, item)
    return _save(draft, slot, active_seconds)


def _lock_draft(member: Member, item: Item) -> tuple[Draft, Slot | None]:
    """The draft, or an empty one, and the slot, both locked. Raises RefusedError where the member has neither."""
    # The member first, as wherever their slots are locked: else two tabs could deadlock.
    Member.objects.select_for_update().get(pk=member.pk)
    slot = locked_slot(item=item, member=member)
    draft = Draft.objects.select_for_update().filter(item=item, member=member).first()
    if (slot is None and draft is None) or Vote.objects.filter(item=item, member=member).exists():
        raise RefusedError("This issue is not reserved for you, so nothing was saved.")
    draft = draft or Draft(member=member)
    draft.item = item
    return draft, slot


def _save(draft: Draft, slot: Slot | None, active_seconds: int) -> Draft:
    """Save the draft, and renew the reservation: whoever saves is at work."""
    round_ = draft.item.round
    draft.active_seconds += seconds_spent(active_seconds, draft, slot, round_)
    draft.save()
    if slot is not None and round_.state == Round.State.OPEN:
        Slot.objects.filter(pk=slot.pk).update(reserved_until=kept_until(round_))
    return draft


def require_current(kept: Draft | Repeat, ballot: Ballot, revision: int | None, bases: Collection[str]) -> None:
    """Raises OutdatedError unless what is kept is new, of this revision, one of the bases, or the ballot itself."""
    if not kept.pk or (isinstance(kept, Draft) and revision == kept.revision):
        return
    if hash_of(ballot_of(kept.content)) not in {*bases, hash_of(ballot)}:
        raise OutdatedError


def seconds_spent(active_seconds: int, draft: Draft | Repeat, slot: Slot | None, round_: Round) -> int:
    """The seconds, limited to those since the last save, or since the reservation began."""
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
    """Cast a vote; submitting the same ballot again returns the same vote.

    The last vote releases the item in rounds that release by issue. `bases`: as for `save_draft`, where the ballot is
    based on a draft; `active_seconds`: at work since the draft was saved.
    Raises IncompleteError with what is missing, OutdatedError when the draft is another one, and RefusedError when the
    member has voted otherwise, or when somebody else has the slot by now.
    """
    member = Member.objects.select_for_update().get(pk=member.pk)
    require(member, Role.ANNOTATOR)
    if vote := Vote.objects.filter(item=item, member=member).first():
        if hash_of(as_kept(ballot)) != hash_of(ballot_of(as_content(vote))):
            raise RefusedError(VOTED_OTHERWISE)
        return vote
    # Before any row refers to the item: else the two last voters could deadlock.
    item = Item.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=item.pk)
    if item.dropped_at:
        raise RefusedError(DROPPED)
    slot = locked_slot(item=item, member=member)
    if slot is None:
        raise RefusedError(
            "Your reservation ran out and someone else has the issue now, or the lead changed who labels it. "
            "Your text is kept."
        )
    round_ = _open_round(item)
    draft = Draft.objects.filter(item=item, member=member).first() or Draft(item=item, member=member)
    if bases is not None:
        require_current(draft, ballot, None, bases)
    axes = frozen_axes(codebook_id=round_.codebook_id)
    quotes = checked_quotes(item, ballot, axes, round_)
    spent = draft.active_seconds + seconds_spent(active_seconds, draft, slot, round_)
    vote = _write_vote(slot, round_, member, ballot, axes, quotes, spent)
    Slot.objects.filter(pk=slot.pk).update(reserved_until=None)
    if draft.pk:
        draft.delete()
    _release_if_complete(item, round_)
    return vote


def _release_if_complete(item: Item, round_: Round) -> None:
    """Release a locked item with its last vote, where the round does: of two last voters one sees the other's vote."""
    if round_.release == Round.Release.ISSUE and not Slot.objects.filter(item=item, vote=None).exists():
        Item.objects.filter(pk=item.pk, released_at=None).update(released_at=timezone.now())


def _open_round(item: Item) -> Round:
    round_ = Round.objects.get(pk=item.round_id)
    if round_.state != Round.State.OPEN:
        raise RefusedError(f"The round “{round_.name}” is {round_.get_state_display().lower()}.")
    return round_


def checked_quotes(item: Item, ballot: Ballot, axes: Sequence[AxisNodes], round_: Round) -> list[str]:
    """The words of the ballot's passages. Raises IncompleteError where the ballot has faults."""
    problems = faults(ballot, ballot_axes(axes), ballot_rules(project_id=round_.project_id))
    quotes = []
    for passage in ballot.evidence:
        text = item.snapshot.content.get(passage.part, "") if passage.part in PARTS else ""
        if 0 <= passage.start < passage.end <= len(text):
            quotes.append(text[passage.start : passage.end])
        else:
            problems["evidence"] = "A passage is not in the frozen text. Select it again."
    if problems:
        raise IncompleteError(problems)
    return quotes


@transaction.atomic
def take_back(*, member: Member, vote: Vote) -> Draft:
    """Turn one's vote back into a draft, within `UNDO` of submitting it and while nobody else could see it."""
    if vote.member_id != member.pk:
        raise RefusedError("You can only take back your own vote.")
    # The member first, as in `save_draft`.
    Member.objects.select_for_update().get(pk=member.pk)
    item = Item.objects.select_for_update().get(pk=vote.item_id)
    if not Vote.objects.filter(pk=vote.pk).exists():
        raise GoneError("You have no vote on this issue to take back.")
    if item.dropped_at:
        raise RefusedError(DROPPED)
    if Repeat.objects.filter(vote=vote).exists():
        raise RefusedError("You met this issue a second time, so your first vote stays.")
    if item.released_at or timezone.now() - vote.submitted_at > UNDO:
        raise RefusedError(
            "A vote can be taken back for 15 minutes, and only while it is blind. After that, use the discussion."
        )
    round_ = Round.objects.get(pk=item.round_id)
    if not labels(member=member, round_=round_):
        raise RefusedError("You do not label this round any more: your vote stays.")
    require_room(member, round_)
    content, seconds = as_content(vote), vote.active_seconds
    slot = Slot.objects.select_for_update().get(pk=vote.slot_id)
    vote.delete()
    Slot.objects.filter(pk=slot.pk).update(reserved_until=kept_until(round_))
    # A new revision, so that no tab takes this draft for the one that the vote was made of.
    revision = secrets.randbelow(MOST_FIRST_REVISION) + 1
    return Draft.objects.create(item=item, member=member, content=content, revision=revision, active_seconds=seconds)


def as_content(vote: Vote) -> DraftContent:
    """The content of a draft that would give this vote."""
    choices: dict[str, ChoiceContent] = {}
    for answer in vote.answers.select_related("axis").prefetch_related("nodes__version__node"):
        codes = tuple(node.version.node.code for node in answer.nodes.all())
        choices[answer.axis.code] = choice_content(Choice(codes, answer.is_undecidable, answer.text))
    evidence = []
    for passage in vote.evidence.select_related("axis"):
        axis = passage.axis.code if passage.axis else ""
        evidence.append(PassageContent(part=passage.part, start=passage.start, end=passage.end, axis=axis))
    return DraftContent(
        choices=choices,
        confidence=vote.confidence,
        note=vote.note,
        evidence=evidence,
        rule_reasons=vote.rule_reasons,
    )


def answer_row(*, vote: Vote, axis: ProjectAxis, choice: Choice) -> Answer:
    """The row of an answer, without its nodes, which are written once it is there."""
    text = choice.text.strip()
    number = number_in(text) if axis.kind == AxisKind.NUMBER else None
    return Answer(vote=vote, axis=axis, is_undecidable=choice.is_undecidable, text=text, number=number)


def _write_vote(
    slot: Slot, round_: Round, member: Member, ballot: Ballot, axes: Sequence[AxisNodes], quotes: Sequence[str],
    active_seconds: int,
) -> Vote:  # fmt: skip
    vote = Vote.objects.create(
        slot=slot, item_id=slot.item_id, member=member, codebook_id=round_.codebook_id,
        guideline_id=round_.guideline_id, confidence=ballot.confidence, note=ballot.note.strip(),
        rule_reasons=dict(ballot.rule_reasons), active_seconds=active_seconds,
        receipt=secrets.token_hex(RECEIPT_BYTES).upper(),
    )  # fmt: skip
    axis_by_code = {each.axis.code: each.axis for each in axes}
    versions = versions_by_code(axes)
    answers = Answer.objects.bulk_create(
        answer_row(vote=vote, axis=axis, choice=ballot.choices[code]) for code, axis in axis_by_code.items()
    )
    nodes = []
    for answer in answers:
        axis = answer.axis
        for code in ballot.choices[axis.code].codes:
            version = versions[axis.code][code]
            nodes.append(AnswerNode(answer=answer, axis=axis, several=axis.several, version=version))
    AnswerNode.objects.bulk_create(nodes)
    Evidence.objects.bulk_create(
        Evidence(
            vote=vote, axis=axis_by_code.get(passage.axis), part=passage.part, start=passage.start, end=passage.end,
            quote=quote,
        )
        for passage, quote in zip(ballot.evidence, quotes, strict=True)
    )  # fmt: skip
    return vote
