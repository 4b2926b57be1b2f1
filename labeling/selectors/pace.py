"""A member's own progress and pace in a round. Nothing here tells what others have done."""

from dataclasses import dataclass
from math import ceil

from django.db.models import Aggregate, Count, FloatField, Q

from labeling.models import Item, Member, Role, Round
from labeling.selectors import visible


class Median(Aggregate):
    """The middle value."""

    function = "percentile_cont"
    # Django puts the filter behind it.
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True)
class Pace:
    """`done` of about `share` votes; `median_seconds` at work on an issue, None where it was measured for no vote."""

    done: int
    share: int
    median_seconds: float | None


def pace(*, member: Member, round_: Round) -> Pace:
    """How far the member is in a round, and how long an issue takes them; three statements.

    The share is what each annotator has to do if all do as much.
    """
    own = visible.votes(member=member).filter(member=member, item__round=round_)
    found = own.aggregate(done=Count("pk"), median=Median("active_seconds", filter=Q(active_seconds__gt=0)))
    items = Item.objects.filter(round=round_).count()
    people = round_.annotators.filter(left_at=None).count() or _annotators(member)
    share = min(items, ceil(items * round_.votes_wanted / max(1, people)))
    return Pace(found["done"], max(share, found["done"]), found["median"])


def _annotators(member: Member) -> int:
    people = Member.objects.filter(project=member.project_id, left_at=None, roles__contains=[Role.ANNOTATOR])
    return people.count()
