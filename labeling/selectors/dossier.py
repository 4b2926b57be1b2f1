"""The record of one released item: blind votes, revisions, discussion, opinions and decisions, by axis.

Only what the reader may see (`visible`): nothing for an adjudicator before their first opinion.
"""

from collections.abc import Sequence
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
from labeling.selectors.discussions import Discussion, Discussions
from labeling.selectors.names import name_of
from labeling.selectors.votes import choice_of


@dataclass(frozen=True)
class GivenAnswer:
    """An answer: node versions, a text (which may be a number), or that the report does not say."""

    versions: tuple[NodeVersion, ...]
    is_undecidable: bool
    text: str = ""

    @property
    def choice(self) -> Choice:
        """The same by codes."""
        return Choice(tuple(version.node.code for version in self.versions), self.is_undecidable, self.text)


@dataclass(frozen=True)
class Voter:
    """A voter under the name that the reader sees, with the letter that marks their passages."""

    member: Member
    name: str
    letter: str
    place: int
    vote: Vote


@dataclass(frozen=True)
class BlindAnswer:
    """A voter's blind answer on an axis, the passages it rests on, and the revised answer if there is one.

    `revision`: the id of the newest revision, or 0; `kind`: how it was chosen, in words, or empty.
    """

    voter: Voter
    said: GivenAnswer
    passages: tuple[Evidence, ...]
    revised: GivenAnswer | None
    revision: int = 0
    kind: str = ""

    @property
    def now(self) -> GivenAnswer:
        """The revised answer, else the blind one."""
        return self.revised or self.said


@dataclass(frozen=True)
class Chosen:
    """A node that somebody chose, with the voters who did."""

    version: NodeVersion
    voters: tuple[Voter, ...]


@dataclass(frozen=True)
class Pairs:
    """How many pairs of voters gave the same answer, of how many."""

    same: int
    all: int


@dataclass(frozen=True)
class AxisDossier:
    """One axis of the item; `decision` is the one in force, `history` those that were reopened.

    `waits_for`: the voters who have not taken part in the discussion.
    """

    axis: ProjectAxis
    how: How
    answers: tuple[BlindAnswer, ...]
    chosen: tuple[Chosen, ...]
    before: Pairs
    after: Pairs
    posts: tuple[Post, ...]
    discussion: Discussion
    waits_for: tuple[Voter, ...]
    opinions: tuple[Opinion, ...]
    decision: Decision | None
    history: tuple[Decision, ...]

    @property
    def in_conflict(self) -> bool:
        """Whether the blind votes differ; texts always do, and are no conflict."""
        return self.axis.is_settled and self.how in (How.MAJORITY, How.CONFLICT)

    @property
    def is_revised(self) -> bool:
        """Whether anybody has revised their answer."""
        return any(answer.revised for answer in self.answers)


@dataclass(frozen=True)
class Dossier:
    """An item's voters, passages and axes."""

    voters: tuple[Voter, ...]
    passages: tuple[tuple[Evidence, Voter], ...]
    axes: tuple[AxisDossier, ...]


def dossier(*, reader: Member, item: Item) -> Dossier:
    """What the reader may see of a released item; a fixed number of statements."""
    votes = visible.votes(member=reader).filter(item=item, item__released_at__isnull=False)
    voters: dict[int, Voter] = {}
    for place, vote in enumerate(votes.select_related("member__user").order_by("member")):
        name = name_of(reader=reader, other=vote.member)
        voters[vote.pk] = Voter(vote.member, name, _letter(place), place, vote)
    evidence = list(visible.evidence(member=reader).filter(vote__in=voters).order_by("part", "start", "pk"))
    answers = Answer.objects.filter(vote__in=voters).select_related("axis").order_by("axis__position", "vote__member")
    answers_by_axis: dict[int, list[Answer]] = {}
    for answer in answers.prefetch_related("nodes__version__node"):
        answers_by_axis.setdefault(answer.axis_id, []).append(answer)
    record = _Record(reader, item, voters, evidence)
    axes = tuple(record.axis(axis_answers[0].axis, axis_answers) for axis_answers in answers_by_axis.values())
    passages = tuple((passage, voters[passage.vote_id]) for passage in evidence)
    return Dossier(tuple(voters.values()), passages, axes)


def voter_with(*, reader: Member, item: Item, letter: str) -> Member | None:
    """The voter whom `dossier` marks with this letter, for a reader who may see the votes; else None."""
    votes = visible.votes(member=reader).filter(item=item, item__released_at__isnull=False)
    for place, vote in enumerate(votes.select_related("member").order_by("member")):
        if _letter(place) == letter:
            return vote.member
    return None


