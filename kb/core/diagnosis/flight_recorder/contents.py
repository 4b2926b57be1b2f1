"""Plain data, from a pickle or from JSON, to a `Dump`. What has the wrong type counts as missing.

The format, versions 1.0 to 2.x: `FlightRecorder.hpp` and `FlightRecorderDetail.hpp` in torch/csrc/distributed/c10d of
PyTorch, and its tutorial "Flight Recorder for Debugging Stuck Jobs". The JSON form has the same keys; there, the
numbers in `pg_status` are text, an unknown time is 0, frames are left out, and so are entries where there are none.
Only the paths of the format are walked, so that values shared over and over do no harm.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from kb.core.diagnosis.flight_recorder.shapes import Dump, Entry, Frame, ProcessGroup, Sizes, Status
from kb.core.diagnosis.flight_recorder.unpickling import UnreadableDump

MAX_ENTRIES = 100_000
MAX_GROUPS = 20_000
MAX_MEMBERS = 1 << 17  # of all groups together
MAX_RANK = 10**7
MAX_TENSORS = 256
MAX_DIMENSIONS = 32
MAX_FRAMES = 64
USER_FRAMES = 3

REPLACEMENT = "\ufffd"
Json = Mapping[object, object]
_P2P = re.compile(r"\b(?:send|recv) \d+(?:->|<-)\d+")
_RANKS = re.compile(r"\[?[\d,\s]*\]?")
_NAMED_RANK = re.compile(r"rank_?(\d{1,7})(?!\d)")
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,7})(?:\.(?:json|pickle|pkl|pt|bin|dump|gz|txt))*$")
_LIBRARY = re.compile(r"(?:^|/)(?:torch|contextlib|threading|runpy)(?:/|\.py$)|^<|\.(?:cpp|cc|cu|h|hpp|so)$|^\?\?$|^$")


def dump_of(content: object, name: str) -> Dump:
    """What the dump says. Raises `UnreadableDump` if it is not a dict with entries or groups, or has too many."""
    if not isinstance(content, Mapping) or not {"entries", "pg_config", "pg_status"} & set(content):
        raise UnreadableDump("It is not a dump of the Flight Recorder: it has neither entries nor groups.")
    reader = _Reader()
    groups = reader.groups(content.get("pg_config"))
    return Dump(
        name=name,
        rank=_rank(content, name, groups),
        groups=groups,
        statuses=_statuses(content.get("pg_status")),
        entries=reader.entries(content.get("entries")),
    )


def _rank(content: Json, name: str, groups: tuple[ProcessGroup, ...]) -> int | None:
    """The rank that the contents tell, else the file's name, else the only one that all groups share."""
    rank = _number(content.get("rank"))
    if rank is not None and 0 <= rank < MAX_RANK:
        return rank
    rank = rank_named(name)
    if rank is not None:
        return rank
    common = set.intersection(*(set(group.ranks) for group in groups)) if groups else set()
    return common.pop() if len(common) == 1 else None


def rank_named(name: str) -> int | None:
    """The rank that a dump's file is named after."""
    file_name = name.replace("\\", "/").rpartition("/")[2]
    numbers = _NAMED_RANK.findall(file_name) or _LAST_NUMBER.findall(file_name)
    return int(numbers[-1]) if numbers else None


