"""Everything on record about one released item: blind votes, revisions, discussion, opinions, decisions, by axis.

What the reader may not see is not there (`visible`); before an adjudicator's first opinion that is all of it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_uppercase

from labeling.ballots import Choice
from labeling.models import (
    Answer,
    Decision,
    Evidence,
    Item,
    Member,
    NodeVersion,
    Opinion,
    Post,
    ProjectAxis,
    Revision,
    Vote,
)
from labeling.outcomes import How, outcome, same
from labeling.selectors import visible
from labeling.selectors.names import name_of


@dataclass(frozen=True)
class Said:
    """An answer: node versions, or that the report does not tell."""

    versions: tuple[NodeVersion, ...]
    is_undecidable: bool

    @property
    def choice(self) -> Choice:
        """The same by codes."""
        return Choice(tuple(version.node.code for version in self.versions), self.is_undecidable)


@dataclass(frozen=True)
class Voter:
    """Who voted, under the name that the reader sees, with a letter to find their passages by."""

    member: Member
    name: str
    letter: str
    place: int
    vote: Vote


@dataclass(frozen=True)
class BlindAnswer:
    """What a voter answered on an axis, the passages it rests on, and what they say now if they revised it."""

    voter: Voter
    said: Said
    passages: tuple[Evidence, ...]
    revised: Said | None

    @property
    def now(self) -> Said:
        """What counts after the discussion."""
        return self.revised or self.said


@dataclass(frozen=True)
class Chosen:
    """A node that somebody chose, with who did."""

    version: NodeVersion
    voters: tuple[Voter, ...]


@dataclass(frozen=True)
class Pairs:
    """How many pairs of voters gave the same answer, of how many."""

    same: int
    all: int


@dataclass(frozen=True)
class AxisDossier:
    """One axis of the item; `decision` is the one in force, `history` those that were reopened."""

    axis: ProjectAxis
    how: How
    answers: tuple[BlindAnswer, ...]
    chosen: tuple[Chosen, ...]
    before: Pairs
    after: Pairs
    posts: tuple[Post, ...]
    opinions: tuple[Opinion, ...]
    decision: Decision | None
    history: tuple[Decision, ...]

    @property
    def in_conflict(self) -> bool:
        """Do the blind votes differ?"""
        return self.how in (How.MAJORITY, How.CONFLICT)

    @property
    def is_revised(self) -> bool:
        """Has anybody revised their answer?"""
        return any(one.revised for one in self.answers)


@dataclass(frozen=True)
class Dossier:
    """An item's voters, passages and axes."""

    voters: tuple[Voter, ...]
    passages: tuple[tuple[Evidence, Voter], ...]
    axes: tuple[AxisDossier, ...]


def dossier(*, reader: Member, item: Item) -> Dossier:
    """What the reader may see of a released item; a fixed number of statements."""
    votes = visible.votes(member=reader).filter(item=item, item__released_at__isnull=False)
    voters = _voters(reader, votes.select_related("member__user").order_by("member"))
    by_vote = {one.vote.pk: one for one in voters}
    evidence = list(visible.evidence(member=reader).filter(vote__in=by_vote).order_by("part", "start", "pk"))
    answers = Answer.objects.filter(vote__in=by_vote).select_related("axis").order_by("axis__position", "vote__member")
    by_axis: dict[int, list[Answer]] = {}
    for answer in answers.prefetch_related("nodes__version__node"):
        by_axis.setdefault(answer.axis_id, []).append(answer)
    record = _Record(reader, item, by_vote, evidence)
    axes = tuple(record.axis(some[0].axis, some) for some in by_axis.values())
    return Dossier(voters, tuple((one, by_vote[one.vote_id]) for one in evidence), axes)


class _Record:
    """What stands beside the votes of an item, read once for all axes."""

    def __init__(self, reader: Member, item: Item, voters: dict[int, Voter], evidence: Sequence[Evidence]) -> None:
        self.voters, self.evidence = voters, evidence
        revisions = visible.revisions(member=reader).filter(item=item).prefetch_related("versions__node")
        self.revisions = {(one.axis_id, one.member_id): one for one in revisions.order_by("created_at", "pk")}
        self.posts = list(visible.posts(member=reader).filter(item=item).select_related("member__user"))
        opinions = visible.opinions(member=reader).filter(item=item)
        self.opinions = list(opinions.select_related("member__user").prefetch_related("versions__node"))
        decisions = visible.decisions(member=reader).filter(item=item).order_by("created_at", "pk")
        people = ("adjudicator__user", "reopened_by__user", "acceptance__member__user")
        self.decisions = list(decisions.select_related(*people).prefetch_related("versions__node"))

    def axis(self, axis: ProjectAxis, answers: Sequence[Answer]) -> AxisDossier:
        found = tuple(self._answer(axis, answer) for answer in answers)
        decisions = [one for one in self.decisions if one.axis_id == axis.pk]
        return AxisDossier(
            axis=axis,
            how=outcome([one.said.choice for one in found]).how,
            answers=found,
            chosen=_chosen(found),
            before=_pairs([one.said.choice for one in found]),
            after=_pairs([one.now.choice for one in found]),
            posts=tuple(one for one in self.posts if one.axis_id == axis.pk),
            opinions=tuple(one for one in self.opinions if one.axis_id == axis.pk),
            decision=next((one for one in decisions if one.reopened_at is None), None),
            history=tuple(one for one in decisions if one.reopened_at),
        )

    def _answer(self, axis: ProjectAxis, answer: Answer) -> BlindAnswer:
        voter = self.voters[answer.vote_id]
        revision = self.revisions.get((axis.pk, voter.member.pk))
        return BlindAnswer(
            voter=voter,
            said=Said(tuple(one.version for one in answer.nodes.all()), answer.is_undecidable),
            passages=tuple(
                one for one in self.evidence if one.vote_id == answer.vote_id and one.axis_id in (axis.pk, None)
            ),
            revised=_of_revision(revision) if revision else None,
        )


def _voters(reader: Member, votes: Iterable[Vote]) -> tuple[Voter, ...]:
    return tuple(
        Voter(vote.member, name_of(reader=reader, other=vote.member), _letter(place), place, vote)
        for place, vote in enumerate(votes)
    )


def _letter(place: int) -> str:
    """A to Z, then AA, AB ..."""
    more, last = divmod(place, len(ascii_uppercase))
    return (ascii_uppercase[more - 1] if more else "") + ascii_uppercase[last]


def _of_revision(revision: Revision) -> Said:
    return Said(tuple(revision.versions.all()), revision.is_undecidable)


def _chosen(answers: Sequence[BlindAnswer]) -> tuple[Chosen, ...]:
    """The nodes in the votes and revisions, the most chosen first; voters as they voted blind."""
    versions = {one.pk: one for answer in answers for one in (*answer.said.versions, *answer.now.versions)}
    times = Counter(one.pk for answer in answers for one in answer.said.versions)
    ordered = sorted(versions.values(), key=lambda one: (-times[one.pk], one.position))
    return tuple(
        Chosen(one, tuple(answer.voter for answer in answers if one in answer.said.versions)) for one in ordered
    )


def _pairs(choices: Sequence[Choice]) -> Pairs:
    pairs = list(combinations(choices, 2))
    return Pairs(sum(same(*pair) for pair in pairs), len(pairs))