class _Record:
    """The rows beside the votes of an item, read once for all axes."""

    def __init__(self, reader: Member, item: Item, voters: dict[int, Voter], evidence: Sequence[Evidence]) -> None:
        self.item, self.voters, self.evidence = item, voters, evidence
        revisions = visible.revisions(member=reader).filter(item=item).prefetch_related("versions__node")
        self.revisions = {(row.axis_id, row.member_id): row for row in revisions.order_by("created_at", "pk")}
        self.posts = list(visible.posts(member=reader).filter(item=item).select_related("member__user"))
        self.discussions = Discussions(
            projects=[item.round.project_id],
            posts=visible.posts(member=reader).filter(item=item),
            revisions=visible.revisions(member=reader).filter(item=item),
            ends=visible.discussion_ends(member=reader).filter(item=item),
        )
        opinions = visible.opinions(member=reader).filter(item=item)
        self.opinions = list(opinions.select_related("member__user").prefetch_related("versions__node"))
        decisions = visible.decisions(member=reader).filter(item=item).order_by("created_at", "pk")
        people = ("adjudicator__user", "reopened_by__user", "acceptance__member__user")
        self.decisions = list(decisions.select_related(*people).prefetch_related("versions__node"))

    def axis(self, axis: ProjectAxis, rows: Sequence[Answer]) -> AxisDossier:
        """The record of one axis, whose answers are `rows`."""
        answers = tuple(self._blind_answer(axis, row) for row in rows)
        blind = [answer.said.choice for answer in answers]
        decisions = [decision for decision in self.decisions if decision.axis_id == axis.pk]
        in_force = [decision for decision in decisions if decision.reopened_at is None]
        discussion = self._discussion(axis)
        return AxisDossier(
            axis=axis,
            how=outcome(blind).how,
            answers=answers,
            chosen=_chosen(answers),
            before=_pairs(blind),
            after=_pairs([answer.now.choice for answer in answers]),
            posts=tuple(post for post in self.posts if post.axis_id == axis.pk),
            discussion=discussion,
            waits_for=tuple(answer.voter for answer in answers if answer.voter.member.pk in discussion.missing),
            opinions=tuple(opinion for opinion in self.opinions if opinion.axis_id == axis.pk),
            decision=in_force[0] if in_force else None,
            history=tuple(decision for decision in decisions if decision.reopened_at),
        )

    def _discussion(self, axis: ProjectAxis) -> Discussion:
        voters = [voter.member.pk for voter in self.voters.values()]
        key, days = (self.item.pk, axis.code), self.item.round.discussion_days
        return self.discussions.of(key, voters=voters, released_at=self.item.released_at, days=days)

    def _blind_answer(self, axis: ProjectAxis, answer: Answer) -> BlindAnswer:
        voter = self.voters[answer.vote_id]
        revised = None
        revision = self.revisions.get((axis.pk, voter.member.pk))
        if revision is not None:
            revised = GivenAnswer(tuple(revision.versions.all()), revision.is_undecidable, choice_of(revision).text)
        blind = GivenAnswer(tuple(node.version for node in answer.nodes.all()), answer.is_undecidable, answer.text)
        own = [passage for passage in self.evidence if passage.vote_id == answer.vote_id]
        passages = tuple(passage for passage in own if passage.axis_id in (axis.pk, None))
        if revision is None:
            return BlindAnswer(voter, blind, passages, None)
        return BlindAnswer(voter, blind, passages, revised, revision.pk, self._kind(revision))

    def _kind(self, revision: Revision) -> str:
        """How the answer was chosen: in words, with the letter of the voter whose answer was taken."""
        if revision.kind == Revision.Kind.STAY:
            return "stays"
        for voter in self.voters.values():
            if voter.member.pk == revision.taken_from_id:
                return f"took {voter.letter}'s answer"
        return "revised"


def _letter(place: int) -> str:
    """A to Z, then AA, AB ..."""
    repeats, letter = divmod(place, len(ascii_uppercase))
    prefix = ascii_uppercase[repeats - 1] if repeats else ""
    return prefix + ascii_uppercase[letter]


def _chosen(answers: Sequence[BlindAnswer]) -> tuple[Chosen, ...]:
    """The nodes in the votes and revisions, those with the most blind votes first, with their blind voters."""
    versions: dict[int, NodeVersion] = {}
    voters: dict[int, list[Voter]] = {}
    for answer in answers:
        for version in (*answer.said.versions, *answer.now.versions):
            versions[version.pk] = version
        for version in answer.said.versions:
            voters.setdefault(version.pk, []).append(answer.voter)
    chosen = [Chosen(version, tuple(voters.get(pk, ()))) for pk, version in versions.items()]
    return tuple(sorted(chosen, key=lambda each: (-len(each.voters), each.version.position)))


def _pairs(choices: Sequence[Choice]) -> Pairs:
    pairs = list(combinations(choices, 2))
    return Pairs(sum(same(*pair) for pair in pairs), len(pairs))
