"""Open coding: the codes of closed rounds, the board they are on, and the acts that changed it.

The board is whole or not there: as long as a vote of a closed round is hidden from a member, they see none of it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KeyTextTransform

from labeling.boards import Board, BoardNode, Placed
from labeling.codes import codes_in
from labeling.models import Answer, AxisKind, CodingAct, CodingNode, Member, OpenCode, ProjectAxis, Round
from labeling.selectors import visible


@dataclass(frozen=True)
class Place:
    """A vote on an issue; `summary`: its answers in free text."""

    vote: int
    item: int
    round: int
    position: int
    name: str
    url: str
    member: int
    summary: str


@dataclass(frozen=True)
class Use:
    """A code as one annotator wrote it on one issue."""

    key: str
    words: str
    memo: str
    place: Place


def coding_axis(*, project_id: int) -> ProjectAxis | None:
    """The project's question for open codes; it has one at the most."""
    return ProjectAxis.objects.filter(project=project_id, kind=AxisKind.CODES).first()


def sees_board(*, member: Member, axis: ProjectAxis) -> bool:
    """Whether the member may see all answers that the board is made of."""
    answers = _answers(axis)
    return not answers.exclude(vote__in=visible.votes(member=member)).exists()


def uses(*, axis: ProjectAxis) -> list[Use]:
    """Every code of closed rounds, by round, issue and annotator; two statements. For those who see the board."""
    content = "vote__item__snapshot__content"
    rows = (
        _answers(axis)
        .exclude(is_undecidable=True)
        .annotate(issue_name=KeyTextTransform("name", content), issue_url=KeyTextTransform("url", content))
        .order_by("vote__item__round__number", "vote__item__position", "vote__member_id")
        .values_list(
            "text", "vote", "vote__item", "vote__item__round__number", "vote__item__position", "issue_name",
            "issue_url", "vote__member",
        )
    )  # fmt: skip
    summaries: dict[int, list[str]] = {}
    texts = Answer.objects.filter(axis__project=axis.project_id, axis__kind=AxisKind.TEXT).exclude(text="")
    texts = texts.filter(vote__in=_answers(axis).values("vote")).order_by("axis__position")
    for vote, text in texts.values_list("vote", "text"):
        summaries.setdefault(vote, []).append(text)
    found = []
    for text, vote, item, round_number, position, name, url, member in rows:
        place = Place(vote, item, round_number, position, name, url, member, "\n".join(summaries.get(vote, ())))
        found += [Use(code.key, code.words, code.memo, place) for code in codes_in(text)]
    return found


def empty_votes(*, axis: ProjectAxis) -> list[tuple[int, int]]:
    """(item, member) of the votes in closed rounds that say that the report does not say."""
    return list(_answers(axis).filter(is_undecidable=True).values_list("vote__item", "vote__member"))


def board_of(*, axis: ProjectAxis, found: Sequence[Use] | None = None) -> Board:
    """The board as it is now, of these uses; two statements more."""
    counts = Counter(use.key for use in (uses(axis=axis) if found is None else found))
    codes = dict.fromkeys(sorted(counts), Placed())
    rows = OpenCode.objects.filter(axis=axis).select_related("into", "node")
    for row in rows:
        if row.key in codes:
            codes[row.key] = Placed(row.name, row.into.key if row.into else "", row.node.code if row.node else "")
    nodes = {
        row.code: BoardNode(row.name, row.definition, row.example, row.position)
        for row in CodingNode.objects.filter(axis=axis).order_by("position", "pk")
    }
    return Board(codes, counts, nodes)


def acts(*, axis: ProjectAxis) -> QuerySet[CodingAct]:
    """Every act on the board, the newest first."""
    return CodingAct.objects.filter(axis=axis).select_related(
        "member__user", "undoes", "undone_by", "codebook", "asked"
    )


def origins(*, project_id: int) -> list[CodingAct]:
    """The codebooks that were made of the board, in order; an act's `after` holds the codes of each node."""
    made = CodingAct.objects.filter(axis__project=project_id, kind=CodingAct.Kind.CODEBOOK)
    return list(made.select_related("axis", "asked", "codebook", "member__user").order_by("pk"))


def own_codes(*, member: Member, axis: ProjectAxis) -> list[str]:
    """What a member is offered while typing: codes of their own votes, and those of a board that they may see."""
    own = Q(vote__in=visible.votes(member=member).filter(member=member))
    if sees_board(member=member, axis=axis):
        own |= Q(pk__in=_answers(axis))
    words: dict[str, str] = {}
    for text in Answer.objects.filter(own, axis=axis).order_by("pk").values_list("text", flat=True):
        for code in codes_in(text):
            words.setdefault(code.key, code.words)
    return [words[key] for key in sorted(words)]


def _answers(axis: ProjectAxis) -> QuerySet[Answer]:
    """The answers in closed rounds; those on dropped issues, which are never released, are left out."""
    return Answer.objects.filter(
        axis=axis, vote__item__round__state=Round.State.CLOSED, vote__item__released_at__isnull=False
    )
