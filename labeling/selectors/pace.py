"""A member's own progress and pace in a round; nothing about the work of others."""

from dataclasses import dataclass
from math import ceil

from django.db.models import Aggregate, Count, FloatField, Q

from labeling.models import Item, Member, Role, Round
from labeling.selectors import visible


class Median(Aggregate):
    """PostgreSQL's median; Django appends the filter to the template."""

    function = "percentile_cont"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True)
class Pace:
    """`done` of about `share` votes; `median_seconds` at work on an issue, None where no vote has a time."""

    done: int
    share: int
    median_seconds: float | None


def pace(*, member: Member, round_: Round) -> Pace:
    """How far the member is in a round, and how long an issue takes them; four statements at the most.

    The share is the votes of each annotator if all do as many.
    """
    own = visible.own_votes(member=member).filter(item__round=round_, item__dropped_at=None)
    counts = own.aggregate(done=Count("pk"), median=Median("active_seconds", filter=Q(active_seconds__gt=0)))
    items = Item.objects.filter(round=round_, dropped_at=None).count()
    people = round_.annotators.filter(left_at=None).count()
    if not people:
        annotators = Member.objects.filter(project=member.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
        people = annotators.count()
    share = min(items, ceil(items * round_.votes_wanted / max(1, people)))
    return Pace(counts["done"], max(share, counts["done"]), counts["median"])
