"""The files of a zip archive that was cut off: without the list at its end, each is found by the header before it."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, NamedTuple

from kb.core.diagnosis.reading.streams import CHUNK, Readable

LOCAL, BEHIND = b"PK\x03\x04", b"PK\x07\x08"
# Signature, version, flags, method, time, date, checksum, sizes packed and unpacked, lengths of name and extra fields.
HEADER = struct.Struct("<4s5H3L2H")
STORED, DEFLATED = 0, 8
LOCKED, SIZED_BEHIND, IN_UTF_8 = 1, 8, 0x800
UNKNOWN_SIZE = 0xFFFFFFFF


class CutMember(NamedTuple):
    """A file of the archive. `content` is None where its packing or lock needs the whole archive."""

    name: str
    content: Readable | None


def cut_members(archive: IO[bytes]) -> Iterator[CutMember]:
    """The files from the beginning on, each to be read before the next one is taken."""
    place: int | None = 0
    while place is not None:
        archive.seek(place)
        raw = archive.read(HEADER.size)
        if len(raw) < HEADER.size or not raw.startswith(LOCAL):
            return
        _, _, flags, method, _, _, _, packed, _, name_size, extra_size = HEADER.unpack(raw)
        name = archive.read(name_size).decode("utf-8" if flags & IN_UTF_8 else "cp437", "replace")
        start = place + HEADER.size + name_size + extra_size
        is_sized = not flags & SIZED_BEHIND and packed != UNKNOWN_SIZE
        end = start + packed if is_sized else None
        if flags & LOCKED or method not in (STORED, DEFLATED):
            yield CutMember(name, None)
        else:
            if end is None and method == STORED:
                end = _next(archive, BEHIND, start)
            member = _Part(archive, start, end)
            content = _Inflated(member) if method == DEFLATED else member
            yield CutMember(name, content)
            with suppress(zlib.error):
                while content.read(CHUNK):
                    pass
            end = member.place
        place = _next(archive, LOCAL, end) if end is not None else None


def _next(archive: IO[bytes], signature: bytes, start: int) -> int | None:
    """The next place of the signature from `start` on; None if there is none."""
    archive.seek(start)
    kept = b""
    while more := archive.read(CHUNK):
        place = (kept + more).find(signature)
        if place >= 0:
            return start - len(kept) + place
        start += len(more)
        kept = (kept + more)[1 - len(signature) :]
    return None


class _Part:
    """The bytes of the archive from `place` to `end`, or to its own end."""

    def __init__(self, archive: IO[bytes], place: int, end: int | None) -> None:
        self._archive, self.place, self._end = archive, place, end

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if self._end is not None:
            size = min(size, self._end - self.place)
        self._archive.seek(self.place)
        data = self._archive.read(max(size, 0))
        self.place += len(data)
        return data


class _Inflated:
    """What a deflated part holds. The part's place is where it ends, once all is read."""

    def __init__(self, inner: _Part) -> None:
        self._inner, self._engine = inner, zlib.decompressobj(-zlib.MAX_WBITS)

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end. Raises `zlib.error` where they are damaged."""
        data = b""
        while not data and not self._engine.eof:
            fed = self._engine.unconsumed_tail or self._inner.read(CHUNK)
            if not fed:
                break
            data = self._engine.decompress(fed, size)
            if self._engine.eof:
                self._inner.place -= len(self._engine.unused_data)
        return data
