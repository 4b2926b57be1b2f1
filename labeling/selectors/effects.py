"""What settling changed: agreement before and after the discussion, causes of disagreement, the effect of a recheck.

The blind agreement is the one that counts (`agreement`); these numbers are shown beside it and never replace it.
"""

from collections import Counter
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet

from labeling.agreement import Coefficient
from labeling.models import Member, ProjectAxis, Proposal, Revision, Round
from labeling.selectors import visible
from labeling.selectors.adjudication import causes
from labeling.selectors.agreement import KEYS, reports_of
from labeling.selectors.results import AT_ONCE, KEPT_SECONDS, VoteSet, vote_set
from labeling.selectors.votes import AxisVote, answers_of, blind_arm, with_revisions


@dataclass(frozen=True)
class Change:
    """The agreement on one axis before and after; `moved`: how many answers changed."""

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

    Cached under the votes and revisions it compares: neither ever change.
    """
    votes, revisions, cache_key = _compared(member, round_)
    changes: list[Change] | None = cache.get(cache_key)
    if changes is None:
        before = list(answers_of(votes=votes.votes))
        after = with_revisions(votes=before, revisions=revisions)
        moved = Counter(old.axis for old, new in zip(before, after, strict=True) if old.choice != new.choice)
        changes = _changes(before, after, moved, member.project_id)
        cache.set(cache_key, changes, KEPT_SECONDS)
    return changes


def effects_wanted(*, member: Member, round_: Round) -> str:
    """The cache key of a comparison that is left to the workers and not there yet; else empty."""
    votes, _, cache_key = _compared(member, round_)
    return cache_key if votes.number > AT_ONCE and cache.get(cache_key) is None else ""


def _compared(member: Member, round_: Round) -> tuple[VoteSet, QuerySet[Revision], str]:
    """The votes and revisions that the member may see, and the cache key of their comparison."""
    votes = blind_arm(visible.votes(member=member).filter(item__round=round_, item__released_at__isnull=False))
    revisions = visible.revisions(member=member).filter(item__round=round_)
    compared = vote_set(votes, project_id=member.project_id)
    counts = revisions.order_by().aggregate(number=Count("pk"), last=Max("pk"))
    return compared, revisions, f"labeling:effects:1:{compared.fingerprint}:{counts['number']}:{counts['last']}"


def round_causes(*, member: Member, round_: Round) -> list[AxisCauses]:
    """The causes that adjudicators found, by axis; axes without any are left out."""
    decisions = visible.decisions(member=member).filter(item__round=round_)
    axes = ProjectAxis.objects.filter(project=member.project_id).order_by("position")
    rows = [AxisCauses(axis.name, tuple(causes(decisions.filter(axis=axis)))) for axis in axes]
    return [row for row in rows if row.causes]


def recheck_effect(*, member: Member, proposal: Proposal) -> Change | None:
    """The agreement on the proposal's axis in the earlier votes on the issues it touched, and in the recheck's.

    None while there is no recheck, or nothing of it is released for the member.
    """
    if proposal.recheck is None:
        return None
    released = blind_arm(visible.votes(member=member).filter(item__released_at__isnull=False))
    earlier = released.filter(item__in=proposal.recheck.sample.get("items", ()))
    later = released.filter(item__round=proposal.recheck)
    axis = proposal.axis.code
    before = [vote for vote in answers_of(votes=earlier) if vote.axis == axis]
    after = [vote for vote in answers_of(votes=later) if vote.axis == axis]
    changes = _changes(before, after, Counter(), member.project_id)
    return changes[0] if changes else None


def _changes(before: list[AxisVote], after: list[AxisVote], moved: Counter[str], project_id: int) -> list[Change]:
    """A change for each axis with votes on both sides; `moved`: axis code -> how many answers changed."""
    reports_before = {report.axis: report for report in reports_of(votes=before, project_id=project_id, samples=0)}
    reports_after = reports_before
    if before != after:
        reports_after = {report.axis: report for report in reports_of(votes=after, project_id=project_id, samples=0)}
    changes = []
    for axis, report in reports_before.items():
        if axis in reports_after:
            old = {coefficient.key: coefficient for coefficient in report.coefficients}
            new = {coefficient.key: coefficient for coefficient in reports_after[axis].coefficients}
            # The same measure on both sides, also where only one of them has issues with several answers.
            keys = [key for key in KEYS[Round.Measure.ALPHA] if key in old and key in new]
            percent, alpha = (old["percent"], new["percent"]), (old[keys[0]], new[keys[0]])
            changes.append(Change(axis, report.units, moved[axis], percent, alpha))
    return changes
