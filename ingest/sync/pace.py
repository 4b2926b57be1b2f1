"""How quickly a mirror's issues are looked at again: all within a day, spread over it, as far as the host allows that.

All mirrors of a host go round in the same time, however large each is. Where the host allows too little for a day, the
round takes as long as it must.
"""

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from ingest.hosts import Host
from ingest.models import Mirror
from ingest.sync.session import detailed_kinds
from kb.models import Issue, Repository

# Leaves some hours of a day for what goes wrong.
ROUND = dt.timedelta(hours=20)
# Runs are no more frequent than that; each looks at what fell due since the one before.
SHORTEST_STEP = dt.timedelta(minutes=30)
# A repository is small when so many questions show the whole of it.
FEW_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Pace:
    """How many issues a mirror has to look at, in which time, and how many one question is about."""

    held: int
    round: dt.timedelta
    at_once: int

    @property
    def step(self) -> dt.timedelta:
        """The time between two looks."""
        return max(SHORTEST_STEP, self.round * min(1.0, self.at_once / max(1, self.held)))

    def share(self, elapsed: dt.timedelta | None) -> int:
        """How many to look at, so long after the last look: whole questions, all issues at most."""
        due = self.held * ((elapsed or self.step) / self.round)
        questions = min(math.ceil(due / self.at_once), math.ceil(self.held / self.at_once))
        return max(1, questions) * self.at_once

    def time_for(self, issues: int) -> dt.timedelta:
        """How long looking at so many issues takes."""
        return self.round * (issues / max(1, self.held))


def looked_at(host: Host) -> QuerySet[Issue]:
    """What a host should have still; of pull requests only comments can be stale without our knowing."""
    issues = Issue.objects.filter(deleted_at__isnull=True, moved_to="", kind__in=detailed_kinds(host))
    return issues.exclude(node_id="").order_by("pk")


def held_of(*, host: Host, name: str) -> dict[int, int]:
    """How many issues there are to look at in each repository that is mirrored from the host of this name."""
    mirrors = Mirror.objects.filter(is_on=True, cursor__is_complete=True, repository__host=name)
    rows = looked_at(host).filter(repository__mirror__in=mirrors).order_by().values("repository")
    return {row["repository"]: row["number"] for row in rows.annotate(number=Count("pk"))}


def pace_of(*, repository: Repository, host: Host, held: Mapping[int, int]) -> Pace:
    """The pace of one mirror beside all others of its host, which hold so many."""
    needed = dt.timedelta(hours=sum(held.values()) / host.looks_an_hour)
    return Pace(held.get(repository.pk, 0), max(ROUND, needed), host.glanced_at_once)


def is_small(*, repository: Repository, host: Host) -> bool:
    """Return whether a few questions show the whole repository."""
    return looked_at(host).filter(repository=repository).count() <= FEW_QUESTIONS * host.glanced_at_once
