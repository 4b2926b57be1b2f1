"""What a run wrote, kept for the diagnosis: its beginning and its end, in a file without a name, within limits.

Nothing of it remains when the process ends. Where the disk is full, only the last of it is kept, in memory.
"""

import os
import tempfile
from collections import deque
from typing import IO

from faultbook.watch.parts import Part

MIB = 1 << 20
HEAD, RING, IN_MEMORY = 8 * MIB, 24 * MIB, 4 * MIB
# So much is written at once; a line may be so long before it is cut.
BATCH, LONGEST_LINE = 64 << 10, 64 << 10
NAME = "output"


class Spool:
    """Keeps whole lines of all streams in the order in which they came. `problem`: why it cannot, if so."""

    def __init__(self, head: int = HEAD, ring: int = RING) -> None:
        self._head_size, self._ring_size = head, ring
        self._begun: dict[int, bytes] = {}
        self._waiting: list[bytes] = []
        self._waiting_size = 0
        self._kept = 0
        self._lines = 0
        self._memory: deque[bytes] = deque()
        self._is_cut = False
        self._file: IO[bytes] | None = None
        self.problem = ""
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed with the process
        except OSError as refusal:
            self._give_up(refusal)

    def add(self, stream: int, written: bytes) -> None:
        """Keep what was written to a stream. Lines that are not ended yet wait for their end."""
        end = max(written.rfind(b"\n"), written.rfind(b"\r")) + 1
        rest = self._begun.pop(stream, b"")
        if not end and len(rest) + len(written) < LONGEST_LINE:
            self._begun[stream] = rest + written
            return
        if 0 < end < len(written):
            self._begun[stream], written = written[end:], written[:end]
        self._waiting += (rest, written)
        self._waiting_size += len(rest) + len(written)
        if self._waiting_size >= BATCH:
            self.write()

    def write(self) -> None:
        """Write what waits."""
        data = b"".join(self._waiting)
        self._waiting, self._waiting_size = [], 0
        if not data:
            return
        self._lines += data.count(b"\n")
        data = self._stored(data)
        if data:
            self._memory.append(data)
            while len(self._memory) > 1 and sum(map(len, self._memory)) > IN_MEMORY:
                self._memory.popleft()
                self._is_cut = True

    def part(self) -> Part:
        """All that is kept, lines without an end too, to be read while nothing more is added."""
        self._waiting += (text + b"\n" for text in self._begun.values())
        self._begun = {}
        self.write()
        head = min(self._kept, self._head_size)
        begin = self._read(0, head)
        oldest = max(self._kept - self._head_size - self._ring_size, 0)
        start, size = oldest % self._ring_size, min(self._kept - head, self._ring_size)
        end = b"".join((
            self._read(head + start, min(size, self._ring_size - start)),
            self._read(head, start if oldest else 0),
            *self._memory,
        ))  # fmt: skip
        if oldest or self._is_cut:
            begin, end = begin[: begin.rfind(b"\n") + 1], end[end.find(b"\n") + 1 :]
        before = begin.count(b"\n")
        return Part(NAME, [begin, end], after=before, left_out=self._lines - before - end.count(b"\n"))

    def _stored(self, data: bytes) -> bytes:
        """Write to the beginning while there is room, then round and round behind it; returns what cannot be."""
        while data and self._file is not None and not self.problem:
            room, place = self._head_size - self._kept, self._kept
            if room <= 0:
                turn = (self._kept - self._head_size) % self._ring_size
                room, place = self._ring_size - turn, self._head_size + turn
            try:
                written = os.pwrite(self._file.fileno(), data[:room], place)
            except OSError as refusal:
                self._give_up(refusal)
            else:
                self._kept += written
                data = data[written:]
        return data

    def _give_up(self, refusal: OSError) -> None:
        self.problem = f"The disk did not take all of the output, so its last part alone was kept: {refusal.strerror}."

    def _read(self, place: int, size: int) -> bytes:
        return os.pread(self._file.fileno(), size, place) if size > 0 and self._file is not None else b""
