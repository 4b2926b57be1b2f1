"""From draft to vote: saving what is filled in, submitting it with a receipt, taking it back for a while."""

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from labeling.ballots import Ballot, Passage, faults
from labeling.models import Answer, AnswerNode, Draft, Evidence, Item, Member, NodeVersion, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import AxisNodes, axes_of, ballot_axes, ballot_rules, versions_by_code
from labeling.services.people import require

UNDO = dt.timedelta(minutes=15)
RECEIPT_BYTES = 6
PARTS = ("title", "body")
# Saves are some seconds apart; what is beyond the time since the last one was not spent here.
LEEWAY = dt.timedelta(seconds=2)


class IncompleteError(RefusedError):
    """A ballot that cannot be taken as it is; `faults`: place -> what to do, as `ballots.faults` gives it."""

    def __init__(self, found: Mapping[str, str]) -> None:
        super().__init__(" ".join(found.values()))
        self.faults = dict(found)


@transaction.atomic
def save_draft(*, member: Member, item: Item, content: Mapping[str, Any], revision: int, active_seconds: int) -> Draft:
    """Keep what is filled in. `revision`: the one that was seen last; `active_seconds`: at work since then.

    Raises RefusedError when another tab has saved meanwhile, or when nothing may be written any more.
    """
    slot = Slot.objects.select_for_update().filter(item=item, member=member).first()
    draft = Draft.objects.select_for_update().filter(item=item, member=member).first()
    if (slot is None and draft is None) or Vote.objects.filter(item=item, member=member).exists():
        raise RefusedError("This issue is not with you, so nothing was saved.")
    if draft is None:
        draft = Draft(item=item, member=member)
        spent = dt.timedelta(seconds=active_seconds)
    else:
        if revision != draft.revision:
            raise RefusedError(
                "Another tab or device has saved this issue meanwhile. Load it again to go on from there."
            )
        spent = min(dt.timedelta(seconds=active_seconds), timezone.now() - draft.updated_at + LEEWAY)
    draft.content = dict(content)
    draft.revision += 1
    draft.active_seconds += max(0, int(spent.total_seconds()))
    draft.save()
    return draft


@transaction.atomic
def submit(*, member: Member, item: Item, ballot: Ballot) -> Vote:
    """Cast a vote; casting it twice gives the same vote. The last one releases the item where the round says so.

    Raises IncompleteError with what is missing, and RefusedError when the place is somebody else's by now.
    """
    member = Member.objects.select_for_update().get(pk=member.pk)
    require(member, Role.ANNOTATOR)
    if done := Vote.objects.filter(item=item, member=member).first():
        return done
    # Before anything that refers to it is written: two people with the last votes would wait for each other.
    item = Item.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=item.pk)
    slot = Slot.objects.select_for_update().filter(item=item, member=member).first()
    if slot is None:
        raise RefusedError("Your reservation ran out and somebody else has the issue now. What you wrote is kept.")
    round_ = Round.objects.select_related("codebook").get(pk=item.round_id)
    if round_.state != Round.State.OPEN:
        raise RefusedError(f"The round “{round_.name}” is {round_.get_state_display().lower()}.")
    axes = axes_of(codebook=round_.codebook)
    found = faults(ballot, ballot_axes(axes), ballot_rules(project_id=round_.project_id))
    quotes = _quotes(item, ballot.evidence)
    if len(quotes) < len(ballot.evidence):
        found["evidence"] = "A passage is not in the text as it was frozen. Select it again."
    if found:
        raise IncompleteError(found)
    vote = _write(slot, round_, member, ballot, axes, quotes)
    Slot.objects.filter(pk=slot.pk).update(reserved_until=None)
    Draft.objects.filter(item=item, member=member).delete()
    if round_.release == Round.Release.ISSUE:
        _release_if_complete(item)
    return vote


@transaction.atomic
def take_back(*, member: Member, vote: Vote) -> Draft:
    """Make one's vote a draft again, within `UNDO` of submitting it and while nobody else could see it."""
    if vote.member_id != member.pk:
        raise RefusedError("Only who cast a vote may take it back.")
    item = Item.objects.select_for_update().get(pk=vote.item_id)
    if item.released_at or timezone.now() - vote.submitted_at > UNDO:
        raise RefusedError(
            "A vote can be taken back for 15 minutes, and only while it is blind. "
            "Later, say in the discussion what you think now."
        )
    round_ = Round.objects.get(pk=item.round_id)
    content, seconds = as_content(vote), vote.active_seconds
    slot = Slot.objects.select_for_update().get(pk=vote.slot_id)
    vote.delete()
    until = timezone.now() + dt.timedelta(minutes=round_.hold_minutes)
    Slot.objects.filter(pk=slot.pk).update(reserved_until=until)
    return Draft.objects.create(item=item, member=member, content=content, active_seconds=seconds)


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
    slot: Slot, round_: Round, member: Member, ballot: Ballot, axes: Sequence[AxisNodes], quotes: Sequence[str]
) -> Vote:
    draft = Draft.objects.filter(item=slot.item_id, member=member).first()
    vote = Vote.objects.create(
        slot=slot, item_id=slot.item_id, member=member, codebook=round_.codebook, guideline_id=round_.guideline_id,
        confidence=ballot.confidence, note=ballot.note.strip(), rule_reasons=dict(ballot.rule_reasons),
        active_seconds=draft.active_seconds if draft else 0, receipt=secrets.token_hex(RECEIPT_BYTES).upper(),
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
