"""The votes of a round as measures and outcomes need them: one row per item, annotator and axis.

Only what the member may see (`visible`), except where a docstring says otherwise.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal as Number

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Q, QuerySet

from labeling.ballots import Choice, number_text
from labeling.models import (
    IN_WORDS,
    Answer,
    Decision,
    GoldAnswer,
    Item,
    Member,
    NodeVersion,
    Opinion,
    ProjectAxis,
    Revision,
    Round,
    Vote,
)
from labeling.outcomes import Outcome, outcome
from labeling.refusals import RefusedError
from labeling.selectors import visible


@dataclass(frozen=True)
class AxisVote:
    """One annotator's answer on one axis of one item."""

    item: int
    position: int
    axis: str
    member: int
    choice: Choice


@dataclass(frozen=True)
class ItemOutcome:
    """The outcome of the votes on one axis of one item."""

    item: int
    position: int
    axis: str
    outcome: Outcome


@dataclass(frozen=True)
class NewestAnswer:
    """A voter's answer on an axis as it is now; `revision`: the id of the revision it comes from, 0 if blind."""

    versions: tuple[NodeVersion, ...]
    is_undecidable: bool
    number: Number | None
    revision: int


def blind_arm(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    """Those of the votes whose ballots showed no suggestion: the only ones that measures of agreement are made of."""
    return votes.filter(slot__is_assisted=False)


def axis_votes(*, member: Member, round_: Round, is_measured: bool = False) -> Iterator[AxisVote]:
    """Every answer on the round's issues that the member may see, by item, axis and annotator; one statement.

    Votes on dropped issues are left out; assisted ones too where agreement `is_measured`.
    """
    votes = visible.votes(member=member).filter(item__round=round_, item__dropped_at=None)
    return answers_of(votes=blind_arm(votes) if is_measured else votes)


def outcomes(*, member: Member, round_: Round) -> list[ItemOutcome]:
    """The outcomes of the votes that the member may see, by item and axis, in the order of the sample."""
    return _outcomes(axis_votes(member=member, round_=round_), project_id=round_.project_id)


def all_outcomes(*, round_: Round, revised: bool = False) -> list[ItemOutcome]:
    """The outcomes of all votes on released items, for services that decide by them; not to be shown to anybody.

    `revised`: with the answers as they were revised after the discussion.
    """
    votes: Iterable[AxisVote] = all_axis_votes(round_=round_)
    if revised:
        votes = with_revisions(votes=votes, revisions=Revision.objects.filter(item__round=round_))
    return _outcomes(votes, project_id=round_.project_id)


def all_axis_votes(*, round_: Round, item: Item | None = None, is_measured: bool = False) -> Iterator[AxisVote]:
    """Every answer on the round's released items, or on one of them; not to be shown to anybody.

    Assisted ones are left out where agreement `is_measured`.
    """
    votes = Vote.objects.filter(item__round=round_, item__released_at__isnull=False)
    if is_measured:
        votes = blind_arm(votes)
    return answers_of(votes=votes.filter(item=item) if item else votes)


def answers_of(*, votes: QuerySet[Vote]) -> Iterator[AxisVote]:
    """Every answer of these votes, by position in the sample, axis and annotator; one statement."""
    codes = ArrayAgg("nodes__version__node__code", filter=Q(nodes__isnull=False), default=[], order_by="nodes__version")
    rows = (
        Answer.objects.filter(vote__in=votes)
        .annotate(codes=codes)
        .order_by("vote__item__position", "axis__position", "vote__member_id")
        .values_list(
            "vote__item", "vote__item__position", "axis__code", "vote__member", "codes", "is_undecidable", "text",
            "number",
        )
    )  # fmt: skip
    for item, position, axis, member, node_codes, is_undecidable, text, number in rows.iterator(chunk_size=5_000):
        choice = Choice(tuple(node_codes), is_undecidable, text if number is None else number_text(number))
        yield AxisVote(item, position, axis, member, choice)


def choice_of(answer: Revision | Opinion | Decision | GoldAnswer) -> Choice:
    """An answer that was given after the votes. Its `versions__node` should be prefetched."""
    codes = tuple(version.node.code for version in answer.versions.all())
    return Choice(codes, answer.is_undecidable, answer.number_text)


def with_revisions(*, votes: Iterable[AxisVote], revisions: QuerySet[Revision]) -> list[AxisVote]:
    """The votes, each with its annotator's last revision where there is one."""
    latest: dict[tuple[int, str, int], Choice] = {}
    rows = revisions.select_related("axis").prefetch_related("versions__node").order_by("created_at", "pk")
    for revision in rows:
        latest[revision.item_id, revision.axis.code, revision.member_id] = choice_of(revision)
    return [replace(vote, choice=latest.get((vote.item, vote.axis, vote.member), vote.choice)) for vote in votes]


def newest_answer(*, member: Member, item: Item, axis: ProjectAxis) -> NewestAnswer:
    """A voter's newest answer on an axis, for services; not to be shown to anybody. Raises RefusedError without one."""
    revision = Revision.objects.filter(item=item, axis=axis, member=member).order_by("-created_at", "-pk").first()
    if revision is not None:
        return NewestAnswer(tuple(revision.versions.all()), revision.is_undecidable, revision.number, revision.pk)
    answer = Answer.objects.filter(vote__item=item, vote__member=member, axis=axis).first()
    if answer is None:
        raise RefusedError("There is no vote on this question to keep or to take.")
    versions = NodeVersion.objects.filter(answers__answer=answer)
    return NewestAnswer(tuple(versions), answer.is_undecidable, answer.number, 0)


def _outcomes(votes: Iterable[AxisVote], *, project_id: int) -> list[ItemOutcome]:
    """An outcome for each item and axis; texts have none."""
    texts = ProjectAxis.objects.filter(project=project_id, kind__in=IN_WORDS)
    left_out = set(texts.values_list("code", flat=True))
    groups: dict[tuple[int, int, str], list[Choice]] = {}
    for vote in votes:
        if vote.axis in left_out:
            continue
        groups.setdefault((vote.item, vote.position, vote.axis), []).append(vote.choice)
    return [ItemOutcome(*key, outcome(choices)) for key, choices in groups.items()]
