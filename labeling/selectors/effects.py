"""What settling did: agreement before and after the discussion, why annotators differed, and what a recheck changed.

The blind agreement is the one that counts (`agreement`); what is here stands beside it and never replaces it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet

from labeling.agreement import AxisReport, AxisVotes, Coefficient, report_axes
from labeling.models import Member, ProjectAxis, Proposal, Revision, Round
from labeling.selectors import visible
from labeling.selectors.adjudication import causes
from labeling.selectors.agreement import KEYS
from labeling.selectors.results import AT_ONCE, KEPT_SECONDS, VoteSet, vote_set
from labeling.selectors.votes import AxisVote, answers_of, with_revisions


@dataclass(frozen=True)
class Change:
    """The agreement on one axis before and after; `moved`: how many answers are others than before."""

    axis: str
    issues: int
    moved: int
    percent: tuple[Coefficient, Coefficient]
    alpha: tuple[Coefficient, Coefficient]


@dataclass(frozen=True)
class AxisCauses:
    """Why annotators differed on an axis, as adjudicators see it, with how often."""

    axis: str
    causes: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """How many decisions say so."""
        return sum(number for _, number in self.causes)


def discussion_effects(*, member: Member, round_: Round) -> list[Change]:
    """The agreement of the released votes that the member may see, blind and as they were revised.

    It is kept until there are more of either: neither votes nor revisions ever change.
    """
    votes, revisions = _compared(member, round_)
    key = _key(votes, revisions)
    kept: list[Change] | None = cache.get(key)
    if kept is None:
        before = list(answers_of(votes=votes.votes))
        after = with_revisions(votes=before, revisions=revisions)
        moved = [(a.axis, a.choice != b.choice) for a, b in zip(before, after, strict=True)]
        kept = _changes(before, after, moved)
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def effects_wanted(*, member: Member, round_: Round) -> str:
    """What tells these votes and revisions from others, where there are many and nobody has compared them yet."""
    votes, revisions = _compared(member, round_)
    key = _key(votes, revisions)
    return key if votes.number > AT_ONCE and cache.get(key) is None else ""


def _compared(member: Member, round_: Round) -> tuple[VoteSet, QuerySet[Revision]]:
    votes = visible.votes(member=member).filter(item__round=round_, item__released_at__isnull=False)
    revisions = visible.revisions(member=member).filter(item__round=round_)
    return vote_set(votes, project_id=member.project_id), revisions


def _key(votes: VoteSet, revisions: QuerySet[Revision]) -> str:
    found = revisions.order_by().aggregate(number=Count("pk"), last=Max("pk"))
    return f"labeling:effects:1:{votes.fingerprint}:{found['number']}:{found['last']}"


def round_causes(*, member: Member, round_: Round) -> list[AxisCauses]:
    """The causes that adjudicators found, by axis; axes without any are left out."""
    seen = visible.decisions(member=member).filter(item__round=round_)
    axes = ProjectAxis.objects.filter(project=member.project_id).order_by("position")
    found = [AxisCauses(axis.name, tuple(causes(seen.filter(axis=axis)))) for axis in axes]
    return [one for one in found if one.causes]


def recheck_effect(*, member: Member, proposal: Proposal) -> Change | None:
    """The agreement on the proposal's axis in the earlier votes on the issues it touched, and in the recheck's.

    None while there is no recheck, or nothing of it is released for the member.
    """
    if proposal.recheck is None:
        return None
    seen = visible.votes(member=member).filter(item__released_at__isnull=False)
    axis = proposal.axis.code
    later = [one for one in answers_of(votes=seen.filter(item__round=proposal.recheck)) if one.axis == axis]
    earlier_items = proposal.recheck.sample.get("items", ())
    earlier = [one for one in answers_of(votes=seen.filter(item__in=earlier_items)) if one.axis == axis]
    return next(iter(_changes(earlier, later, ())), None) if later and earlier else None


def _changes(before: list[AxisVote], after: list[AxisVote], moved: Iterable[tuple[str, bool]]) -> list[Change]:
    counts: dict[str, int] = {}
    for axis, has_moved in moved:
        counts[axis] = counts.get(axis, 0) + has_moved
    earlier = _reports(before)
    later = earlier if before == after else _reports(after)
    return [_change(earlier[axis], later[axis], counts.get(axis, 0)) for axis in earlier if axis in later]


def _change(before: AxisReport, after: AxisReport, moved: int) -> Change:
    known = [{one.key: one for one in report.coefficients} for report in (before, after)]
    # The same measure on both sides, also where only one of them has issues with several answers.
    key = next(key for key in KEYS[Round.Measure.ALPHA] if all(key in some for some in known))
    return Change(
        before.axis, before.units, moved, (known[0]["percent"], known[1]["percent"]), (known[0][key], known[1][key])
    )


def _reports(votes: Iterable[AxisVote]) -> dict[str, AxisReport]:
    """By axis; without intervals, which are the agreement report's."""
    rows: dict[str, list[tuple[int, str, frozenset[str]]]] = {}
    for vote in votes:
        rows.setdefault(vote.axis, []).append((vote.item, str(vote.member), frozenset(vote.choice.codes)))
    reports = report_axes([AxisVotes(axis, some) for axis, some in rows.items()], samples=0)
    return {report.axis: report for report in reports}
