"""A member's permissions on one axis of a released item, so that pages offer nothing that services would refuse."""

from dataclasses import dataclass

from labeling.models import Decision, Member, Role, Round
from labeling.outcomes import outcome
from labeling.selectors.acceptance import decided_by_votes
from labeling.selectors.dossier import AxisDossier


@dataclass(frozen=True)
class SettlingPermissions:
    """The permissions; `accepts`: the way in which the lead could accept what the votes decide.

    `end`, `resume`: end the discussion, and take that back.
    """

    discuss: bool
    revise: bool
    end: bool
    resume: bool
    decide: bool
    reopen: bool
    accepts: Decision.How | None


def settling_permissions(*, member: Member, round_: Round, axis: AxisDossier, has_voted: bool) -> SettlingPermissions:
    """The member's permissions, by their roles, their vote, and whether a decision is in force."""
    is_open = axis.decision is None
    is_lead, takes_part = member.has(Role.LEAD), member.has(Role.LEAD, Role.ANNOTATOR)
    by_votes = decided_by_votes(
        rule=round_.rule,
        blind=outcome([answer.said.choice for answer in axis.answers]),
        now=outcome([answer.now.choice for answer in axis.answers]),
        is_discussed=axis.discussion.is_over,
    )
    is_own = axis.decision is not None and axis.decision.adjudicator_id == member.pk
    is_discussing = round_.rule == Round.Rule.DISCUSSION and axis.in_conflict and not axis.discussion.is_over
    may_end = is_open and is_lead and round_.rule == Round.Rule.DISCUSSION and axis.in_conflict
    is_ended = axis.discussion.is_ended
    return SettlingPermissions(
        discuss=is_open and not is_ended and takes_part and (is_lead or has_voted),
        revise=is_open and not is_ended and takes_part and has_voted,
        end=may_end and not is_ended and bool(axis.discussion.missing),
        resume=may_end and is_ended,
        decide=is_open and not is_discussing and member.has(Role.ADJUDICATOR) and not has_voted,
        reopen=not is_open and (is_lead or (is_own and member.has(Role.ADJUDICATOR))),
        accepts=by_votes[0] if by_votes and is_open and is_lead else None,
    )
