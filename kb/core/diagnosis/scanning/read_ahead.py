"""Blocks cut into lines by a second process, one ahead of the pass over them. The result is the same without it.

Half of the work of a pass needs nothing of what the pass has learnt: cutting, keys, and where numbers stand. The two
share memory of which one half holds the block that is passed over and the other the block that is cut meanwhile.
"""

import logging
import mmap
import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from kb.core.diagnosis.reading.intake import MIB
from kb.core.diagnosis.scanning.block_process import ANSWER, HALF, ORDER, READY, arrays_at
from kb.core.diagnosis.scanning.lines import SPARE, UNKNOWN, Lines, Numbers

# A second process is worth its start only for more than so many blocks.
WORTH = 8
# Memory that is given back after each block and asked for anew costs as much as all the cutting (glibc's malloc).
KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 * MIB), "MALLOC_TRIM_THRESHOLD_": str(128 * MIB)}
ROOT = Path(__file__).parents[4]
log = logging.getLogger(__name__)


class Opened(NamedTuple):
    """From here on, blocks are of this file."""

    name: str


class _Keys:
    """The keys that the second process has numbered, and their numbers in the pass."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self._known: Mapping[bytes, int] | None = None
        self._numbers: Numbers = np.zeros(0, np.int64)

    def numbers(self, ids: Numbers, known: Mapping[bytes, int]) -> Numbers:
        """The numbers by which the pass knows these keys, or `UNKNOWN`."""
        if known is not self._known:
            self._known, self._numbers = known, np.zeros(0, np.int64)
        missing = len(self.texts) - len(self._numbers)
        if missing:
            self._numbers = np.concatenate((self._numbers, np.full(missing, UNKNOWN, np.int64)))
        for key in np.unique(ids[self._numbers[ids] == UNKNOWN]).tolist():
            self._numbers[key] = known.get(self.texts[key], UNKNOWN)
        return self._numbers[ids]


class _Prepared(Lines):
    """Lines that the second process cut."""

    def __init__(self, block: bytes, memory: mmap.mmap, half: int, counts: tuple[int, int], keys: _Keys) -> None:
        super().__init__(block)
        lines, runs = counts
        start = half * HALF
        self.raw = np.frombuffer(memory, np.uint8, len(block) + SPARE, start)
        words = np.frombuffer(memory, np.int64, 3 * lines + 2 * runs, start + arrays_at(len(block)))
        self.ends, self._ids, self.first_runs = words[: 3 * lines].reshape(3, lines)
        self.run_starts, self.run_lengths = words[3 * lines :].reshape(2, runs)
        self._keys = keys

    def key(self, line: int) -> bytes:
        """The key of one of the lines."""
        return self._keys.texts[int(self._ids[line])]

    def key_numbers(self, known: Mapping[bytes, int]) -> Numbers:
        """The number that each line's key is known by, or `UNKNOWN`."""
        return self._keys.numbers(self._ids, known)


class _Child:
    """The second process, and the memory that is shared with it. Raises `OSError` where there can be none."""

    def __init__(self) -> None:
        shared = os.memfd_create("faultbook")
        try:
            os.ftruncate(shared, 2 * HALF)
            self.memory = mmap.mmap(shared, 2 * HALF)
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "kb.core.diagnosis.scanning.block_process", str(shared)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(shared,),
                # An interrupt at the terminal is for the pass, and ends this one with it.
                start_new_session=True,
                env={**os.environ, **KEPT_MEMORY, "PYTHONPATH": str(ROOT)},
            )
        finally:
            os.close(shared)
        if self._process.stdin is None or self._process.stdout is None:
            raise OSError("The second process has no standard input and output.")
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self._is_ready = False
        self._keys = _Keys()

    @property
    def is_ready(self) -> bool:
        """Whether it has started. Raises `OSError` if it ended instead."""
        if not self._is_ready and select.select([self._answers], [], [], 0)[0]:
            self._is_ready = self._read(len(READY)) == READY
        return self._is_ready

    def submit(self, half: int, block: bytes) -> None:
        """Let it cut a block."""
        start = half * HALF
        self.memory[start : start + len(block) + SPARE] = block + bytes(SPARE)
        self._orders.write(ORDER.pack(half, len(block)))
        self._orders.flush()

    def result(self, half: int, block: bytes) -> Lines:
        """The lines of the block that was submitted first."""
        lines, runs, is_fresh, size = ANSWER.unpack(self._read(ANSWER.size))
        if is_fresh:
            self._keys = _Keys()
        self._keys.texts += self._read(size).split(b"\n")[:-1]
        return _Prepared(block, self.memory, half, (lines, runs), self._keys) if lines else Lines(block)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _read(self, size: int) -> bytes:
        answer: bytes = self._answers.read(size)
        if len(answer) < size:
            raise BrokenPipeError("The second process ended before its work did.")
        return answer


class Ahead:
    """Cuts blocks, with the help of a second process once there are many. `cores`: how many may be used.

    `worth`: it is started for the block of this number, and helps as soon as it is there.
    """

    def __init__(self, cores: int, worth: int = WORTH) -> None:
        self._may_help = cores > 1 and hasattr(os, "memfd_create")
        self._worth = worth
        self._child: _Child | None = None
        self._blocks = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _: BaseException | None, _where: TracebackType | None
    ) -> None:
        self._end_child()

    @property
    def is_helped(self) -> bool:
        """Whether the second process is there, and ready."""
        return self._child is not None and self._child.is_ready

    def cut(self, events: Iterable[Opened | str]) -> Iterator[Opened | Lines]:
        """The same files, with their blocks cut. A block is passed over while the next one is read and cut.

        The lines of a block are good until the next one is asked for.
        """
        waiting = deque[Opened | Callable[[], Lines]]()
        for event in events:
            if isinstance(event, Opened):
                waiting.append(event)
                continue
            before = len(waiting)
            waiting.append(self._submit(event.encode("utf-8", "surrogatepass")))
            for _ in range(before):
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    def _submit(self, block: bytes) -> Callable[[], Lines]:
        """What returns the lines of the block, once they are needed."""
        self._blocks += 1
        try:
            if self._may_help and self._blocks == self._worth:
                self._child = _Child()
            if self._child is not None and self._child.is_ready and arrays_at(len(block)) < HALF:
                half = self._blocks % 2
                self._child.submit(half, block)
                return lambda: self._cut_by_child(half, block)
        except OSError as problem:
            self._give_up(problem)
        return lambda: Lines(block)

    def _cut_by_child(self, half: int, block: bytes) -> Lines:
        try:
            return self._child.result(half, block) if self._child is not None else Lines(block)
        except OSError as problem:
            self._give_up(problem)
            return Lines(block)

    def _give_up(self, problem: OSError) -> None:
        log.warning("continuing with one process: %s", problem)
        self._end_child()
        self._may_help = False

    def _end_child(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def _result(waiting: Opened | Callable[[], Lines]) -> Opened | Lines:
    return waiting if isinstance(waiting, Opened) else waiting()
