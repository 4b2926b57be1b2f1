"""Decisions: in bulk where the votes decide, by an adjudicator where they do not, and reopening them."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from labeling.ballots import Choice, number_in
from labeling.models import Acceptance, AuditEntry, Decision, Item, Member, Opinion, ProjectAxis, Role, Round
from labeling.outcomes import How, outcome, same, speaks_for_itself
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.acceptance import Acceptable, acceptable, rule_refuses
from labeling.selectors.adjudication import opinion_choice
from labeling.selectors.codebooks import axes_of, versions_by_code
from labeling.selectors.discussions import discussion_of
from labeling.selectors.votes import all_axis_votes
from labeling.services import audit
from labeling.services.people import require
from labeling.services.settling import chosen_versions, require_independent, require_undecided


@transaction.atomic
def adjudicate(
    *, adjudicator: Member, item: Item, axis: ProjectAxis, choice: Choice, cause: Decision.Cause, reason: str
) -> Decision:
    """Settle an axis. Requires the adjudicator's own first opinion, and why the annotators differed.

    A reason is required unless the answer speaks for itself (`outcomes`). Where none is given, that of an equal first
    opinion stands.
    """
    require_independent(adjudicator, item)
    _lock_items(Item.objects.filter(pk=item.pk))
    require_undecided(item, axis)
    opinion = Opinion.objects.filter(item=item, axis=axis, member=adjudicator).first()
    if opinion is None:
        raise RefusedError("Give your first opinion before you see the votes and decide.")
    versions = chosen_versions(item, axis, choice)
    votes = [vote.choice for vote in all_axis_votes(round_=item.round, item=item) if vote.axis == axis.code]
    _require_discussed(item, axis, votes)
    first = opinion_choice(opinion)
    reason = reason.strip() or (opinion.reason if same(choice, first) else "")
    if not reason and not speaks_for_itself(choice, votes=votes, opinion=first):
        raise RefusedError("Give the reason: this is not your first opinion, or nobody voted for it.")
    decision = Decision.objects.create(
        item=item, axis=axis, how=Decision.How.ADJUDICATION, is_undecidable=choice.is_undecidable,
        number=number_in(choice.text), votes=len(votes), support=sum(same(vote, choice) for vote in votes),
        adjudicator=adjudicator, cause=cause, reason=reason,
    )  # fmt: skip
    decision.versions.set(versions)
    return decision


@transaction.atomic
def accept(
    *, lead: Member, round_: Round, how: Decision.How, item: Item | None = None, axis: ProjectAxis | None = None
) -> int:
    """Decide what the votes decide, in the whole round, on one item or on one of its axes. Returns how many axes.

    `selectors.acceptance` finds what can be decided, and by which rule. Raises RefusedError where the round has another
    rule.
    """
    require(lead, Role.LEAD)
    round_ = Round.objects.select_for_update(of=("self",)).get(pk=round_.pk, project=lead.project_id)
    if refusal := rule_refuses(round_=round_, how=how):
        raise RefusedError(refusal)
    if item and not visible.released_items(member=lead).filter(pk=item.pk).exists():
        raise RefusedError("You adjudicate too: give your first opinion before you accept what the votes say.")
    released = Item.objects.filter(round=round_, released_at__isnull=False)
    _lock_items(released.filter(pk=item.pk) if item else released)
    in_force = Decision.objects.filter(item__round=round_, reopened_at=None)
    decided = set(in_force.values_list("item", "axis__code"))
    accepted = [each for each in acceptable(round_=round_, how=how) if (each.item, each.axis) not in decided]
    if item is not None:
        accepted = [each for each in accepted if each.item == item.pk]
    if axis is not None:
        accepted = [each for each in accepted if each.axis == axis.code]
    if accepted:
        last = Acceptance.objects.filter(round=round_).aggregate(last=Max("number"))["last"] or 0
        acceptance = Acceptance.objects.create(round=round_, number=last + 1, how=how, member=lead)
        _write_decisions(round_, accepted, acceptance)
        audit.record(by=lead, kind=AuditEntry.Kind.ACCEPTED, round_=round_, detail=how.label)
    return len(accepted)


@transaction.atomic
def reopen(*, member: Member, decision: Decision, reason: str) -> Decision:
    """Take a decision out of force; it stays in the history. Leads may, and adjudicators their own."""
    decision = Decision.objects.select_for_update(of=("self",)).select_related("item__round").get(pk=decision.pk)
    if decision.item.round.project_id != member.project_id:
        raise RefusedError("This decision belongs to another project.")
    if decision.adjudicator_id != member.pk:
        require(member, Role.LEAD)
    require(member, Role.LEAD, Role.ADJUDICATOR)
    if decision.reopened_at:
        raise RefusedError("This decision was reopened already.")
    if not reason.strip():
        raise RefusedError("Say why the decision is reopened: the history keeps it.")
    decision.reopened_at, decision.reopened_by, decision.reopened_because = timezone.now(), member, reason.strip()
    decision.save(update_fields=["reopened_at", "reopened_by", "reopened_because"])
    audit.record(by=member, kind=AuditEntry.Kind.REOPENED, round_=decision.item.round, detail="one decision")
    return decision


@transaction.atomic
def reopen_acceptance(*, lead: Member, acceptance: Acceptance, reason: str) -> int:
    """Take back what was accepted together, where it is still in force; all of it stays in the history.

    Returns how many axes are open again. Raises RefusedError where none was in force any more.
    """
    require(lead, Role.LEAD)
    if acceptance.round.project_id != lead.project_id:
        raise RefusedError("These decisions belong to another project.")
    if not reason.strip():
        raise RefusedError("Say why the decisions are reopened: the history keeps it.")
    _lock_items(Item.objects.filter(decisions__acceptance=acceptance))
    in_force = Decision.objects.filter(acceptance=acceptance, reopened_at=None)
    number = in_force.update(reopened_at=timezone.now(), reopened_by=lead, reopened_because=reason.strip())
    if not number:
        raise RefusedError("None of these decisions is in force any more.")
    detail = f"acceptance {acceptance.number}"
    audit.record(by=lead, kind=AuditEntry.Kind.REOPENED, round_=acceptance.round, detail=detail)
    return number


def _require_discussed(item: Item, axis: ProjectAxis, votes: Sequence[Choice]) -> None:
    """Raises RefusedError where discussion comes first and still waits for somebody."""
    if item.round.rule != Round.Rule.DISCUSSION or outcome(votes).how is How.UNANIMOUS:
        return
    if not discussion_of(item=item, axis=axis).is_over:
        raise RefusedError(
            "The annotators are still discussing this. Decide once all have taken part, or the lead ends it."
        )


def _lock_items(items: QuerySet[Item]) -> None:
    """Lock items before deciding on them: of two who decide at once, one is told that it is decided."""
    ids = items.order_by("pk").values("pk")
    list(Item.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk").values_list("pk"))


def _write_decisions(round_: Round, accepted: Sequence[Acceptable], acceptance: Acceptance) -> None:
    axes = axes_of(codebook=round_.codebook)
    axis_by_code = {each.axis.code: each.axis for each in axes}
    versions = versions_by_code(axes)
    decisions = Decision.objects.bulk_create(
        Decision(
            item_id=each.item, axis=axis_by_code[each.axis], how=each.how, votes=each.outcome.votes,
            support=each.outcome.support, is_undecidable=each.outcome.choice.is_undecidable,
            number=number_in(each.outcome.choice.text), acceptance=acceptance,
        )
        for each in accepted
    )  # fmt: skip
    through = Decision.versions.through
    rows = []
    for decision, each in zip(decisions, accepted, strict=True):
        for code in each.outcome.choice.codes:
            rows.append(through(decision_id=decision.pk, nodeversion_id=versions[each.axis][code].pk))
    through.objects.bulk_create(rows)
