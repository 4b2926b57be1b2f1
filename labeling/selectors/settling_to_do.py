"""What waits to be settled, for several memberships of one person at once: answers in discussions, first opinions,
decisions, and for leads what the votes decide already.

A fixed number of statements. Only numbers come out, and only such as their reader may know: of what an adjudicator has
given no opinion on, no more than that one is wanted (`adjudication`); of everything else, what `visible` opens.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from labeling.models import Decision, Item, Member, Opinion, ProjectAxis, Role, Vote
from labeling.selectors.disputes import Dispute, Waits, standing_of

# A home page looks no further; what is beyond it comes up when this is done.
LOOKED_AT = 1_000
SETTLERS = (Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)


@dataclass(frozen=True)
class Settling:
    """What waits for one member. By round: questions that want their answer, and questions that a lead can accept.

    `opinions`, `decisions`: issues. `is_part`: there is more than was looked at.
    """

    discussions: Mapping[int, int] = field(default_factory=dict)
    opinions: int = 0
    decisions: int = 0
    accepting: Mapping[int, int] = field(default_factory=dict)
    is_part: bool = False


def settling(*, members: Sequence[Member]) -> dict[int, Settling]:
    """Membership id -> what waits for it to be settled."""
    members = [one for one in members if one.has(*SETTLERS)]
    projects = {one.project_id for one in members}
    rows = list(_undecided(projects).values_list("pk", "round", "round__project")[: LOOKED_AT + 1])
    if not rows:
        return {}
    found = standing_of(items=[pk for pk, _, _ in rows[:LOOKED_AT]], projects=projects)
    known = _Known(members, rows)
    items: dict[int, list[Dispute]] = {}
    for one in found.disputes:
        items.setdefault(one.item, []).append(one)
    is_part = len(rows) > LOOKED_AT
    return {one.pk: _of(one, known, items, found.unaccepted, is_part=is_part) for one in members}


def _undecided(projects: Collection[int]) -> QuerySet[Item]:
    decided = Decision.objects.filter(item=OuterRef(OuterRef("pk")), axis=OuterRef("pk"), reopened_at=None)
    open_axes = ProjectAxis.objects.filter(~Exists(decided), project=OuterRef("round__project"))
    items = Item.objects.filter(Exists(open_axes), round__project__in=projects, released_at__isnull=False)
    return items.order_by("round", "position")


class _Known:
    """Who voted on which of the items, and which of them still want whose first opinion."""

    def __init__(self, members: Sequence[Member], rows: Sequence[tuple[int, int, int]]) -> None:
        self.rounds = {item: round_ for item, round_, _ in rows}
        self.projects = {item: project for item, _, project in rows}
        self.voted = set(Vote.objects.filter(item__in=self.rounds, member__in=members).values_list("item", "member"))
        judges = [one for one in members if one.has(Role.ADJUDICATOR)]
        self._axes: dict[int, set[int]] = {}
        for axis, project in ProjectAxis.objects.filter(project__in=set(self.projects.values())).values_list(
            "pk", "project"
        ):
            self._axes.setdefault(project, set()).add(axis)
        given = Opinion.objects.filter(item__in=self.rounds, member__in=judges)
        self._given: dict[tuple[int, int], set[int]] = {}
        for item, member, axis in given.values_list("item", "member", "axis"):
            self._given.setdefault((item, member), set()).add(axis)
        decided = Decision.objects.filter(item__in=self.rounds, reopened_at=None).values_list("item", "axis")
        self._decided: dict[int, set[int]] = {}
        for item, axis in decided if judges else ():
            self._decided.setdefault(item, set()).add(axis)

    def wants_opinion(self, item: int, member: Member) -> bool:
        """Has the adjudicator an axis of it to give their first opinion on?"""
        done = self._given.get((item, member.pk), set()) | self._decided.get(item, set())
        return bool(self._axes[self.projects[item]] - done)

    def is_open_to(self, item: int, member: Member) -> bool:
        """As `visible.released_items` has it for this item."""
        if not member.has(Role.ADJUDICATOR):
            return True
        return (item, member.pk) in self.voted or not self.wants_opinion(item, member)


def _of(
    member: Member, known: _Known, disputes: Mapping[int, Sequence[Dispute]], unaccepted: Sequence[int],
    *, is_part: bool,
) -> Settling:  # fmt: skip
    mine = {item: some for item, some in disputes.items() if known.projects[item] == member.project_id}
    asked: Counter[int] = Counter()
    accepting: Counter[int] = Counter()
    opinions = decisions = 0
    for item, some in mine.items():
        waits = Counter(one.waits for one in some)
        asked[known.rounds[item]] += sum(member.pk in one.missing for one in some)
        if member.has(Role.LEAD) and known.is_open_to(item, member):
            accepting[known.rounds[item]] += waits[Waits.LEAD]
        if member.has(Role.ADJUDICATOR) and waits[Waits.ADJUDICATOR] and (item, member.pk) not in known.voted:
            wants = known.wants_opinion(item, member)
            opinions, decisions = opinions + wants, decisions + (not wants)
    for item in unaccepted if member.has(Role.LEAD) else ():
        if known.projects[item] == member.project_id and known.is_open_to(item, member):
            accepting[known.rounds[item]] += 1
    return Settling(+asked, opinions, decisions, +accepting, is_part)
