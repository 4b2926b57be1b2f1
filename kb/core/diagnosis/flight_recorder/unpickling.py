"""From a stranger's pickle to plain data: dicts, lists, tuples, text and numbers.

Nothing is unpickled before every instruction was looked at: only those that build plain data may occur, each text is
really there, and nothing may be put where it would make the unpickler allocate or hash without bound.
"""

import io
import pickle
import pickletools
from typing import NoReturn

MAX_BYTES = 64 << 20
MAX_INSTRUCTIONS = 4_000_000
MAX_TEXT = 1 << 18

_TEXTS = frozenset({"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"})
_KEYS = _TEXTS | {"NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2"}
_NUMBERS = frozenset({"LONG1", "BINFLOAT"})
_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_PUTS = frozenset({"BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"BINGET", "LONG_BINGET"})
_FILLS = frozenset({"APPEND", "APPENDS", "SETITEM", "SETITEMS"})
_EMPTIES = frozenset({"EMPTY_LIST", "EMPTY_DICT"})
_FRAMING = frozenset({"PROTO", "FRAME", "STOP"})
_ALLOWED = _KEYS | _NUMBERS | set(_TUPLES) | {"TUPLE", "MARK"} | _PUTS | _GETS | _FILLS | _EMPTIES | _FRAMING

_TROUBLE = (
    pickle.UnpicklingError, ValueError, EOFError, IndexError, KeyError, TypeError, AttributeError, OverflowError,
    MemoryError,
)  # fmt: skip


class UnsafeDump(Exception):  # noqa: N818 - it is the dump that is unsafe
    """The file holds instructions that could run code: it was not unpickled."""


class UnreadableDump(Exception):  # noqa: N818 - it is the dump that is unreadable
    """The file is no dump, is not whole, or is larger or deeper than any dump; the message says which."""


def plain_data(data: bytes) -> object:
    """The plain data in a pickle of protocol 2, which PyTorch writes, or a later one.

    Raises `UnsafeDump` for any instruction that does more than build plain data, `UnreadableDump` if it is no pickle,
    is cut off, or is made to exhaust memory or time.
    """
    _inspect(data)
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except _TROUBLE as trouble:
        raise UnreadableDump("It is not a whole pickle.") from trouble


class _Unpickler(pickle.Unpickler):
    """Builds plain data. Refuses every name and every reference, should one have come past the inspection."""

    def find_class(self, module_name: str, global_name: str) -> NoReturn:
        raise UnsafeDump(f"It asks for {module_name[:80]}.{global_name[:80]}.")

    def persistent_load(self, pid: object) -> NoReturn:  # noqa: ARG002
        raise UnsafeDump("It refers to something outside itself.")


def _inspect(data: bytes) -> None:
    stack = _Stack()
    count = 0
    try:
        for opcode, argument, _ in pickletools.genops(data):
            count += 1
            if count > MAX_INSTRUCTIONS:
                raise UnreadableDump("It is larger than any dump.")
            if opcode.name not in _ALLOWED:
                raise UnsafeDump(f"It holds the instruction {opcode.name}, which no dump needs.")
            stack.follow(opcode.name, argument)
    except (ValueError, IndexError, KeyError, OverflowError) as trouble:
        raise UnreadableDump("It is not a whole pickle.") from trouble


class _Stack:
    """Follows what the instructions would put on the stack, knowing of each value only whether it may be a key.

    Keys must be text or small numbers: a tuple of tuples shared over and over would be hashed in exponential time, and
    large numbers can be chosen to collide.
    """

    def __init__(self) -> None:
        self._values: list[bool] = []
        self._marks: list[int] = []
        self._memo: dict[int, bool] = {}

    def follow(self, name: str, argument: object) -> None:
        """Do what the instruction does. Raises IndexError or KeyError where it reaches for what is not there."""
        if name in _KEYS:
            if name in _TEXTS and len(str(argument)) > MAX_TEXT:
                raise UnreadableDump("It holds a text that is longer than any in a dump.")
            self._values.append(True)
        elif name in _GETS:
            self._values.append(self._memo[_index(argument)])
        elif name in _PUTS:
            self._put(argument)
        elif name == "MARK":
            self._marks.append(len(self._values))
        elif name in _FILLS:
            self._fill(name)
        elif name not in _FRAMING:
            self._build(name)

    def _put(self, argument: object) -> None:
        index = len(self._memo) if argument is None else _index(argument)
        if index > len(self._memo) + 1:  # the unpickler would make room for all numbers up to this one
            raise UnreadableDump("Its memory of shared values has gaps, which no dump has.")
        self._memo[index] = self._values[-1]

    def _fill(self, name: str) -> None:
        taken = self._taken({"APPEND": 1, "SETITEM": 2}.get(name))
        if name.startswith("SETITEM") and not all(taken[::2]):
            raise UnreadableDump("It has keys that are neither text nor small numbers.")
        if self._values[-1]:
            raise IndexError(name)  # a text or number cannot be filled

    def _build(self, name: str) -> None:
        if name == "TUPLE" or name in _TUPLES:
            self._taken(_TUPLES.get(name))
        self._values.append(False)

    def _taken(self, number: int | None) -> list[bool]:
        """The topmost values, removed: so many, or all above the last mark."""
        start = len(self._values) - number if number is not None else self._marks.pop()
        if start < (self._marks[-1] if self._marks else 0):
            raise IndexError(start)
        taken = self._values[start:]
        del self._values[start:]
        return taken


def _index(argument: object) -> int:
    if not isinstance(argument, int):
        raise KeyError(argument)
    return argument
