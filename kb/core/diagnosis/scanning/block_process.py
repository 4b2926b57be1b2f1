"""A process of its own that cuts blocks of text into lines, keys and numbers, ahead of the pass. See `read_ahead`.

Its argument is the memory that it shares with the pass; its standard input names the half that holds a block.
"""

import mmap
import struct
import sys
from typing import BinaryIO

import numpy as np

from kb.core.diagnosis.reading.intake import MIB
from kb.core.diagnosis.scanning.lines import MOST_KEY_BYTES, MOST_KEYS, SPARE, UNKNOWN, Lines, Numbers

# So much of the memory is for a block and what is found in it.
HALF = 32 * MIB
READY = b"\n"
# Which half, and how many bytes of text.
ORDER = struct.Struct("<qq")
# How many lines (none if they do not fit), runs of digits, whether keys are numbered anew, bytes of new keys.
ANSWER = struct.Struct("<qqqq")
WORD = np.dtype(np.int64).itemsize


def arrays_at(size: int) -> int:
    """Where the arrays begin behind a text of so many bytes."""
    return -(-(size + SPARE) // WORD) * WORD


class Preparer:
    """Numbers the keys of all blocks in the order of their first lines."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        self._numbers: dict[bytes, int] = {}
        self._bytes = 0

    def answer(self, half: int, size: int) -> bytes:
        """Cut a block; the arrays are left behind it: ends, numbers of keys, first runs, starts and lengths of runs."""
        is_fresh = len(self._numbers) >= MOST_KEYS or self._bytes >= MOST_KEY_BYTES
        if is_fresh:
            self._numbers, self._bytes = {}, 0
        start = half * HALF
        lines = Lines(self._memory[start : start + size])
        words = 3 * len(lines) + 2 * len(lines.run_starts)
        if arrays_at(size) + words * WORD > HALF:
            return ANSWER.pack(0, 0, is_fresh, 0)
        numbers, new = self._number(lines)
        arrays = np.concatenate((lines.ends, numbers, lines.first_runs, lines.run_starts, lines.run_lengths))
        np.frombuffer(self._memory, np.int64, words, start + arrays_at(size))[:] = arrays
        return ANSWER.pack(len(lines), len(lines.run_starts), is_fresh, len(new)) + new

    def _number(self, lines: Lines) -> tuple[Numbers, bytes]:
        """The lines' numbers, and the new keys among them, each with a line feed behind it."""
        known, new = self._numbers, list[bytes]()
        numbers = lines.key_numbers(known)
        for line in np.flatnonzero(numbers == UNKNOWN).tolist():
            key = lines.key(line)
            if key not in known:
                known[key] = len(known)
                new.append(key + b"\n")
            numbers[line] = known[key]
        self._bytes += sum(map(len, new))
        return numbers, b"".join(new)


def main(shared: int, orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer orders until there are no more."""
    preparer = Preparer(mmap.mmap(shared, 2 * HALF))
    answers.write(READY)
    answers.flush()
    while len(order := orders.read(ORDER.size)) == ORDER.size:
        answers.write(preparer.answer(*ORDER.unpack(order)))
        answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
