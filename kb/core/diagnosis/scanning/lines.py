"""A block of text as arrays: where its lines begin and end, their keys, and where digits stand. No reading of them."""

from collections.abc import Mapping
from functools import cached_property
from itertools import repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.parsing.masking import collapsed_bytes

Numbers: TypeAlias = npt.NDArray[np.int64]
Bits: TypeAlias = npt.NDArray[np.bool_]
Raw: TypeAlias = npt.NDArray[np.uint8]

LINE_FEED, ZERO, TEN = ord("\n"), ord("0"), 10
# So many bytes may be read from any place of the text on.
SPARE = 16
# So many keys are remembered at a time, by whoever numbers them, and no more than so many bytes of them.
MOST_KEYS, MOST_KEY_BYTES = 100_000, 48 << 20
# The number of a key that is not known.
UNKNOWN = -1


class Lines:
    """The lines of a block of UTF-8, counted from 0. Places are of `raw`: the block, and zeros behind it."""

    def __init__(self, block: bytes) -> None:
        self._text = block

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def raw(self) -> Raw:
        """Its bytes."""
        return np.frombuffer(self._text + bytes(SPARE), np.uint8)

    @cached_property
    def keys(self) -> list[bytes]:
        """The lines with every run of digits made one `0`."""
        return collapsed_bytes(self._text).split(b"\n")

    @cached_property
    def ends(self) -> Numbers:
        """Where each line ends."""
        return np.append(np.flatnonzero(self.raw == LINE_FEED), len(self._text))

    @cached_property
    def starts(self) -> Numbers:
        """Where each begins."""
        return np.concatenate(([0], self.ends[:-1] + 1))

    def key(self, line: int) -> bytes:
        """The key of one of the lines."""
        return self.keys[line]

    def key_numbers(self, known: Mapping[bytes, int]) -> Numbers:
        """The number that each line's key is known by, or `UNKNOWN`."""
        return np.fromiter(map(known.get, self.keys, repeat(UNKNOWN)), np.int64, len(self.keys))

    def text(self, line: int) -> str:
        """One of the lines."""
        return self.part(int(self.starts[line]), int(self.ends[line]))

    def part(self, start: int, end: int) -> str:
        """What stands between two places."""
        return self._text[start:end].decode("utf-8", "surrogatepass")

    @cached_property
    def _edges(self) -> Numbers:
        """Where runs of digits begin and end, in turns."""
        is_digit = (self.raw - ZERO) < TEN
        inner = np.flatnonzero(is_digit[1:] != is_digit[:-1]) + 1
        return np.concatenate(([0], inner)) if is_digit[0] else inner

    @cached_property
    def run_starts(self) -> Numbers:
        """Where each run of digits begins."""
        return self._edges[::2]

    @cached_property
    def run_lengths(self) -> Numbers:
        """How many digits it has."""
        return self._edges[1::2] - self.run_starts

    @cached_property
    def first_runs(self) -> Numbers:
        """The number of each line's first run of digits."""
        return np.searchsorted(self.run_starts, self.starts)

    def numbers(self, runs: Numbers, longest: int) -> tuple[Numbers, Bits]:
        """The values of these runs, and whether they have no more digits than so many; the others' mean nothing."""
        starts, lengths = self.run_starts[runs], self.run_lengths[runs]
        values = np.zeros(len(runs), np.int64)
        for place in range(min(longest, int(lengths.max(initial=0)))):
            is_in = lengths > place
            digits = self.raw[starts + np.minimum(place, lengths)].astype(np.int64) - ZERO
            values = np.where(is_in, values * TEN + digits, values)
        return values, lengths <= longest
