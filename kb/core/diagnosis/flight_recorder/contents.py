"""Plain data, from a pickle or from JSON, to a `Dump`. What has the wrong type counts as missing; nothing is judged.

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

Json = Mapping[object, object]
_P2P = re.compile(r"\b(?:send|recv) \d+(?:->|<-)\d+")
_RANKS = re.compile(r"\[?[\d,\s]*\]?")
_NAMED_RANK = re.compile(r"rank_?(\d{1,7})(?!\d)")
_NUMBER_AT_THE_END = re.compile(r"(?<!\d)(\d{1,7})(?:\.(?:json|pickle|pkl|pt|bin|dump|gz|txt))*$")
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
        version=reader.text(content.get("version")),
        groups=groups,
        statuses=_statuses(content.get("pg_status")),
        entries=reader.entries(content.get("entries")),
    )


def _rank(content: Json, name: str, groups: tuple[ProcessGroup, ...]) -> int | None:
    told = _number(content.get("rank"))
    if told is not None and 0 <= told < MAX_RANK:
        return told
    last = name.replace("\\", "/").rpartition("/")[2]
    if named := _NAMED_RANK.findall(last):
        return int(named[-1])
    if at_the_end := _NUMBER_AT_THE_END.search(last):
        return int(at_the_end[1])
    common = set.intersection(*(set(group.ranks) for group in groups)) if groups else set()
    return common.pop() if len(common) == 1 else None


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
        known = self._texts.get(value)
        if known is None:
            known = value if value.isprintable() else "".join(one if one.isprintable() else "�" for one in value)
            self._texts[value] = known
        return known

    def groups(self, value: object) -> tuple[ProcessGroup, ...]:
        """`pg_config`: by name, either a dict with name, desc and ranks or, in version 1.2, a list of ranks."""
        if not isinstance(value, Mapping):
            return ()
        if len(value) > MAX_GROUPS:
            raise UnreadableDump("It has more process groups than any dump.")
        groups, left = [], MAX_MEMBERS
        for key, told in value.items():
            about: Json = told if isinstance(told, Mapping) else {"ranks": told}
            name = self.text(about.get("name")) or self.text(key)
            members = _members(about.get("ranks"))
            left -= len(members)
            if left < 0:
                raise UnreadableDump("Its process groups have more members than those of any dump.")
            groups.append(ProcessGroup(name, self.text(about.get("desc")), members))
        return tuple(groups)

    def entries(self, value: object) -> tuple[Entry, ...]:
        """`entries`, in their order."""
        listed = _list(value)
        if len(listed) > MAX_ENTRIES:
            raise UnreadableDump("It has more entries than any dump.")
        return tuple(self._entry(one) for one in listed if isinstance(one, Mapping))

    def _entry(self, told: Json) -> Entry:
        group_id = _number(told.get("pg_id"))
        group, description = self._group(told.get("process_group"), group_id)
        name = self.text(told.get("profiling_name"))
        p2p = told.get("is_p2p")
        state = told.get("state")
        collective = _number(told.get("collective_seq_id"))
        return Entry(
            record_id=_number(told.get("record_id", told.get("id"))),
            group_id=group_id,
            group=group,
            group_description=description,
            collective=_number(told.get("seq_id")) if collective is None else collective,
            p2p=_number(told.get("p2p_seq_id")),
            op_id=_number(told.get("op_id")),
            name=name,
            input_sizes=self._size(told.get("input_sizes")),
            output_sizes=self._size(told.get("output_sizes")),
            input_dtypes=self._dtypes(told.get("input_dtypes")),
            output_dtypes=self._dtypes(told.get("output_dtypes")),
            state=state if state in ("scheduled", "started", "completed") else None,
            created_ns=_number(told.get("time_created_ns")),
            started_ns=_number(told.get("time_discovered_started_ns")) or None,
            completed_ns=_number(told.get("time_discovered_completed_ns")) or None,
            duration_ms=_decimal(told.get("duration_ms")),
            timeout_ms=_number(told.get("timeout_ms")),
            retired=told.get("retired") is True,
            is_p2p=p2p if isinstance(p2p, bool) else bool(_P2P.search(name)),
            frames=self._user_frames(told.get("frames")),
        )

    def _group(self, value: object, group_id: int | None) -> tuple[str, str]:
        pair = _list(value)
        if len(pair) == 2:
            return self.text(pair[0]), self.text(pair[1])
        return self.text(value) or self.text(group_id), ""

    def _dtypes(self, value: object) -> tuple[str, ...]:
        if id(value) not in self._types:
            self._types[id(value)] = tuple(self.text(one) for one in _list(value)[:MAX_TENSORS])
        return self._types[id(value)]

    def _size(self, value: object) -> Sizes:
        if id(value) not in self._sizes:
            self._sizes[id(value)] = tuple(self._shape(one) for one in _list(value)[:MAX_TENSORS])
        return self._sizes[id(value)]

    def _shape(self, value: object) -> tuple[int, ...]:
        if id(value) not in self._shapes:
            numbers = map(_number, _list(value)[:MAX_DIMENSIONS])
            self._shapes[id(value)] = tuple(one for one in numbers if one is not None)
        return self._shapes[id(value)]

    def _user_frames(self, value: object) -> tuple[Frame, ...]:
        """The topmost frames of the user's own code; the topmost of all if there is none of it."""
        if id(value) not in self._stacks:
            frames = [self._frame(one) for one in _list(value)[:MAX_FRAMES] if isinstance(one, Mapping)]
            own = [frame for frame in frames if not _LIBRARY.search(frame.file)]
            self._stacks[id(value)] = tuple(own[:USER_FRAMES] or frames[:1])
        return self._stacks[id(value)]

    def _frame(self, told: Json) -> Frame:
        if id(told) not in self._frames:
            file, function = self.text(told.get("filename")), self.text(told.get("name"))
            self._frames[id(told)] = Frame(file, _number(told.get("line")), function)
        return self._frames[id(told)]


def _statuses(value: object) -> dict[int, Status]:
    statuses: dict[int, Status] = {}
    if isinstance(value, Mapping) and len(value) <= MAX_GROUPS:
        for key, told in value.items():
            number = _number(key)
            if number is not None and isinstance(told, Mapping):
                words = ("enqueued", "started", "completed")
                statuses[number] = Status(*(_number(told.get(f"last_{word}_collective")) for word in words))
    return statuses


def _members(value: object) -> tuple[int, ...]:
    """The ranks of a group, which most versions write as one text: "[0, 1, 2]"."""
    if isinstance(value, str):
        return _members_in(value)
    listed = _list(value)
    if len(listed) > MAX_MEMBERS:
        return ()
    return tuple(dict.fromkeys(one for one in map(_number, listed) if one is not None and 0 <= one < MAX_RANK))


@lru_cache(maxsize=32)  # the members of a large group are in the dump of each of them
def _members_in(text: str) -> tuple[int, ...]:
    if not _RANKS.fullmatch(text):
        return ()
    numbers = [one for one in re.split(r"[\[\],\s]+", text) if one]
    return _members([one for one in numbers if len(one) < 10])


def _list(value: object) -> list[object] | tuple[object, ...]:
    return value if isinstance(value, list | tuple) else ()


def _number(value: object) -> int | None:
    if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64 else None


def _decimal(value: object) -> float | None:
    return float(value) if isinstance(value, float) and 0 <= value < 1e18 else None
