"""From the board of open coding into the frozen codebook: its nodes become the answers to a question of the project's.

The act keeps which codes each node was made of, whatever becomes of the board.
"""

from collections.abc import Collection

from django.db import transaction

from labeling.boards import Board, State, content_of
from labeling.models import IN_WORDS, AuditEntry, Codebook, CodingAct, Member, ProjectAxis
from labeling.questions import Kind, PlannedNode, Question
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of
from labeling.services import audit
from labeling.services.codebooks import extend_codebook
from labeling.services.coding import lock_board
from labeling.wordings import Wording


def question_of(board: Board, *, code: str, name: str, question: str, kind: Kind) -> Question:
    """The question whose answers are the board's nodes, in their order."""
    nodes = []
    for node_code, node in board.nodes.items():
        examples = (node.example,) if node.example else ()
        nodes.append(PlannedNode(Wording(node_code, node.name, node.definition, examples=examples)))
    return Question(code, name, question, kind, tuple(nodes))


@transaction.atomic
def make_codebook(
    *, lead: Member, code: str, name: str, question: str, kind: Kind, ends: Collection[str] = ()
) -> CodingAct:
    """The next codebook, which asks for the board's nodes, and no longer the questions `ends`, codes of open answers.

    Raises RefusedError where a node has no definition, and for whatever is wrong with the question.
    """
    axis, board = lock_board(lead)
    if vague := [node.name for node in board.nodes.values() if not node.definition.strip()]:
        raise RefusedError(f"“{vague[0]}” has no definition yet. Annotators label by definitions: write one.")
    if kind not in ("one", "several"):
        raise RefusedError("Choose whether an issue gets one node or several.")
    planned = question_of(board, code=code, name=name, question=question, kind=kind)
    ended = [each for each in open_questions(project_id=lead.project_id) if each.code in ends]
    change = f"Made of open codes: {name}."
    codebook = extend_codebook(lead=lead, questions=[planned], change=change, ended=ended)
    audit.record(by=lead, kind=AuditEntry.Kind.CODED, detail=f"codebook {codebook.number}, {name}")
    whole = State(board.codes, board.nodes)
    return CodingAct.objects.create(
        axis=axis, kind=CodingAct.Kind.CODEBOOK, member=lead, before=content_of(State()), after=content_of(whole),
        codebook=codebook, asked=ProjectAxis.objects.get(project=lead.project_id, code=code),
    )  # fmt: skip


def open_questions(*, project_id: int) -> list[ProjectAxis]:
    """The questions of the newest codebook that are answered in words."""
    newest = Codebook.objects.filter(project=project_id).order_by("-number").first()
    axes = axes_of(codebook=newest) if newest else []
    return [each.axis for each in axes if each.axis.kind in IN_WORDS]
