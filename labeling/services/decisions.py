"""Decisions: in bulk where the votes decide, by an adjudicator where they do not, and reopening them."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, Opinion, ProjectAxis, Role, Round
from labeling.outcomes import How, same
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of, versions_by_code
from labeling.selectors.votes import ItemOutcome, all_axis_votes, all_outcomes
from labeling.services.people import require
from labeling.services.settling import chosen_versions, require_independent, require_undecided


@transaction.atomic
def adjudicate(
    *, adjudicator: Member, item: Item, axis: ProjectAxis, choice: Choice, cause: Decision.Cause, reason: str
) -> Decision:
    """Settle an axis. Needs one's own first opinion, a reason, and what made the annotators differ."""
    require_independent(adjudicator, item)
    require_undecided(item, axis)
    if not Opinion.objects.filter(item=item, axis=axis, member=adjudicator).exists():
        raise RefusedError("Give your first opinion before you see the votes and decide.")
    if not reason.strip():
        raise RefusedError("Give the reason for your decision: it is published with it.")
    versions = chosen_versions(item, axis, choice)
    votes = [one.choice for one in all_axis_votes(round_=item.round, item=item) if one.axis == axis.code]
    made = Decision.objects.create(
        item=item, axis=axis, how=Decision.How.ADJUDICATION, is_undecidable=choice.is_undecidable,
        votes=len(votes), support=sum(same(one, choice) for one in votes), adjudicator=adjudicator, cause=cause,
        reason=reason.strip(),
    )  # fmt: skip
    made.versions.set(versions)
    return made


@transaction.atomic
def accept(*, lead: Member, round_: Round, how: Decision.How) -> int:
    """Decide in bulk what the votes decide: the unanimous ones, or what has a majority. Returns how many axes.

    A majority is accepted where the round's rule is the majority, or, after revisions, discussion first.
    """
    require(lead, Role.LEAD)
    Round.objects.select_for_update().get(pk=round_.pk, project=lead.project_id)
    wanted = _wanted(round_, how)
    open_axes = _undecided(round_)
    decided = [
        one for one in all_outcomes(round_=round_, revised=how is Decision.How.DISCUSSION)
        if (one.item, one.axis) in open_axes and one.outcome.how in wanted
    ]  # fmt: skip
    _write(round_, decided, how)
    return len(decided)


@transaction.atomic
def reopen(*, member: Member, decision: Decision, reason: str) -> Decision:
    """Take a decision out of force; it stays in the history. Leads may, and adjudicators their own."""
    found = Decision.objects.select_for_update(of=("self",)).select_related("item__round").get(pk=decision.pk)
    if found.item.round.project_id != member.project_id:
        raise RefusedError("This decision belongs to another project.")
    if found.adjudicator_id != member.pk:
        require(member, Role.LEAD)
    require(member, Role.LEAD, Role.ADJUDICATOR)
    if found.reopened_at:
        raise RefusedError("This decision was reopened already.")
    if not reason.strip():
        raise RefusedError("Say why the decision is reopened: the history keeps it.")
    found.reopened_at, found.reopened_by, found.reopened_because = timezone.now(), member, reason.strip()
    found.save(update_fields=["reopened_at", "reopened_by", "reopened_because"])
    return found


def _wanted(round_: Round, how: Decision.How) -> set[How]:
    if how is Decision.How.UNANIMOUS:
        return {How.UNANIMOUS}
    rule = {Decision.How.MAJORITY: Round.Rule.MAJORITY, Decision.How.DISCUSSION: Round.Rule.DISCUSSION}.get(how)
    if rule != round_.rule:
        raise RefusedError(f"This round's rule is “{round_.get_rule_display()}”: that decides.")
    return {How.UNANIMOUS, How.MAJORITY}


def _write(round_: Round, decided: Sequence[ItemOutcome], how: Decision.How) -> None:
    axes = axes_of(codebook=round_.codebook)
    by_code = {one.axis.code: one.axis for one in axes}
    versions = versions_by_code(axes)
    made = Decision.objects.bulk_create(
        Decision(
            item_id=one.item, axis=by_code[one.axis], how=how, votes=one.outcome.votes, support=one.outcome.support,
            is_undecidable=one.outcome.choice.is_undecidable,
        )
        for one in decided
    )  # fmt: skip
    through = Decision.versions.through
    through.objects.bulk_create(
        through(decision_id=decision.pk, nodeversion_id=versions[one.axis][code].pk)
        for decision, one in zip(made, decided, strict=True)
        for code in one.outcome.choice.codes
    )


def _undecided(round_: Round) -> set[tuple[int, str]]:
    """(item, axis code) of the released items that no decision is in force on."""
    decisions = Decision.objects.filter(item__round=round_, reopened_at=None)
    decided = set(decisions.values_list("item", "axis__code"))
    codes = [one.axis.code for one in axes_of(codebook=round_.codebook)]
    items = Item.objects.filter(round=round_, released_at__isnull=False).values_list("pk", flat=True)
    return {(item, code) for item in items for code in codes} - decided
