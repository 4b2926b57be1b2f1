"""Answering an issue a second time: it is offered among the others, kept as it is filled in, submitted or skipped."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.ballots import Ballot, as_kept, ballot_of, content_of, hash_of
from labeling.models import Item, Member, Repeat, Role, Round, Slot
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import frozen_axes
from labeling.selectors.repeats import due_after, next_vote, open_repeat
from labeling.services.assignment import DROPPED, next_slot
from labeling.services.people import require
from labeling.services.voting import VOTED_OTHERWISE, checked_quotes, require_current, seconds_spent


@transaction.atomic
def next_work(*, member: Member, round_: Round) -> Slot | Repeat | None:
    """What the member does next in the round: an issue to answer again where one is due, else the next new one.

    Once there are no new ones, the repeats that are left follow. Raises RefusedError as `next_slot` does.
    """
    if not round_.repeats:
        return next_slot(member=member, round_=round_)
    # The member first, so that two tabs are offered the same.
    member = Member.objects.select_for_update().get(pk=member.pk)
    repeat = open_repeat(member=member, round_=round_) or _offer(member, round_)
    return repeat or next_slot(member=member, round_=round_) or _offer(member, round_, at_the_end=True)


def _offer(member: Member, round_: Round, *, at_the_end: bool = False) -> Repeat | None:
    vote = next_vote(member=member, round_=round_, at_the_end=at_the_end)
    if vote is None:
        return None
    offered = Repeat.objects.filter(vote__member=member, vote__item__round=round_).count()
    return Repeat.objects.create(vote=vote, due_after=due_after(round_, offered))


@transaction.atomic
def save_repeat(
    *, member: Member, item: Item, active_seconds: int, content: Mapping[str, Any] | None = None,
    bases: Collection[str] = (),
) -> Repeat:  # fmt: skip
    """Keep what is filled in so far, or without `content` only the seconds at work; `bases` as for `save_draft`."""
    repeat = _locked(member, item)
    if content is not None:
        require_current(repeat, ballot_of(content), None, bases)
        repeat.content = dict(content)
    repeat.active_seconds += seconds_spent(active_seconds, repeat, None, repeat.vote.item.round)
    repeat.save()
    return repeat


@transaction.atomic
def submit_repeat(
    *, member: Member, item: Item, ballot: Ballot, bases: Collection[str] | None = None, active_seconds: int = 0
) -> Repeat:
    """Answer an issue the second time; submitting the same ballot again returns the same answer.

    Raises IncompleteError, OutdatedError and RefusedError as `submit` does for votes.
    """
    require(member, Role.ANNOTATOR)
    repeat = _locked(member, item, may_be_done=True)
    if repeat.submitted_at:
        if hash_of(as_kept(ballot)) != hash_of(ballot_of(repeat.content)):
            raise RefusedError(VOTED_OTHERWISE)
        return repeat
    if bases is not None:
        require_current(repeat, ballot, None, bases)
    round_ = repeat.vote.item.round
    checked_quotes(repeat.vote.item, ballot, frozen_axes(codebook_id=round_.codebook_id), round_)
    repeat.content = dict(content_of(as_kept(ballot)))
    repeat.active_seconds += seconds_spent(active_seconds, repeat, None, round_)
    repeat.submitted_at = timezone.now()
    repeat.save()
    return repeat


@transaction.atomic
def skip_repeat(*, member: Member, item: Item, reason: str) -> Repeat:
    """Skip an issue that was to be answered again. It counts as one of the member's, and no other takes its place."""
    repeat = _locked(member, item)
    if not reason.strip():
        raise RefusedError("Say briefly why, so that the lead can help.")
    repeat.skipped_at, repeat.skip_reason = timezone.now(), reason.strip()
    repeat.save()
    return repeat


def _locked(member: Member, item: Item, *, may_be_done: bool = False) -> Repeat:
    """The member's second answer about the item, locked. Raises RefusedError where there is none to give now."""
    # The member first, as wherever their work is locked.
    Member.objects.select_for_update().get(pk=member.pk)
    repeats = Repeat.objects.select_for_update(of=("self",)).filter(vote__member=member, vote__item=item)
    repeat = repeats.select_related("vote__item__round", "vote__item__snapshot").first()
    if repeat is None or repeat.skipped_at or (repeat.submitted_at and not may_be_done):
        raise RefusedError("This issue is not reserved for you, so nothing was saved.")
    item, round_ = repeat.vote.item, repeat.vote.item.round
    if repeat.submitted_at is None and item.dropped_at:
        raise RefusedError(DROPPED)
    if repeat.submitted_at is None and (round_.state != Round.State.OPEN or item.released_at):
        raise RefusedError(f"The round “{round_.name}” takes no votes on this issue now.")
    return repeat
