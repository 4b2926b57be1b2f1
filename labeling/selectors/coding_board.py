"""The board of open coding as its page shows it: codes with their uses, by node and by likeness, and their growth."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from labeling.boards import Board, BoardNode, state_in
from labeling.codes import alike, saturation
from labeling.models import CodingAct, Member, ProjectAxis
from labeling.selectors.coding import Use, board_of, origins, sees_board, uses


@dataclass(frozen=True)
class ShownCode:
    """A code, what is merged into it, and every use of both; `words`: its name, or as it was typed most."""

    key: str
    words: str
    uses: Sequence[tuple[Use, str]]
    merged: Sequence["ShownCode"] = ()

    @property
    def issues(self) -> int:
        """The number of issues."""
        return len({use.place.item for use, _ in self.uses})

    @property
    def people(self) -> list[str]:
        """Who used it, by the names that the team sees."""
        return sorted({name for _, name in self.uses})


@dataclass(frozen=True)
class ShownNode:
    """A node with its codes, the most frequent first."""

    code: str
    node: BoardNode
    codes: Sequence[ShownCode]

    @property
    def uses(self) -> int:
        """How often its codes were used."""
        return sum(len(code.uses) for code in self.codes)


@dataclass(frozen=True)
class ShownBoard:
    """The whole board: nodes in order, and the codes in none of them in groups of codes that are alike."""

    nodes: Sequence[ShownNode]
    groups: Sequence[Sequence[ShownCode]]
    uses: int
    codes: int
    growth: Sequence[tuple[int, int]]


def shown_board(*, axis: ProjectAxis) -> ShownBoard:
    """The board, for those who see it; five statements."""
    found = uses(axis=axis)
    board = board_of(axis=axis, found=found)
    people = {row.pk: row.called for row in Member.objects.filter(project=axis.project_id).select_related("user")}
    codes = _codes(board, found, people)
    nodes = [
        ShownNode(code, node, _most_used(each for each in codes.values() if board.node_of(each.key) == code))
        for code, node in board.nodes.items()
    ]
    free = [code.key for code in _most_used(codes.values()) if not board.node_of(code.key)]
    groups = [[codes[key] for key in group] for group in alike(free)]
    by_issue: dict[int, set[str]] = {}
    for use in found:
        by_issue.setdefault(use.place.item, set()).add(use.key)
    return ShownBoard(nodes, groups, len(found), len(board.codes), saturation(list(by_issue.values())))


def names_of(board: Board, found: Iterable[Use]) -> dict[str, str]:
    """Key -> what the board calls the code: its name, or the words as they were typed most."""
    typed: dict[str, Counter[str]] = {}
    for use in found:
        typed.setdefault(use.key, Counter())[use.words] += 1
    return {key: board.codes[key].name or words.most_common(1)[0][0] for key, words in typed.items()}


def made_of(*, member: Member) -> dict[str, tuple[CodingAct, list[tuple[BoardNode, list[str]]]]]:
    """Code of a question -> the act that made it of open codes, and each node with the codes that were in it.

    Nothing for members who do not see the board.
    """
    made: dict[str, tuple[CodingAct, list[tuple[BoardNode, list[str]]]]] = {}
    acts = origins(project_id=member.project_id)
    if not acts or not sees_board(member=member, axis=acts[0].axis):
        return made
    for act in acts:
        board = kept_board(act)
        rows = [(node, board.keys_in(code)) for code, node in board.nodes.items()]
        made[act.asked.code if act.asked else ""] = (act, rows)
    return made


def kept_board(act: CodingAct) -> Board:
    """The board as it was when a codebook was made of it."""
    state = state_in(act.after)
    return Board(state.codes, {}, {code: node for code, node in state.nodes.items() if node})


def _codes(board: Board, found: Sequence[Use], people: Mapping[int, str]) -> dict[str, ShownCode]:
    """The codes that are merged into none, each with those merged into it."""
    names = names_of(board, found)
    by_key: dict[str, list[tuple[Use, str]]] = {}
    for use in found:
        by_key.setdefault(use.key, []).append((use, people[use.place.member]))
    codes = {}
    for key, placed in board.codes.items():
        if not placed.into:
            merged = [ShownCode(each, names[each], by_key[each]) for each in board.merged(key)]
            rows = [row for each in (key, *(one.key for one in merged)) for row in by_key[each]]
            codes[key] = ShownCode(key, names[key], rows, merged)
    return codes


def _most_used(codes: Iterable[ShownCode]) -> list[ShownCode]:
    return sorted(codes, key=lambda code: (-len(code.uses), code.words.casefold()))
