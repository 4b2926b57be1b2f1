"""The versions of a project's guidelines, and the rounds that use them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from labeling.models import Guideline, Member, Role, Round


@dataclass(frozen=True)
class GuidelineVersion:
    """A version with the rounds that use it."""

    guideline: Guideline
    rounds: Sequence[Round]


def newest(*, project_id: int) -> Guideline | None:
    """The version in force for the next round."""
    return _all(project_id).first()


def by_number(*, project_id: int, number: int) -> Guideline | None:
    """One version."""
    return _all(project_id).filter(number=number).first()


def history(*, member: Member) -> list[GuidelineVersion]:
    """All versions, the newest first, with the rounds that the member may know of; two statements."""
    rounds = Round.objects.filter(project=member.project_id, guideline__isnull=False).order_by("number")
    if not member.has(Role.LEAD):
        rounds = rounds.exclude(state=Round.State.DRAFT)
    used: dict[int | None, list[Round]] = {}
    for round_ in rounds:
        used.setdefault(round_.guideline_id, []).append(round_)
    guidelines = _all(member.project_id).defer("text")
    return [GuidelineVersion(guideline, used.get(guideline.pk, ())) for guideline in guidelines]


def _all(project_id: int) -> QuerySet[Guideline]:
    return Guideline.objects.filter(project=project_id).select_related("author__user").order_by("-number")