class _Reader:
    """Reads one dump, and each value once, however often it is shared: the work is bounded by the size of the file.

    Values are known by their `id`, for which the contents must outlive the reader.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._frames: dict[int, Frame] = {}
        self._sizes: dict[int, Sizes] = {}
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._types: dict[int, tuple[str, ...]] = {}
        self._stacks: dict[int, tuple[Frame, ...]] = {}

    def text(self, value: object) -> str:
        """The text, without what cannot be shown or stored; empty if it is none."""
        if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64:
            return str(value)
        if not isinstance(value, str):
            return ""
        if value not in self._texts:
            unprintable = {ord(character): REPLACEMENT for character in set(value) if not character.isprintable()}
            self._texts[value] = value.translate(unprintable) if unprintable else value
        return self._texts[value]

    def groups(self, value: object) -> tuple[ProcessGroup, ...]:
        """`pg_config`: by name, either a dict with name, desc and ranks or, in version 1.2, a list of ranks."""
        if not isinstance(value, Mapping):
            return ()
        if len(value) > MAX_GROUPS:
            raise UnreadableDump("It has more process groups than any dump.")
        groups, left = [], MAX_MEMBERS
        for key, config in value.items():
            group: Json = config if isinstance(config, Mapping) else {"ranks": config}
            name = self.text(group.get("name")) or self.text(key)
            members = _members(group.get("ranks"))
            left -= len(members)
            if left < 0:
                raise UnreadableDump("Its process groups have more members than those of any dump.")
            groups.append(ProcessGroup(name, self.text(group.get("desc")), members))
        return tuple(groups)

    def entries(self, value: object) -> tuple[Entry, ...]:
        """`entries`, in their order."""
        entries = _list(value)
        if len(entries) > MAX_ENTRIES:
            raise UnreadableDump("It has more entries than any dump.")
        return tuple(self._entry(entry) for entry in entries if isinstance(entry, Mapping))

    def _entry(self, entry: Json) -> Entry:
        group_id = _number(entry.get("pg_id"))
        group, description = self.text(entry.get("process_group")) or self.text(group_id), ""
        names = _list(entry.get("process_group"))
        if len(names) == 2:
            group, description = self.text(names[0]), self.text(names[1])
        name = self.text(entry.get("profiling_name"))
        p2p = entry.get("is_p2p")
        state = entry.get("state")
        collective = _number(entry.get("collective_seq_id"))
        return Entry(
            record_id=_number(entry.get("record_id", entry.get("id"))),
            group_id=group_id,
            group=group,
            group_description=description,
            collective=_number(entry.get("seq_id")) if collective is None else collective,
            p2p=_number(entry.get("p2p_seq_id")),
            op_id=_number(entry.get("op_id")),
            name=name,
            input_sizes=self._size(entry.get("input_sizes")),
            output_sizes=self._size(entry.get("output_sizes")),
            input_dtypes=self._dtypes(entry.get("input_dtypes")),
            output_dtypes=self._dtypes(entry.get("output_dtypes")),
            state=state if state in ("scheduled", "started", "completed") else None,
            started_ns=_number(entry.get("time_discovered_started_ns")) or None,
            is_p2p=p2p if isinstance(p2p, bool) else bool(_P2P.search(name)),
            frames=self._user_frames(entry.get("frames")),
        )

    def _dtypes(self, value: object) -> tuple[str, ...]:
        if id(value) not in self._types:
            self._types[id(value)] = tuple(map(self.text, _list(value)[:MAX_TENSORS]))
        return self._types[id(value)]

    def _size(self, value: object) -> Sizes:
        if id(value) not in self._sizes:
            self._sizes[id(value)] = tuple(map(self._shape, _list(value)[:MAX_TENSORS]))
        return self._sizes[id(value)]

    def _shape(self, value: object) -> tuple[int, ...]:
        if id(value) not in self._shapes:
            numbers = map(_number, _list(value)[:MAX_DIMENSIONS])
            self._shapes[id(value)] = tuple(number for number in numbers if number is not None)
        return self._shapes[id(value)]

    def _user_frames(self, value: object) -> tuple[Frame, ...]:
        """The topmost frames of the user's own code; the topmost of all if there is none of it."""
        if id(value) not in self._stacks:
            frames = [self._frame(frame) for frame in _list(value)[:MAX_FRAMES] if isinstance(frame, Mapping)]
            own = [frame for frame in frames if not _LIBRARY.search(frame.file)]
            self._stacks[id(value)] = tuple(own[:USER_FRAMES] or frames[:1])
        return self._stacks[id(value)]

    def _frame(self, frame: Json) -> Frame:
        if id(frame) not in self._frames:
            file, function = self.text(frame.get("filename")), self.text(frame.get("name"))
            self._frames[id(frame)] = Frame(file, _number(frame.get("line")), function)
        return self._frames[id(frame)]


def _statuses(value: object) -> dict[int, Status]:
    statuses: dict[int, Status] = {}
    if not isinstance(value, Mapping) or len(value) > MAX_GROUPS:
        return statuses
    for key, status in value.items():
        number = _number(key)
        if number is not None and isinstance(status, Mapping):
            statuses[number] = Status(
                last_enqueued=_number(status.get("last_enqueued_collective")),
                last_completed=_number(status.get("last_completed_collective")),
            )
    return statuses


def _members(value: object) -> tuple[int, ...]:
    """The ranks of a group, which most versions write as one text: "[0, 1, 2]"."""
    if isinstance(value, str):
        return _members_in(value)
    values = _list(value)
    if len(values) > MAX_MEMBERS:
        return ()
    ranks = dict.fromkeys(map(_number, values))
    return tuple(rank for rank in ranks if rank is not None and 0 <= rank < MAX_RANK)


@lru_cache(maxsize=32)  # the members of a large group are in the dump of each of them
def _members_in(text: str) -> tuple[int, ...]:
    return _members(re.findall(r"(?<!\d)\d{1,9}(?!\d)", text)) if _RANKS.fullmatch(text) else ()


def _list(value: object) -> list[object] | tuple[object, ...]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> int | None:
    if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64 else None
