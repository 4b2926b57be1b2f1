"""Flight Recorder dumps of small worlds that are simulated: ranks make calls, and one of them stops."""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.core.diagnosis.flight_recorder.load import Dump, read_dump

FRAMES = [
    {"name": "all_reduce", "filename": "/env/site-packages/torch/distributed/distributed_c10d.py", "line": 2501},
    {"name": "train_step", "filename": "train.py", "line": 41},
]
Json = dict[str, object]


@dataclass
class Call:
    """One operation that a rank makes: `group` by its place in the world."""

    group: int
    name: str = "all_reduce"
    size: int = 16
    dtype: str = "Float"
    peer: tuple[int, ...] = ()


@dataclass
class Made:
    """A run: each rank makes its calls in order, up to `ahead` beyond what completed, until it stops."""

    groups: list[tuple[int, ...]]
    calls: dict[int, list[Call]]
    stops: dict[int, int] = field(default_factory=dict)
    ahead: int = 0
    serial: bool = True
    done: dict[int, set[int]] = field(default_factory=dict)
    made: dict[int, int] = field(default_factory=dict)

    def key(self, rank: int, index: int) -> tuple[int, ...]:
        """What all who take part in it call this operation."""
        call, before = self.calls[rank][index], self.calls[rank][:index]
        ends = tuple(sorted((rank, *call.peer))) if call.peer else ()
        return call.group, sum(one.group == call.group and one.peer == call.peer for one in before), *ends

    def run(self) -> "Made":
        self.done, self.made = {rank: set() for rank in self.calls}, dict.fromkeys(self.calls, 0)
        places = {(rank, self.key(rank, i)): i for rank, own in self.calls.items() for i in range(len(own))}
        while any([self.enqueue(rank) for rank in self.calls] + [self.complete(places)]):
            pass
        return self

    def enqueue(self, rank: int) -> bool:
        made = self.made[rank]
        if made >= min(self.stops.get(rank, 99), len(self.calls[rank])) or made - len(self.done[rank]) > self.ahead:
            return False
        self.made[rank] += 1
        return True

    def complete(self, places: dict[tuple[int, tuple[int, ...]], int]) -> bool:
        moved = False
        for rank in self.calls:
            for index in [i for i in range(self.made[rank]) if i not in self.done[rank]]:
                key = self.key(rank, index)
                where = {one: places.get((one, key)) for one in key[2:] or self.groups[key[0]]}
                if all(i is not None and self.ready(one, i) for one, i in where.items()):
                    moved = True
                    for one, i in where.items():
                        self.done[one].add(i or 0)
                    break
        return moved

    def ready(self, rank: int, index: int) -> bool:
        before = (i for i in range(index) if self.serial or self.calls[rank][i].group == self.calls[rank][index].group)
        return index < self.made[rank] and all(i in self.done[rank] for i in before)

    def content(self, rank: int, *, active_only: bool = False, clock: int = 0) -> Json:
        """What the rank's dump holds, as PyTorch 2.9 writes it."""
        own = {i: group for i, group in enumerate(self.groups) if rank in group}
        entries = [self.entry(rank, index, clock) for index in range(self.made[rank])]
        status = {}
        for number, group in enumerate(own):
            last = [index for index in range(self.made[rank]) if self.calls[rank][index].group == group]
            completed = sum(index in self.done[rank] for index in last)
            words = {"enqueued": len(last), "started": -1, "completed": completed}
            status[str(number)] = {f"last_{word}_collective": value for word, value in words.items()}
        return {
            "version": "2.9",
            "pg_config": {str(i): {"name": str(i), "desc": f"G{i}", "ranks": str(list(own[i]))} for i in own},
            "pg_status": status,
            "entries": [one for one in entries if not (active_only and one["state"] == "completed")],
        }

    def entry(self, rank: int, index: int, clock: int) -> Json:
        call = self.calls[rank][index]
        own = [i for i, group in enumerate(self.groups) if rank in group]
        before = [one for one in self.calls[rank][: index + 1] if one.group == call.group]
        collective, p2p = (sum(bool(one.peer) == way for one in before) for way in (False, True))
        return {
            "frames": FRAMES, "record_id": index, "pg_id": own.index(call.group),
            "process_group": (str(call.group), f"G{call.group}"), "collective_seq_id": collective, "p2p_seq_id": p2p,
            "op_id": len(before), "profiling_name": f"nccl:{call.name}", "time_created_ns": clock + index,
            "input_sizes": [[call.size]], "input_dtypes": [call.dtype], "output_sizes": [[call.size]],
            "output_dtypes": [call.dtype], "state": "completed" if index in self.done[rank] else "scheduled",
            "time_discovered_started_ns": None, "time_discovered_completed_ns": None, "retired": False,
            "timeout_ms": 600_000, "is_p2p": bool(call.peer),
        }  # fmt: skip

    def dumps(self, without: Sequence[int] = (), *, active_only: bool = False) -> list[Dump]:
        """All ranks' dumps, each by a clock of its own."""
        contents = {
            rank: self.content(rank, active_only=active_only, clock=rank * 10**12)
            for rank in self.calls if rank not in without
        }  # fmt: skip
        return [dumped(content, rank) for rank, content in contents.items()]


def pickled(content: object, protocol: int = 2) -> bytes:
    return pickle.dumps(content, protocol)


def dumped(content: object, rank: int = 0, protocol: int = 2) -> Dump:
    return read_dump(pickled(content, protocol), f"nccl_trace_rank_{rank}")


def shared_world(groups: list[tuple[int, ...]], order: list[int], **run: object) -> Made:
    """All ranks make the same calls in the same order, each those of its own groups."""
    ranks = sorted({rank for group in groups for rank in group})
    calls = {rank: [Call(one) for one in order if rank in groups[one]] for rank in ranks}
    return Made(groups, calls, **run).run()  # type: ignore[arg-type]


def data_parallel(ranks: int = 4, **run: object) -> Made:
    return shared_world([tuple(range(ranks))], [0] * 6, **run)
