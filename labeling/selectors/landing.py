"""Where somebody's work is, so that logging in leads to it: a round to label, else cases to adjudicate."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from labeling.models import Round
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
    rounds = [round_ for member in members for round_ in waiting[member.pk].to_label]
    if rounds:
        first = min(rounds, key=_urgency)
        return Work(first.project.slug, first.number)
    for member in members:
        if waiting[member.pk].opinions or waiting[member.pk].decisions:
            return Work(member.project.slug, None)
    return None


def _urgency(round_: Round) -> tuple[bool, str, int]:
    """Rounds without a deadline come last."""
    return round_.deadline is None, str(round_.deadline or ""), round_.pk
