"""Open coding: begun, and every act on its board. What an act changes is in `boards`; here it is written and kept.

How nodes become a codebook: `coding_codebook`.
"""

from collections.abc import Callable, Collection

from django.db import transaction
from django.utils.text import slugify

from labeling import boards
from labeling.boards import Board, BoardNode, State, content_of, state_in
from labeling.models import AuditEntry, Codebook, CodingAct, CodingNode, Member, OpenCode, ProjectAxis, Role
from labeling.questions import Question
from labeling.refusals import RefusedError
from labeling.selectors import coding as selectors
from labeling.services import audit
from labeling.services.codebooks import extend_codebook
from labeling.services.people import require

CODES = Question("open-codes", "Open codes", "What went wrong here, in codes of your own?", "codes")
SUMMARY = Question("fault-summary", "Summary", "What is the fault, in one or two sentences?", "text")
Kind = CodingAct.Kind
MOST_SLUG = 64


@transaction.atomic
def begin_coding(*, lead: Member) -> Codebook:
    """The next codebook, which also asks for open codes and a summary; votes do not hinder it: none is decided."""
    require(lead, Role.LEAD)
    if selectors.coding_axis(project_id=lead.project_id):
        raise RefusedError("This project asks for open codes already.")
    codebook = extend_codebook(lead=lead, questions=[CODES, SUMMARY], change="Open coding begins.")
    audit.record(by=lead, kind=AuditEntry.Kind.CODING, detail=f"codebook {codebook.number}")
    return codebook


def merge_codes(*, lead: Member, keys: Collection[str], name: str = "") -> CodingAct:
    """Merge codes into the most frequent of them; what each annotator typed stays with its use."""
    return _act(lead, Kind.MERGE, lambda board: boards.merge(board, keys, name))


def split_codes(*, lead: Member, keys: Collection[str]) -> CodingAct:
    """Take codes out of what they are merged into."""
    return _act(lead, Kind.SPLIT, lambda board: boards.split(board, keys))


def rename_code(*, lead: Member, keys: Collection[str], name: str) -> CodingAct:
    """Call the one selected code otherwise on the board."""
    return _act(lead, Kind.RENAME, lambda board: boards.rename(board, keys, name))


def put_codes(*, lead: Member, keys: Collection[str], node: str) -> CodingAct:
    """Put codes into a node; an empty one takes them out of theirs."""
    return _act(lead, Kind.PUT if node else Kind.TAKE_OUT, lambda board: boards.put(board, keys, node))


def add_node(*, lead: Member, node: BoardNode, keys: Collection[str] = ()) -> CodingAct:
    """Make a node, with these codes in it; its code follows from its name."""
    code = (slugify(node.name) or slugify(node.name, allow_unicode=True))[:MOST_SLUG].strip("-")
    return _act(lead, Kind.NODE, lambda board: boards.add_node(board, node, code, keys))


def edit_node(*, lead: Member, code: str, node: BoardNode) -> CodingAct:
    """Give a node another name, definition or example."""
    return _act(lead, Kind.EDIT, lambda board: boards.edit_node(board, code, node))


def move_node(*, lead: Member, code: str, up: bool) -> CodingAct:
    """Move a node up or down by one."""
    return _act(lead, Kind.MOVE, lambda board: boards.move_node(board, code, up=up))


def remove_node(*, lead: Member, code: str) -> CodingAct:
    """Remove a node; its codes stay on the board."""
    return _act(lead, Kind.REMOVE, lambda board: boards.remove_node(board, code))


def undo(*, lead: Member, act: CodingAct) -> CodingAct:
    """Take an act back, which is an act, too. Raises RefusedError where later ones build on it."""
    if act.kind == Kind.CODEBOOK:
        raise RefusedError("A codebook stays. Change its categories by proposals.")
    before, after = state_in(act.before), state_in(act.after)
    return _act(lead, Kind.UNDO, lambda board: boards.undo(board, before, after), undoes=act)


def lock_board(lead: Member) -> tuple[ProjectAxis, Board]:
    """The board, until the end of the transaction. Raises RefusedError for those who may not change it."""
    require(lead, Role.LEAD)
    axis = selectors.coding_axis(project_id=lead.project_id)
    if axis is None:
        raise RefusedError("This project does not ask for open codes.")
    ProjectAxis.objects.select_for_update().get(pk=axis.pk)
    if not selectors.sees_board(member=lead, axis=axis):
        raise RefusedError("Some votes on the board are hidden from you until you have given your first opinions.")
    return axis, selectors.board_of(axis=axis)


@transaction.atomic
def _act(lead: Member, kind: Kind, change: Callable[[Board], State], undoes: CodingAct | None = None) -> CodingAct:
    axis, board = lock_board(lead)
    if undoes and (undoes.axis_id != axis.pk or CodingAct.objects.filter(undoes=undoes).exists()):
        raise RefusedError("This act is undone already.")
    after = change(board)
    before = board.part(after)
    if before == after:
        raise RefusedError("Nothing would change.")
    _write(axis, after)
    return CodingAct.objects.create(
        axis=axis, kind=kind, member=lead, undoes=undoes, before=content_of(before), after=content_of(after)
    )


def _write(axis: ProjectAxis, state: State) -> None:
    """Make the board's rows as in this state: new nodes come before their codes, and go after them."""
    for code, node in state.nodes.items():
        if node is not None:
            values = {
                "name": node.name, "definition": node.definition, "example": node.example, "position": node.position,
            }  # fmt: skip
            CodingNode.objects.update_or_create(axis=axis, code=code, defaults=values)
    keys = {*state.codes, *(placed.into for placed in state.codes.values() if placed.into)}
    OpenCode.objects.bulk_create((OpenCode(axis=axis, key=key) for key in sorted(keys)), ignore_conflicts=True)
    nodes = dict(CodingNode.objects.filter(axis=axis).values_list("code", "pk"))
    rows = {row.key: row for row in OpenCode.objects.filter(axis=axis, key__in=keys)}
    changed = [rows[key] for key in state.codes]
    # First none is merged: so that no code is ever merged into a merged one.
    OpenCode.objects.filter(pk__in=[row.pk for row in changed]).update(into=None, node=None)
    for row in changed:
        placed = state.codes[row.key]
        row.name, row.node_id = placed.name, nodes.get(placed.node)
        row.into = rows[placed.into] if placed.into else None
    OpenCode.objects.bulk_update(changed, ["name", "into", "node"])
    gone = [code for code, node in state.nodes.items() if node is None]
    CodingNode.objects.filter(axis=axis, code__in=gone).delete()
