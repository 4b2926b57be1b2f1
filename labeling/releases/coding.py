"""A release's open codes: every code as it was typed, the board, the acts that made it, and what became of it."""

from collections import Counter

from labeling.models import CodingAct, ProjectAxis
from labeling.releases.state import State
from labeling.releases.tables import JsonObject, csv_bytes, json_bytes, json_lines
from labeling.selectors.coding import board_of, coding_axis, origins
from labeling.selectors.coding_board import kept_board
from labeling.selectors.coding_rows import CODE_COLUMNS, act_rows, code_rows


def files(state: State) -> dict[str, bytes]:
    """File name -> content; nothing where the project did not ask for open codes."""
    axis = coding_axis(project_id=state.project.pk)
    if axis is None:
        return {}
    rows = code_rows(axis=axis, people=state.people)
    return {
        "coding/codes.csv": csv_bytes(CODE_COLUMNS, rows),
        "coding/codes.jsonl": json_lines(dict(zip(CODE_COLUMNS, row, strict=True)) for row in rows),
        "coding/history.jsonl": json_lines(act_rows(axis=axis, people=state.people)),
        "coding/nodes.json": json_bytes({"board": _board(axis), "codebooks": [_origin(act) for act in _made(state)]}),
    }


def paragraph(state: State) -> str:
    """What `METHOD.md` says about it; empty where the project did not ask for open codes."""
    axis = coding_axis(project_id=state.project.pk)
    if axis is None:
        return ""
    rows = code_rows(axis=axis, people=state.people)
    board = board_of(axis=axis)
    merged = sum(bool(placed.into) for placed in board.codes.values())
    kinds = Counter(CodingAct.objects.filter(axis=axis).values_list("kind", flat=True))
    made = [
        f"Version {act.codebook.number} of the codebook asks for its nodes as “{act.asked.name}”."
        for act in _made(state)
        if act.codebook and act.asked
    ]
    text = (
        f"**Open coding.** Annotators described faults in codes of their own, each blind to the others': {len(rows):,} "
        f"uses of {len(board.codes):,} codes. Leads then merged {merged:,} of the codes into others and put codes into "
        f"{len(board.nodes):,} nodes, in {sum(kinds.values()):,} acts, {kinds[CodingAct.Kind.UNDO]:,} of them undoing "
        "another. `coding/` has every code as it was typed, and every act."
    )
    return " ".join([text, *made])


def _made(state: State) -> list[CodingAct]:
    return origins(project_id=state.project.pk)


def _board(axis: ProjectAxis) -> list[JsonObject]:
    board = board_of(axis=axis)
    return [
        {
            "code": code, "name": node.name, "definition": node.definition, "example": node.example,
            "codes": board.keys_in(code),
        }
        for code, node in board.nodes.items()
    ]  # fmt: skip


def _origin(act: CodingAct) -> JsonObject:
    board = kept_board(act)
    return {
        "codebook": act.codebook.number if act.codebook else None,
        "axis": act.asked.code if act.asked else None,
        "nodes": {code: board.keys_in(code) for code in board.nodes},
    }
