"""The board of open coding as values: codes merged and put into nodes, and what an act changes. Pure.

Every act returns the rows that it changes, as they will be; `services.coding` writes them and keeps both states.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter

from labeling.codes import MOST_WORDS, key_of
from labeling.questions import MOST_NODE_NAME
from labeling.refusals import RefusedError


@dataclass(frozen=True)
class Placed:
    """Where a code is: merged `into` a code, or in a `node`; `name`: what it is called instead of its words."""

    name: str = ""
    into: str = ""
    node: str = ""


@dataclass(frozen=True)
class BoardNode:
    """A node on the board."""

    name: str
    definition: str = ""
    example: str = ""
    position: int = 0


@dataclass(frozen=True)
class State:
    """Codes by key and nodes by code: a board, or the part of one that an act changes; None: no such node."""

    codes: Mapping[str, Placed] = field(default_factory=dict)
    nodes: Mapping[str, BoardNode | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """The board: every code that was written, how often, and the nodes in order."""

    codes: Mapping[str, Placed]
    counts: Mapping[str, int]
    nodes: Mapping[str, BoardNode]

    def root(self, key: str) -> str:
        """The code that this one is merged into, or itself."""
        return self.codes[key].into or key

    def node_of(self, key: str) -> str:
        """The code of the node that a code is in, by itself or by what it is merged into; empty for none."""
        return self.codes[self.root(key)].node

    def merged(self, key: str) -> list[str]:
        """The codes that are merged into this one."""
        return [other for other, placed in self.codes.items() if placed.into == key]

    def keys_in(self, code: str) -> list[str]:
        """The codes in a node, with those merged into them, in order."""
        return sorted(key for key in self.codes if self.node_of(key) == code)

    def part(self, changes: State) -> State:
        """The same rows as an act's changes, as they are now."""
        return State(
            {key: self.codes.get(key, Placed()) for key in changes.codes},
            {code: self.nodes.get(code) for code in changes.nodes},
        )


STATES = TypeAdapter(State)


def content_of(state: State) -> object:
    """A state as JSON; `state_in` reads it back."""
    return STATES.dump_python(state)


def state_in(content: object) -> State:
    """The state that `content_of` wrote. Raises `pydantic.ValidationError`."""
    return STATES.validate_python(content)


def merge(board: Board, keys: Collection[str], name: str = "") -> State:
    """Merge codes into the most frequent of them, which is called `name`, if that is given."""
    roots = sorted({board.root(key) for key in _known(board, keys)}, key=lambda key: (-board.counts[key], key))
    if len(roots) < 2:
        raise RefusedError("Select at least two codes to merge.")
    target, *others = roots
    codes = {target: replace(board.codes[target], name=_name(name) or board.codes[target].name)}
    for key in others:
        for each in (key, *board.merged(key)):
            codes[each] = replace(board.codes[each], into=target, node="")
    return State(codes)


def split(board: Board, keys: Collection[str]) -> State:
    """Take codes out of what they are merged into; of a code that others are merged into, all of them."""
    out: dict[str, Placed] = {}
    for key in _known(board, keys):
        for each in (key, *board.merged(key)):
            if board.codes[each].into:
                out[each] = replace(board.codes[each], into="", node=board.node_of(each))
    if not out:
        raise RefusedError("None of these codes is merged, so there is nothing to split.")
    return State(out)


def put(board: Board, keys: Collection[str], node: str) -> State:
    """Put codes into a node, with what is merged into them; an empty `node` takes them out."""
    if node and node not in board.nodes:
        raise RefusedError("This node is not on the board any more. Choose another one.")
    roots = {board.root(key) for key in _known(board, keys)}
    codes = {key: replace(board.codes[key], node=node) for key in sorted(roots) if board.codes[key].node != node}
    if not codes:
        raise RefusedError("The codes you selected are there already." if roots else "Select at least one code.")
    return State(codes)


def rename(board: Board, keys: Collection[str], name: str) -> State:
    """Call one code otherwise; what annotators typed stays."""
    roots = {board.root(key) for key in _known(board, keys)}
    if len(roots) != 1:
        raise RefusedError("Select the one code to rename.")
    (key,) = roots
    if not name.strip():
        raise RefusedError("Enter the new name.")
    return State({key: replace(board.codes[key], name=_name(name))})


def add_node(board: Board, node: BoardNode, code: str, keys: Collection[str] = ()) -> State:
    """A new node at the end, with these codes in it."""
    position = max((each.position for each in board.nodes.values()), default=-1) + 1
    _require_name(board, node.name)
    if not code or code in board.nodes:
        raise RefusedError(f"There is a node like “{node.name}” already. Give this one another name.")
    made = {code: replace(node, position=position)}
    if not keys:
        return State({}, made)
    return replace(put(replace(board, nodes={**board.nodes, **made}), keys, code), nodes=made)


def edit_node(board: Board, code: str, node: BoardNode) -> State:
    """Another name, definition or example; the node keeps its place."""
    there = _node(board, code)
    _require_name(board, node.name, besides=code)
    changed = replace(node, position=there.position)
    if changed == there:
        raise RefusedError("Nothing has changed.")
    return State({}, {code: changed})


def move_node(board: Board, code: str, *, up: bool) -> State:
    """Swap a node with the one above or below it."""
    there = _node(board, code)
    order: Sequence[str] = list(board.nodes)
    place = order.index(code) + (-1 if up else 1)
    if not 0 <= place < len(order):
        raise RefusedError(f"“{there.name}” is {'first' if up else 'last'} already.")
    other = board.nodes[order[place]]
    moved = {code: replace(there, position=other.position), order[place]: replace(other, position=there.position)}
    return State({}, moved)


def remove_node(board: Board, code: str) -> State:
    """Remove a node; its codes are in none afterwards."""
    _node(board, code)
    codes = {key: replace(placed, node="") for key, placed in board.codes.items() if placed.node == code}
    return State(codes, {code: None})


def undo(board: Board, before: State, after: State) -> State:
    """What takes an act back. Raises RefusedError where later acts changed its rows, or what they would go into."""
    nodes = {"", *board.nodes, *(code for code, node in before.nodes.items() if node)}
    codes = {**board.codes, **before.codes}
    is_firm = all(placed.node in nodes for placed in before.codes.values())
    is_firm &= not any(codes[placed.into].into for placed in codes.values() if placed.into)
    if board.part(after) != after or not is_firm:
        raise RefusedError("Later acts changed the same codes or nodes. Undo those first.")
    return before


def _known(board: Board, keys: Collection[str]) -> list[str]:
    known = [key for key in dict.fromkeys(map(key_of, keys)) if key in board.codes]
    if not known:
        raise RefusedError("Select at least one code.")
    return known


def _node(board: Board, code: str) -> BoardNode:
    node = board.nodes.get(code)
    if node is None:
        raise RefusedError("This node is not on the board any more.")
    return node


def _require_name(board: Board, name: str, besides: str = "") -> None:
    if not name.strip() or len(name) > MOST_NODE_NAME:
        raise RefusedError(f"A node needs a name of at most {MOST_NODE_NAME} characters.")
    if any(key_of(node.name) == key_of(name) for code, node in board.nodes.items() if code != besides):
        raise RefusedError(f"There is a node called “{name}” already. Give this one another name.")


def _name(name: str) -> str:
    name = " ".join(name.split())
    if len(name) > MOST_WORDS:
        raise RefusedError(f"A code has at most {MOST_WORDS} characters.")
    return name
