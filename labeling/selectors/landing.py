"""Where somebody's work is, so that logging in leads to it: a round to label, else cases to adjudicate."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from labeling.models import Member, Round
from labeling.selectors.places import Prospect
from labeling.selectors.repeats import work_standing
from labeling.selectors.team import memberships
from labeling.selectors.to_do import to_do


@dataclass(frozen=True)
class Work:
    """A round of a project that the person labels; without a `round`, the project's adjudicator's desk."""

    project: str
    round: int | None


def first_work(*, user: User) -> Work | None:
    """What waits for the person: of rounds with places left, the one with the nearest deadline; else a desk."""
    members = list(memberships(user=user).filter(project__archived_at=None, project__suspended_at=None))
    waiting = to_do(members=members)
    rounds = [round_ for member in members for round_ in waiting[member.pk].to_label] or _to_repeat(members)
    if rounds:
        first = min(rounds, key=_urgency)
        return Work(first.project.slug, first.number)
    for member in members:
        if waiting[member.pk].opinions or waiting[member.pk].decisions:
            return Work(member.project.slug, None)
    return None


def _to_repeat(members: Sequence[Member]) -> list[Round]:
    """The rounds in which nothing is left for these members but issues to answer again."""
    projects = {member.project_id: member for member in members}
    repeating = Round.objects.filter(project__in=projects, state=Round.State.OPEN, repeats__gt=0)
    return [
        round_
        for round_ in repeating.select_related("project")
        if work_standing(member=projects[round_.project_id], round_=round_).prospect is Prospect.NEXT
    ]


def _urgency(round_: Round) -> tuple[bool, str, int]:
    """Rounds without a deadline come last."""
    return round_.deadline is None, str(round_.deadline or ""), round_.pk
