"""Preparing rounds: what a lead decides before a round opens, and the checks on it.

Opening, closing and changing the number of votes are `rounds`'; samples are `sampling`'s.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.models import (
    LEAST_HELD,
    MOST_AFTER,
    MOST_HELD,
    MOST_REPEATS,
    MOST_VOTES,
    REPEATED_AFTER,
    AuditEntry,
    Codebook,
    CodebookNode,
    Exclusion,
    Guideline,
    Member,
    Project,
    ProjectNode,
    Proposal,
    Role,
    Round,
)
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.discussions import require_days
from labeling.services.people import require, require_at_work
from labeling.services.rounds import locked_round, prepare_round

MOST_HOLD_MINUTES = 7 * 24 * 60


@dataclass(frozen=True)
class Plan:
    """What is decided about a round. No `annotators`: all of the project; `excluding`: for screening rounds only."""

    kind: Round.Kind
    name: str
    votes_wanted: int
    seniors_wanted: int = 0
    rule: Round.Rule = Round.Rule.MAJORITY
    release: Round.Release = Round.Release.ROUND
    hold_minutes: int = 60
    places_held: int = 3
    repeats: int = 0
    repeats_after: int = REPEATED_AFTER
    deadline: dt.date | None = None
    discussion_days: int | None = None
    annotators: Sequence[Member] = ()
    excluding: Sequence[ProjectNode] = ()
    gate_round: Round | None = None
    gate_measure: str = ""
    gate_at_least: float | None = None

    def columns(self) -> dict[str, Any]:
        """The plan as columns of `Round`: all but the two relations."""
        return {key: value for key, value in vars(self).items() if key not in ("annotators", "excluding")}


@transaction.atomic
def plan_round(*, lead: Member, plan: Plan) -> Round:
    """Prepare a round as planned, by the newest codebook and guidelines."""
    require(lead, Role.LEAD)
    _require_sound(lead, plan)
    round_ = prepare_round(lead=lead, **plan.columns())
    _require_earlier_gate(plan, round_)
    round_.annotators.set(plan.annotators)
    _set_exclusions(round_, plan.excluding)
    # The next round begins with the same repeats, also in a project that is cloned from this one.
    Project.objects.filter(pk=lead.project_id).update(repeats=plan.repeats, repeats_after=plan.repeats_after)
    return round_


@transaction.atomic
def change_plan(*, lead: Member, round_: Round, plan: Plan) -> Round:
    """Change a draft round, which takes the newest codebook and guidelines; returns it as now stored."""
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    _require_sound(lead, plan)
    _require_earlier_gate(plan, round_)
    for key, value in plan.columns().items():
        setattr(round_, key, value)
    round_.codebook = Codebook.objects.filter(project=lead.project_id).order_by("-number")[0]
    round_.guideline = Guideline.objects.filter(project=lead.project_id).order_by("-number").first()
    round_.save()
    round_.annotators.set(plan.annotators)
    _set_exclusions(round_, plan.excluding)
    return round_


@transaction.atomic
def move_deadline(*, lead: Member, round_: Round, deadline: dt.date | None) -> None:
    """Give a round that is not closed another deadline, or none."""
    round_ = locked_round(lead, round_, Round.State.DRAFT, Round.State.OPEN)
    _require_future(deadline)
    Round.objects.filter(pk=round_.pk).update(deadline=deadline)
    audit.record(by=lead, kind=AuditEntry.Kind.DEADLINE, round_=round_, detail=str(deadline or "none"))


@transaction.atomic
def discard_round(*, lead: Member, round_: Round) -> None:
    """Delete a round that was never opened. Raises RefusedError where it is in another round's gate.

    A recheck's issues are those that its proposal touches, so nothing is lost: a lead can prepare the recheck anew, and
    its issues are then found again from the votes.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    if waiting := round_.gated.first():
        raise RefusedError(f"The round “{waiting.name}” uses this one as its gate. Change that first.")
    audit.record(by=lead, kind=AuditEntry.Kind.DISCARDED, round_=round_)
    Proposal.objects.filter(recheck=round_).update(recheck=None)
    round_.items.all().delete()
    round_.delete()


def _set_exclusions(round_: Round, nodes: Sequence[ProjectNode]) -> None:
    Exclusion.objects.filter(round=round_).exclude(node__in=nodes).delete()
    Exclusion.objects.bulk_create(
        (Exclusion(round=round_, project_id=round_.project_id, node=node, axis_id=node.axis_id) for node in nodes),
        ignore_conflicts=True,
    )


def _require_sound(lead: Member, plan: Plan) -> None:
    require_at_work(lead)
    if not plan.name.strip():
        raise RefusedError("Give the round a name.")
    if not 1 <= plan.votes_wanted <= MOST_VOTES:
        raise RefusedError(f"An issue has between 1 and {MOST_VOTES} votes.")
    if plan.seniors_wanted > plan.votes_wanted:
        raise RefusedError("A round cannot ask for more senior votes than votes.")
    if not 1 <= plan.hold_minutes <= MOST_HOLD_MINUTES:
        raise RefusedError("A reservation lasts between one minute and one week.")
    if not LEAST_HELD <= plan.places_held <= MOST_HELD:
        raise RefusedError(f"One person may hold between {LEAST_HELD} and {MOST_HELD} issues at the same time.")
    _require_few_repeats(plan)
    _require_future(plan.deadline)
    require_days(plan.discussion_days)
    for annotator in plan.annotators:
        if annotator.project_id != lead.project_id or not annotator.has(Role.ANNOTATOR):
            raise RefusedError("Only annotators of the project can be chosen for a round.")
    _require_exclusions(lead, plan)
    gate = (plan.gate_round is not None, bool(plan.gate_measure), plan.gate_at_least is not None)
    if any(gate) and not all(gate):
        raise RefusedError("A gate needs three parts: an earlier round, a measure and a minimum.")
    if plan.gate_at_least is not None and not 0 < plan.gate_at_least <= 1:
        raise RefusedError("A gate's minimum is above 0 and at most 1.")


def _require_few_repeats(plan: Plan) -> None:
    if not (0 <= plan.repeats <= MOST_REPEATS and 1 <= plan.repeats_after <= MOST_AFTER):
        raise RefusedError(f"Up to {MOST_REPEATS} issues are repeated, each after 1 to {MOST_AFTER:,} other votes.")


def _require_future(deadline: dt.date | None) -> None:
    if deadline and deadline < timezone.now().date():
        raise RefusedError("The deadline has passed already.")


def _require_exclusions(lead: Member, plan: Plan) -> None:
    if plan.kind != Round.Kind.SCREENING:
        if plan.excluding:
            raise RefusedError("Only a screening round excludes issues.")
        return
    codebook = Codebook.objects.filter(project=lead.project_id).order_by("-number").first()
    nodes = [node.pk for node in plan.excluding]
    if not nodes or CodebookNode.objects.filter(codebook=codebook, node__in=nodes).count() < len(nodes):
        raise RefusedError("Choose the answers by which a vote excludes an issue, from the newest codebook.")


def _require_earlier_gate(plan: Plan, round_: Round) -> None:
    if plan.gate_round is None:
        return
    # Read anew: with the project locked, nobody can delete it from now on.
    gate = Round.objects.filter(pk=plan.gate_round.pk).first()
    if gate is None or gate.project_id != round_.project_id or gate.number >= round_.number:
        raise RefusedError("Only an earlier round of the same project can be a gate.")
