"""Counts of what waits to be settled, for several memberships of one person at once: answers in discussions, first
opinions, decisions, and for leads the answers that they can accept.

A fixed number of statements. The counts include only what the member may know: of items without an adjudicator's first
opinion no more than that one is wanted (`adjudication`); of everything else what `visible` gives.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef

from labeling.models import IN_WORDS, Decision, Item, Member, Opinion, ProjectAxis, Role, Round, Vote
from labeling.selectors.axes import settled_by
from labeling.selectors.disputes import Dispute, Waits, standing_of

# The most items that are looked at; the others come up once these are settled.
LOOKED_AT = 1_000
SETTLERS = (Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)


@dataclass(frozen=True)
class Settling:
    """What waits for one member.

    `discussions` and `accepting`: round id -> axes that want their answer, and axes that the lead can accept.
    `opinions`, `decisions`: issues. `is_part`: there are more items than were looked at.
    """

    discussions: Mapping[int, int] = field(default_factory=dict)
    opinions: int = 0
    decisions: int = 0
    accepting: Mapping[int, int] = field(default_factory=dict)
    is_part: bool = False


def settling(*, members: Sequence[Member]) -> dict[int, Settling]:
    """Membership id -> what waits for it to be settled."""
    members = [member for member in members if member.has(*SETTLERS)]
    projects = {member.project_id for member in members}
    decided = Decision.objects.filter(item=OuterRef(OuterRef("pk")), axis=OuterRef("pk"), reopened_at=None)
    settled = settled_by(OuterRef("round__codebook__number"))
    open_axes = ProjectAxis.objects.filter(settled, ~Exists(decided), project=OuterRef("round__project"))
    items = Item.objects.filter(Exists(open_axes), round__project__in=projects, released_at__isnull=False)
    rows = list(items.order_by("round", "position").values_list("pk", "round", "round__project")[: LOOKED_AT + 1])
    if not rows:
        return {}
    standing = standing_of(items=[pk for pk, _, _ in rows[:LOOKED_AT]], projects=projects)
    disputes: dict[int, list[Dispute]] = {}
    for dispute in standing.disputes:
        disputes.setdefault(dispute.item, []).append(dispute)
    records = _Records(members, rows)
    is_part = len(rows) > LOOKED_AT
    return {
        member.pk: _settling_of(member, records, disputes, standing.unaccepted, is_part=is_part) for member in members
    }


class _Records:
    """The items' rounds and projects, their voters, and the axes that still want an adjudicator's first opinion."""

    def __init__(self, members: Sequence[Member], rows: Sequence[tuple[int, int, int]]) -> None:
        self.rounds = {item: round_id for item, round_id, _ in rows}
        self.projects = {item: project for item, _, project in rows}
        self.voted = set(Vote.objects.filter(item__in=self.rounds, member__in=members).values_list("item", "member"))
        rounds = Round.objects.filter(pk__in=set(self.rounds.values()))
        self._codebooks = dict(rounds.values_list("pk", "codebook__number"))
        self._axes: dict[int, dict[int, int]] = {}
        settled = ProjectAxis.objects.filter(project__in=set(self.projects.values())).exclude(kind__in=IN_WORDS)
        for pk, project, since in settled.values_list("pk", "project", "since"):
            self._axes.setdefault(project, {})[pk] = since
        adjudicators = [member for member in members if member.has(Role.ADJUDICATOR)]
        self._opinions: dict[tuple[int, int], set[int]] = {}
        opinions = Opinion.objects.filter(item__in=self.rounds, member__in=adjudicators)
        for item, member, axis in opinions.values_list("item", "member", "axis_id"):
            self._opinions.setdefault((item, member), set()).add(axis)
        self._decided: dict[int, set[int]] = {}
        if adjudicators:
            decisions = Decision.objects.filter(item__in=self.rounds, reopened_at=None)
            for item, axis in decisions.values_list("item", "axis_id"):
                self._decided.setdefault(item, set()).add(axis)

    def wants_opinion(self, item: int, member: Member) -> bool:
        """Whether an axis of the item wants the adjudicator's first opinion."""
        done = self._opinions.get((item, member.pk), set()) | self._decided.get(item, set())
        codebook = self._codebooks[self.rounds[item]]
        axes = self._axes.get(self.projects[item], {})
        return any(since <= codebook and pk not in done for pk, since in axes.items())

    def is_visible(self, item: int, member: Member) -> bool:
        """Whether `visible.released_items` has the item, which is released."""
        if not member.has(Role.ADJUDICATOR):
            return True
        return (item, member.pk) in self.voted or not self.wants_opinion(item, member)


def _settling_of(
    member: Member, records: _Records, disputes: Mapping[int, Sequence[Dispute]], unaccepted: Sequence[int],
    *, is_part: bool,
) -> Settling:  # fmt: skip
    discussions: Counter[int] = Counter()
    accepting: Counter[int] = Counter()
    opinions = decisions = 0
    for item, item_disputes in disputes.items():
        if records.projects[item] != member.project_id:
            continue
        round_id = records.rounds[item]
        waits = Counter(dispute.waits for dispute in item_disputes)
        discussions[round_id] += sum(member.pk in dispute.missing for dispute in item_disputes)
        if member.has(Role.LEAD) and records.is_visible(item, member):
            accepting[round_id] += waits[Waits.LEAD]
        if member.has(Role.ADJUDICATOR) and waits[Waits.ADJUDICATOR] and (item, member.pk) not in records.voted:
            if records.wants_opinion(item, member):
                opinions += 1
            else:
                decisions += 1
    if member.has(Role.LEAD):
        for item in unaccepted:
            if records.projects[item] == member.project_id and records.is_visible(item, member):
                accepting[records.rounds[item]] += 1
    # The unary plus drops zeros.
    return Settling(+discussions, opinions, decisions, +accepting, is_part)
