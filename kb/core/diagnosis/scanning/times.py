"""When the lines of a block were written, by the times in the lines before them, and where the minute changes."""

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.scanning.lines import Lines, Numbers
from kb.core.diagnosis.scanning.prefixes import MINUTE

# The first bytes of a time, as two numbers, up to the end of its minute.
BEFORE_SECONDS = np.array([[255] * size + [0] * (MINUTE - size) for size in range(MINUTE + 1)], np.uint8).view(
    np.uint64
)


class Times:
    """The times of a block's lines. `carried`: the last time before the block; of it, `minute` is its minute.

    `starts`, `lengths` and `minutes`: where the times stand that the lines' heads tell, and how much of each is before
    its seconds.
    """

    def __init__(
        self, lines: Lines, starts: Numbers, lengths: Numbers, minutes: Numbers, carried: str, minute: str
    ) -> None:
        self._lines, self._starts, self._lengths, self._carried = lines, starts, lengths, carried
        self._timed = np.flatnonzero(lengths)
        places = np.arange(len(lines))
        self._latest = np.maximum.accumulate(np.where(lengths > 0, places, -1))
        self._last = (-1, carried)
        self.minute = minute
        self.ticks = self._changes(minutes)

    @property
    def are_told(self) -> bool:
        """Does any line of the block tell a time?"""
        return len(self._timed) > 0

    def at(self, line: int) -> str:
        """The last time that was written up to this line, and in it; empty for none."""
        place = int(self._latest[line]) if line >= 0 else -1
        if place < 0:
            return self._carried
        if self._last[0] != place:
            start = int(self._starts[place])
            self._last = (place, self._lines.part(start, start + int(self._lengths[place])))
        return self._last[1]

    def after(self, line: int) -> str:
        """The first time that is written after this line; empty for none."""
        place = int(np.searchsorted(self._timed, line, "right"))
        return self.at(int(self._timed[place])) if place < len(self._timed) else ""

    def _changes(self, minutes: Numbers) -> Numbers:
        """The lines whose time is of another minute than the last time before them."""
        timed = self._timed
        if not len(timed):
            return timed
        raw = self._lines.raw
        # Two numbers of eight bytes from any byte of the text on.
        words: npt.NDArray[np.uint64] = np.ndarray(
            (raw.size - MINUTE + 1, 2), np.uint64, raw.data, strides=(1, MINUTE // 2)
        )
        written = words[self._starts[timed]] & BEFORE_SECONDS[minutes[timed]]
        is_new = np.empty(len(timed), np.bool_)
        is_new[1:] = (written[1:] != written[:-1]).any(axis=1)
        first, last = int(timed[0]), int(timed[-1])
        is_new[0] = self.at(first)[: minutes[first]] != self.minute
        self.minute = self.at(last)[: minutes[last]]
        return timed[is_new]
