"""Ending discussions, taking that back, and how many days they have. What is said in them is `settling`'s."""

from django.db import transaction
from django.utils import timezone

from labeling.models import AuditEntry, DiscussionEnd, Item, Member, ProjectAxis, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.disputes import Waits, disputes
from labeling.services import audit
from labeling.services.people import require
from labeling.services.rounds import locked_round
from labeling.services.settling import require_going_on, require_undecided

MOST_DAYS = 365


@transaction.atomic
def end_discussion(*, lead: Member, item: Item, axis: ProjectAxis) -> DiscussionEnd:
    """End the discussion of an axis: nothing can be added, and the round's rule goes on with the newest answers."""
    _require_lead(lead, item)
    Item.objects.select_for_update(no_key=True).get(pk=item.pk)
    require_undecided(item, axis)
    require_going_on(item, axis)
    keys = {(dispute.item, dispute.axis) for dispute in disputes(member=lead, round_=item.round, near=item)}
    if (item.pk, axis.code) not in keys:
        raise RefusedError("The votes on this question do not differ: there is no discussion to end.")
    _record(lead, item, axis, AuditEntry.Kind.ENDED)
    return DiscussionEnd.objects.create(item=item, axis=axis, member=lead)


@transaction.atomic
def resume_discussion(*, lead: Member, item: Item, axis: ProjectAxis) -> None:
    """Take the end of a discussion back; it stays on record."""
    _require_lead(lead, item)
    Item.objects.select_for_update(no_key=True).get(pk=item.pk)
    require_undecided(item, axis)
    in_force = DiscussionEnd.objects.filter(item=item, axis=axis, taken_back_at=None)
    if not in_force.update(taken_back_at=timezone.now(), taken_back_by=lead):
        raise RefusedError("This discussion was not ended.")
    _record(lead, item, axis, AuditEntry.Kind.CONTINUED)


@transaction.atomic
def end_discussions(*, lead: Member, round_: Round) -> int:
    """End all discussions of a round that still wait for somebody and that the lead may see. Returns how many."""
    round_ = _discussing_round(lead, round_)
    waiting = [dispute for dispute in disputes(member=lead, round_=round_) if dispute.missing]
    items = sorted({dispute.item for dispute in waiting})
    list(Item.objects.select_for_update(no_key=True).filter(pk__in=items).order_by("pk").values_list("pk"))
    axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=lead.project_id)}
    # Read again: somebody may have had the last word before the items were locked.
    ends = []
    for dispute in disputes(member=lead, round_=round_):
        if dispute.missing and dispute.waits is not Waits.NOBODY and dispute.item in items:
            ends.append(DiscussionEnd(item_id=dispute.item, axis=axes[dispute.axis], member=lead))
    if ends:
        audit.record(by=lead, kind=AuditEntry.Kind.ENDED, round_=round_, detail=f"{len(ends)} questions")
    return len(DiscussionEnd.objects.bulk_create(ends))


@transaction.atomic
def change_discussion_days(*, lead: Member, round_: Round, days: int | None) -> None:
    """Give a round's discussions so many days from an issue's release on, or no deadline."""
    round_ = _discussing_round(lead, round_)
    require_days(days)
    Round.objects.filter(pk=round_.pk).update(discussion_days=days)


def _record(lead: Member, item: Item, axis: ProjectAxis, kind: AuditEntry.Kind) -> None:
    audit.record(by=lead, kind=kind, round_=item.round, detail=f"issue {item.position}, {axis.name}")


def require_days(days: int | None) -> None:
    """Raises RefusedError for a number of days that no discussion can have."""
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise RefusedError(f"A discussion has between 1 and {MOST_DAYS} days, or no deadline.")


def _discussing_round(lead: Member, round_: Round) -> Round:
    round_ = locked_round(lead, round_, *Round.State)
    _require_discussing(round_)
    return round_


def _require_lead(lead: Member, item: Item) -> None:
    if item.round.project_id != lead.project_id:
        raise RefusedError("This issue belongs to another project.")
    require(lead, Role.LEAD)
    if not visible.released_items(member=lead).filter(pk=item.pk, released_at__isnull=False).exists():
        raise RefusedError("You adjudicate too: give your first opinion before you end a discussion.")
    _require_discussing(item.round)


def _require_discussing(round_: Round) -> None:
    if round_.rule != Round.Rule.DISCUSSION:
        raise RefusedError(f"This round's rule is “{round_.get_rule_display()}”: no decision waits for a discussion.")
