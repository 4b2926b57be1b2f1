"""Streams that are read once, from front to back, with a look ahead, decompression and limits."""

import bz2
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from kb.core.diagnosis.reading.intake import Intake

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK = 1 << 18
# What an engine is given of a part at first.
FIRST_FEED = 1 << 10
GZIP_WINDOW = 31
# What Python's own modules raise of archives and compressed data that are not what they say.
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, zstd.ZstdError, struct.error, EOFError, OSError,
    ValueError, OverflowError, NotImplementedError, IndexError, RecursionError,
)  # fmt: skip


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""


class Peekable:
    """A stream whose first bytes can be looked at before they are read. `bytes_read`: how many were read of it."""

    def __init__(self, inner: Readable) -> None:
        self._inner = inner
        self._ahead = b""
        self.bytes_read = 0

    def peek(self, size: int) -> bytes:
        """Look at up to so many bytes, fewer only where the stream ends."""
        while len(self._ahead) < size and (more := self._inner.read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int = -1, /) -> bytes:
        """Return up to so many bytes; all that is left when `size` is negative."""
        if size < 0:
            parts = [self._ahead]
            self._ahead = b""
            while more := self._inner.read(CHUNK):
                parts.append(more)
            data = b"".join(parts)
        elif self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            data = self._inner.read(size)
        self.bytes_read += len(data)
        return data

    def fill(self, size: int) -> bytes:
        """Return so many bytes, fewer only where the stream ends: few large blocks cost less than many small ones."""
        parts: list[bytes] = []
        while size > 0 and (more := self.read(size)):
            parts.append(more)
            size -= len(more)
        return parts[0] if len(parts) == 1 else b"".join(parts)


class Parts:
    """A compressed stream's bytes on their way to the engines, one engine for each part that was put behind another."""

    def __init__(self, inner: Peekable, start: Callable[[], Any]) -> None:
        self._inner, self._start = inner, start
        self._held, self._place, self._feed = memoryview(b""), 0, FIRST_FEED
        self.engine = start()

    def follows(self) -> bool:
        """Go on to the part behind the one that ended; false where there is none. Zeros at the end are no part."""
        if not self._fill() or (self._held[self._place] == 0 and not bytes(self._held[self._place :]).strip(b"\0")):
            return False
        self.engine, self._feed = self._start(), FIRST_FEED
        return True

    def step(self, size: int) -> bytes | None:
        """Up to so many bytes of what is packed; None when the compressed bytes have come to their end too early."""
        engine, fed = self.engine, self._held[:0]
        if getattr(engine, "needs_input", True):
            if not self._fill():
                return None
            # Engines copy what they leave over: a part that turns out long is given more and more at a time.
            fed = self._held[self._place : self._place + self._feed]
            self._feed = min(2 * self._feed, CHUNK)
        data = bytes(engine.decompress(fed, size))
        # Of the engines, zlib's alone hands back what it could not take; the others keep it, until a part ends.
        left = engine.unused_data if engine.eof else getattr(engine, "unconsumed_tail", b"")
        self._place += len(fed) - len(left)
        return data

    def _fill(self) -> bool:
        if self._place >= len(self._held):
            self._held, self._place = memoryview(self._inner.read(CHUNK)), 0
        return len(self._held) > 0


class Decompressed:
    """What a compressed stream holds. Damaged or cut off, it ends there, and the intake keeps the reason."""

    def __init__(self, name: str, inner: Peekable, start: Callable[[], Any], intake: Intake) -> None:
        self._name = name
        self._inner = inner
        self._parts = Parts(inner, start)
        self._intake = intake
        self._ended = not intake.begin(name)
        self.bytes_read = 0

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer only at the end, from as many parts as it takes."""
        limits, pieces = self._intake.limits, list[bytes]()
        missing = size
        while missing > 0 and not self._ended:
            try:
                piece = self._next_piece(missing)
            except DAMAGE as damage:
                self._end(f"The compressed data is damaged ({damage}); what comes before it was read.")
                break
            self.bytes_read += len(piece)
            if self.bytes_read > limits.harmless and self.bytes_read > limits.ratio * max(self._inner.bytes_read, 1):
                why = f"It unpacks to more than {limits.ratio} times its size, as no log does; the rest was not read."
                self._end(why)
                break
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def _next_piece(self, size: int) -> bytes:
        if self._parts.engine.eof:
            self._ended = not self._parts.follows() or not self._intake.begin(self._name)
            return b""
        self._intake.heed()
        piece = self._parts.step(size)
        if piece is None:
            self._end("The compressed data is cut off; what there is of it was read.")
        return piece or b""

    def _end(self, why: str) -> None:
        self._ended = True
        self._intake.leave_out(self._name, why)


class Guarded:
    """An archive's member. Where it is damaged it ends, and the intake keeps the reason."""

    def __init__(self, name: str, inner: Readable, intake: Intake) -> None:
        self._name, self._intake = name, intake
        # Of a read that takes several from below, nothing is left where the last of them fails.
        self._read = getattr(inner, "read1", inner.read)
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if self._ended:
            return b""
        self._intake.heed()
        try:
            data: bytes = self._read(size)
        except DAMAGE as damage:
            self._ended = True
            self._intake.leave_out(self._name, f"It is damaged ({damage}); what comes before that was read.")
            return b""
        return data


ENGINES: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(GZIP_WINDOW),
    b"\x28\xb5\x2f\xfd": lambda: zstd.ZstdDecompressor(),
    b"BZh": lambda: bz2.BZ2Decompressor(),
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=256 << 20),
}


def decompressed(name: str, stream: Peekable, intake: Intake) -> Peekable | None:
    """What the stream holds if its first bytes say that it is compressed (gzip, zstd, bzip2, xz)."""
    for magic, start in ENGINES.items():
        if stream.peek(len(magic)) == magic:
            return Peekable(Decompressed(name, stream, start, intake))
    return None
