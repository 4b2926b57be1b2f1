"""A member's permissions on one axis of a released item, so that pages offer nothing that services would refuse."""

from dataclasses import dataclass

from labeling.models import Decision, Member, Role, Round
from labeling.outcomes import outcome
from labeling.selectors.acceptance import decided_by_votes
from labeling.selectors.dossier import AxisDossier


@dataclass(frozen=True)
class SettlingPermissions:
    """The permissions; `accepts`: the way in which the lead could accept what the votes decide."""

    discuss: bool
    revise: bool
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
        is_talked_about=bool(axis.posts) or axis.is_revised,
    )
    is_own = axis.decision is not None and axis.decision.adjudicator_id == member.pk
    return SettlingPermissions(
        discuss=is_open and takes_part and (is_lead or has_voted),
        revise=is_open and takes_part and has_voted,
        decide=is_open and member.has(Role.ADJUDICATOR) and not has_voted,
        reopen=not is_open and (is_lead or (is_own and member.has(Role.ADJUDICATOR))),
        accepts=by_votes[0] if by_votes and is_open and is_lead else None,
    )
