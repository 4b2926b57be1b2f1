"""Streams that are read once, from front to back: a look ahead, decompression, and limits. No formats of archives."""

import bz2
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, Protocol

from kb.diagnosis.reading.intake import Intake

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK = 1 << 18
GZIP_WINDOW = 31
# What Python's own modules raise of archives and compressed data that are not what they say.
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, zstd.ZstdError, struct.error, EOFError, OSError,
    ValueError, OverflowError, NotImplementedError, IndexError,
)  # fmt: skip


class Readable(Protocol):
    """All that is asked of a stream."""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""


class Peekable:
    """A stream whose first bytes can be looked at before they are read."""

    def __init__(self, inner: Readable) -> None:
        self._inner = inner
        self._ahead = b""
        self.given = 0

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
            found = b"".join(parts)
        elif self._ahead:
            found, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            found = self._inner.read(size)
        self.given += len(found)
        return found


class Decompressed:
    """What a compressed stream holds. Damaged or cut off, it ends there, and the intake keeps the reason."""

    def __init__(self, name: str, inner: Peekable, start: Callable[[], Any], intake: Intake) -> None:
        self._name = name
        self._inner = inner
        self._start = start
        self._intake = intake
        self._engine = start()
        self._pending = b""
        self._ended = False
        self.given = 0

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        while not self._ended:
            try:
                found = self._step(size)
            except DAMAGE as damage:
                self._end(f"The compressed data is damaged ({damage}); what comes before it was read.")
                break
            if found:
                self.given += len(found)
                return found if self._is_sound() else b""
        return b""

    def _step(self, size: int) -> bytes:
        engine = self._engine
        if engine.eof:
            self._pending = engine.unused_data or self._inner.read(CHUNK)
            if not self._pending.strip(b"\0"):
                self._ended = True
                return b""
            self._engine = engine = self._start()
        elif not self._pending and getattr(engine, "needs_input", True):
            self._pending = self._inner.read(CHUNK)
            if not self._pending:
                self._end("The compressed data is cut off; what there is of it was read.")
                return b""
        data, self._pending = self._pending, b""
        found: bytes = engine.decompress(data, size)
        # Of the engines, zlib's alone hands back what it could not take.
        self._pending = getattr(engine, "unconsumed_tail", b"")
        return found

    def _is_sound(self) -> bool:
        limits = self._intake.limits
        if self.given <= limits.harmless or self.given <= limits.ratio * max(self._inner.given, 1):
            return True
        self._end(f"It unpacks to more than {limits.ratio} times its size, as no log does; the rest was not read.")
        return False

    def _end(self, why: str) -> None:
        self._ended = True
        self._intake.leave_out(self._name, why)


class Guarded:
    """An archive's member. Where it is damaged it ends, and the intake keeps the reason."""

    def __init__(self, name: str, inner: Readable, intake: Intake) -> None:
        self._name, self._inner, self._intake = name, inner, intake
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if self._ended:
            return b""
        try:
            return self._inner.read(size)
        except DAMAGE as damage:
            self._ended = True
            self._intake.leave_out(self._name, f"It is damaged ({damage}); what comes before that was read.")
            return b""


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
