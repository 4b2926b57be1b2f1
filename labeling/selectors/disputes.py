"""Where votes differ: which axes of which released issues, whether that is decided, and whom it waits for.

Few statements however many issues there are. What a member may not see is not there (`visible`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet, TextChoices

from labeling.models import Answer, Decision, Item, Member, Post, Revision, Round, Vote
from labeling.outcomes import Outcome, outcome
from labeling.selectors import visible
from labeling.selectors.acceptance import decided_by_votes
from labeling.selectors.votes import AxisVote, answers_of, with_revisions

Key = tuple[int, str]
REACH = 50


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

    @property
    def key(self) -> Key:
        return self.item, self.axis


@dataclass(frozen=True)
class Standing:
    """The axes in conflict, and by round number how many are unanimous."""

    disputes: list[Dispute]
    agreed: dict[int, Agreed]


@dataclass(frozen=True)
class Seen:
    """What disputes are read from."""

    votes: QuerySet[Vote]
    decisions: QuerySet[Decision]
    revisions: QuerySet[Revision]
    posts: QuerySet[Post]


def standing(*, member: Member, round_: Round | None = None, near: Item | None = None) -> Standing:
    """Where votes differ and where they do not, as the member may see it, of a round or of the project.

    `near`: only of the issues not far from this one in its round's sample, which is much faster in a large round.
    """
    scope = _scope(round_, near)
    return _standing(
        member.project_id,
        Seen(
            votes=visible.votes(member=member).filter(scope, item__released_at__isnull=False),
            decisions=visible.decisions(member=member).filter(scope, reopened_at=None),
            revisions=visible.revisions(member=member).filter(scope),
            posts=visible.posts(member=member).filter(scope),
        ),
    )


def disputes(*, member: Member, round_: Round | None = None, near: Item | None = None) -> list[Dispute]:
    """The axes in conflict alone, in the order of the samples."""
    return standing(member=member, round_=round_, near=near).disputes


def all_disputes(*, project_id: int, near: Item | None = None) -> list[Dispute]:
    """The same of all released votes, to tell an adjudicator what waits for them: what is in it is not to be shown."""
    scope = Q(item__round__project=project_id) & _scope(None, near)
    return _standing(
        project_id,
        Seen(
            votes=Vote.objects.filter(scope, item__released_at__isnull=False),
            decisions=Decision.objects.filter(scope, reopened_at=None),
            revisions=Revision.objects.filter(scope),
            posts=Post.objects.filter(scope),
        ),
    ).disputes


def _scope(round_: Round | None, near: Item | None) -> Q:
    if near:
        places = (near.position - REACH, near.position + REACH)
        return Q(item__round=near.round_id, item__position__range=places)
    return Q(item__round=round_) if round_ else Q()


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


def _standing(project_id: int, seen: Seen) -> Standing:
    places = _places(seen.votes)
    how = {(item, axis): value for item, axis, value in seen.decisions.values_list("item", "axis__code", "how")}
    agreed: dict[int, Agreed] = {}
    for one in places:
        if not one.differs:
            before = agreed.get(one.round, Agreed(0, 0))
            agreed[one.round] = Agreed(before.all + 1, before.open + (one.key not in how))
    differing = [place for place in places if place.differs]
    if not differing:
        return Standing([], agreed)
    waits = _Waits(project_id, seen, [place for place in differing if place.key not in how])
    voters = _voters(seen.votes, {place.item for place in differing})
    return Standing([_dispute(place, how, voters[place.item], waits) for place in differing], agreed)


def _voters(votes: QuerySet[Vote], items: Collection[int]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for item, member in votes.filter(item__in=items).values_list("item", "member"):
        found.setdefault(item, set()).add(member)
    return {item: frozenset(people) for item, people in found.items()}


def _dispute(place: _Place, how: Mapping[Key, str], people: frozenset[int], waits: "_Waits") -> Dispute:
    decided = how.get(place.key, "")
    on, missing = (Waits.NOBODY, frozenset[int]()) if decided else waits.of(place, people)
    return Dispute(place.item, place.round, place.position, place.axis, on, decided, people, missing)


class _Waits:
    """Whom undecided axes wait for, by the rule of their round; votes are read only where the rule asks for them."""

    def __init__(self, project_id: int, seen: Seen, undecided: Sequence[_Place]) -> None:
        self.rules = dict(Round.objects.filter(project=project_id).values_list("number", "rule"))
        self.active = set(Member.objects.filter(project=project_id, left_at=None).values_list("pk", flat=True))
        by_votes = [one for one in undecided if self.rules[one.round] in (Round.Rule.MAJORITY, Round.Rule.DISCUSSION)]
        keys, items = {one.key for one in by_votes}, {one.item for one in by_votes}
        answers = answers_of(votes=seen.votes.filter(item__in=items)) if items else ()
        asked = [one for one in answers if (one.item, one.axis) in keys]
        talked_of = {one.item for one in by_votes if self.rules[one.round] == Round.Rule.DISCUSSION}
        revisions = seen.revisions.filter(item__in=talked_of)
        self.blind, self.now = _grouped(asked), _grouped(with_revisions(votes=asked, revisions=revisions))
        self.revised = set(revisions.values_list("item", "axis__code", "member"))
        self.talked = {key[:2] for key in self.revised}
        self.talked |= set(seen.posts.filter(item__in=talked_of).values_list("item", "axis__code"))

    def of(self, place: _Place, people: frozenset[int]) -> tuple[Waits, frozenset[int]]:
        rule, key = self.rules[place.round], place.key
        if key not in self.blind:
            return Waits.ADJUDICATOR, frozenset()
        blind = _said(self.blind[key])
        now = _said(self.now[key]) if key in self.talked else blind
        if decided_by_votes(rule=rule, blind=blind, now=now, is_talked_about=key in self.talked):
            return Waits.LEAD, frozenset()
        if rule != Round.Rule.DISCUSSION:
            return Waits.ADJUDICATOR, frozenset()
        missing = frozenset(one for one in people & self.active if (*key, one) not in self.revised)
        return (Waits.ANNOTATORS if missing else Waits.ADJUDICATOR), missing


def _grouped(votes: Sequence[AxisVote]) -> dict[Key, list[AxisVote]]:
    found: dict[Key, list[AxisVote]] = {}
    for one in votes:
        found.setdefault((one.item, one.axis), []).append(one)
    return found


def _said(votes: Sequence[AxisVote]) -> Outcome:
    return outcome([one.choice for one in votes])
