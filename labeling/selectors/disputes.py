"""Where votes differ: which axes of which released issues, whether that is decided, and whom it waits for.

Few statements however many issues there are. What a member may not see is not there (`visible`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, TextChoices

from labeling.models import Answer, Decision, Member, Post, Revision, Round, Vote
from labeling.outcomes import Outcome, outcome
from labeling.selectors import visible
from labeling.selectors.acceptance import decided_by_votes
from labeling.selectors.votes import AxisVote, answers_of, with_revisions

Key = tuple[int, str]


class Waits(TextChoices):
    """Whom an axis waits for."""

    ANNOTATORS = "annotators", "The annotators"
    LEAD = "lead", "The lead"
    ADJUDICATOR = "adjudicator", "An adjudicator"
    NOBODY = "nobody", "Nobody: it is decided"


@dataclass(frozen=True)
class Dispute:
    """An axis of an item on which the blind votes differ.

    `decided`: how, or nothing. `people`: the ids of those who voted; `missing`: of the annotators that it waits for.
    """

    item: int
    round: int
    position: int
    axis: str
    waits: Waits
    decided: str
    people: frozenset[int]
    missing: frozenset[int]


@dataclass(frozen=True)
class Agreed:
    """How many axes of issues are unanimous; `open`: how many of them are not accepted yet."""

    all: int
    open: int


@dataclass(frozen=True)
class _Place:
    item: int
    round: int
    position: int
    axis: str
    differs: bool


@dataclass(frozen=True)
class Seen:
    """What disputes are read from."""

    votes: QuerySet[Vote]
    decisions: QuerySet[Decision]
    revisions: QuerySet[Revision]
    posts: QuerySet[Post]


def disputes(*, member: Member, round_: Round | None = None) -> list[Dispute]:
    """The axes in conflict that the member may see, of a round or of the project, in the order of the samples."""
    of_round = Q(item__round=round_) if round_ else Q()
    return _disputes(
        member.project_id,
        Seen(
            votes=visible.votes(member=member).filter(of_round, item__released_at__isnull=False),
            decisions=visible.decisions(member=member).filter(of_round, reopened_at=None),
            revisions=visible.revisions(member=member).filter(of_round),
            posts=visible.posts(member=member).filter(of_round),
        ),
    )


def all_disputes(*, project_id: int) -> list[Dispute]:
    """The same of all released votes, to tell an adjudicator what waits for them: what is in it is not to be shown."""
    return _disputes(
        project_id,
        Seen(
            votes=Vote.objects.filter(item__round__project=project_id, item__released_at__isnull=False),
            decisions=Decision.objects.filter(item__round__project=project_id, reopened_at=None),
            revisions=Revision.objects.filter(item__round__project=project_id),
            posts=Post.objects.filter(item__round__project=project_id),
        ),
    )


def unanimous(*, member: Member, round_: Round | None = None) -> dict[int, Agreed]:
    """Round number -> how many axes of released issues have votes, seen by the member, that are all the same."""
    of_round = Q(item__round=round_) if round_ else Q()
    votes = visible.votes(member=member).filter(of_round, item__released_at__isnull=False)
    decided = visible.decisions(member=member).filter(of_round, reopened_at=None)
    done = set(decided.values_list("item", "axis__code"))
    found: dict[int, Agreed] = {}
    for one in _places(votes):
        if not one.differs:
            before = found.get(one.round, Agreed(0, 0))
            found[one.round] = Agreed(before.all + 1, before.open + ((one.item, one.axis) not in done))
    return found


def _places(votes: QuerySet[Vote]) -> list[_Place]:
    """Every axis of every item. All answers are the same where each names every node that any of them names."""
    names = ("vote__item", "vote__item__round__number", "vote__item__position", "axis__code")
    order = ("vote__item__round__number", "vote__item__position", "axis__position")
    cast, kinds = Count("pk", distinct=True), Count("nodes__version", distinct=True)
    rows = Answer.objects.filter(vote__in=votes).values(*names, "axis__position").order_by(*order)
    grouped = rows.annotate(cast=cast, kinds=kinds, named=Count("nodes"))
    values = grouped.values_list(*names, "cast", "kinds", "named")
    return [
        _Place(item, number, position, axis, named != cast * kinds)
        for item, number, position, axis, cast, kinds, named in values
    ]


def _disputes(project_id: int, seen: Seen) -> list[Dispute]:
    differing = [place for place in _places(seen.votes) if place.differs]
    if not differing:
        return []
    how = {(item, axis): value for item, axis, value in seen.decisions.values_list("item", "axis__code", "how")}
    items = {place.item for place in differing}
    answers = _grouped(list(answers_of(votes=seen.votes.filter(item__in=items))))
    waits = _Waits(project_id, seen, answers, {(one.item, one.axis) for one in differing} - set(how))
    return [_dispute(place, how, answers, waits) for place in differing]


def _dispute(
    place: _Place, how: Mapping[Key, str], answers: Mapping[Key, Sequence[AxisVote]], waits: "_Waits"
) -> Dispute:
    key = (place.item, place.axis)
    decided = how.get(key, "")
    on, missing = (Waits.NOBODY, frozenset[int]()) if decided else waits.of(key, place.round)
    people = frozenset(one.member for one in answers[key])
    return Dispute(place.item, place.round, place.position, place.axis, on, decided, people, missing)


class _Waits:
    """Whom undecided axes wait for, by the rule of their round."""

    def __init__(
        self, project_id: int, seen: Seen, answers: Mapping[Key, Sequence[AxisVote]], undecided: Collection[Key]
    ) -> None:
        self.answers = answers
        self.rules = dict(Round.objects.filter(project=project_id).values_list("number", "rule"))
        self.active = set(Member.objects.filter(project=project_id, left_at=None).values_list("pk", flat=True))
        items = {item for item, _ in undecided}
        revisions = seen.revisions.filter(item__in=items)
        flat = [one for key in undecided for one in answers[key]]
        self.now = _grouped(with_revisions(votes=flat, revisions=revisions))
        self.revised = set(revisions.values_list("item", "axis__code", "member"))
        self.talked = {key[:2] for key in self.revised}
        self.talked |= set(seen.posts.filter(item__in=items).values_list("item", "axis__code"))

    def of(self, key: Key, round_number: int) -> tuple[Waits, frozenset[int]]:
        rule = self.rules[round_number]
        blind, now = _said(self.answers[key]), _said(self.now[key])
        if decided_by_votes(rule=rule, blind=blind, now=now, is_talked_about=key in self.talked):
            return Waits.LEAD, frozenset()
        if rule != Round.Rule.DISCUSSION:
            return Waits.ADJUDICATOR, frozenset()
        people = {one.member for one in self.answers[key]} & self.active
        missing = frozenset(one for one in people if (*key, one) not in self.revised)
        return (Waits.ANNOTATORS if missing else Waits.ADJUDICATOR), missing


def _grouped(votes: Sequence[AxisVote]) -> dict[Key, list[AxisVote]]:
    found: dict[Key, list[AxisVote]] = {}
    for one in votes:
        found.setdefault((one.item, one.axis), []).append(one)
    return found


def _said(votes: Sequence[AxisVote]) -> Outcome:
    return outcome([one.choice for one in votes])
