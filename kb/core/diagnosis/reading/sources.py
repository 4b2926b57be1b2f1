"""Which texts and dumps a file holds: itself, what it is compressed from, or an archive's members.

Nothing is unpacked: members are read from within their archive, so that no name in it can reach the disk.
"""

import math
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any, cast

from kb.core.diagnosis.reading.cut_zip import cut_members
from kb.core.diagnosis.reading.intake import MIB, Intake
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.reading.streams import DAMAGE, Guarded, Peekable, Readable, decompressed

ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
TAR, TAR_AT = b"ustar", 257
# Protocols 2 to 5 of Python's pickles: a Flight Recorder's dump, or a snapshot of CUDA memory.
PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
# The keys that their forms as JSON begin with.
DUMP_KEYS = (
    b'"nccl_version"', b'"pg_config"', b'"comm_lib_version"', b'"pg_status"', b'"device_traces"', b'"segment_pool_id"',
    b'"allocator_settings"',
)  # fmt: skip
FIRST_KEYS = 4096
UNPACKED_SUFFIXES = {
    ".gz": "", ".zst": "", ".bz2": "", ".xz": "", ".tgz": ".tar", ".tzst": ".tar", ".tbz2": ".tar", ".txz": ".tar",
}  # fmt: skip
IN_MEMORY = 64 * MIB
LOCKED = "It is locked with a password. Unlock it first."
# Bytes that an entry takes in a zip file's list, its name among them.
LISTED = 256
# Bytes of a tar entry's headers: long names, attributes, where a file has holes.
LONGEST_HEADERS = MIB


@dataclass(frozen=True)
class Source:
    """One text or dump, to be read before the next one is taken. `path`: with the archives that it lies in."""

    path: str
    stream: Peekable
    is_dump: bool


def sources(path: str, stream: Readable, intake: Intake, depth: int = 0) -> Iterator[Source]:
    """Everything that can be read of this file; what can't is kept in the intake, with the reason."""
    too_deep = f"It is packed more than {intake.limits.depth} times over."
    content = Peekable(stream)
    while (inner := decompressed(path, content, intake)) is not None:
        depth += 1
        if depth > intake.limits.depth:
            intake.leave_out(path, too_deep)
            return
        content, name = inner, PurePosixPath(path)
        if name.suffix in UNPACKED_SUFFIXES:
            path = str(name.with_suffix(UNPACKED_SUFFIXES[name.suffix]))
    head = content.peek(TAR_AT + len(TAR))
    is_tar, is_zip = head[TAR_AT:] == TAR, head.startswith((ZIP, EMPTY_ZIP))
    if (is_tar or is_zip) and depth >= intake.limits.depth:
        intake.leave_out(path, too_deep)
    elif is_tar:
        yield from _of_tar(path, content, intake, depth + 1)
    elif is_zip:
        yield from _of_zip(path, content, intake, depth + 1)
    elif intake.admit(path):
        head = content.peek(FIRST_KEYS)
        is_json_dump = head.startswith(b"{") and any(key in head for key in DUMP_KEYS)
        yield Source(path, content, head.startswith(PICKLES) or is_json_dump)


def _of_tar(path: str, stream: Peekable, intake: Intake, depth: int) -> Iterator[Source]:
    try:
        raw = _TarBytes(stream)
        with tarfile.open(fileobj=cast("IO[bytes]", raw), mode="r|") as archive:
            for member in _entries(archive, raw):
                if not intake.enter(path):
                    return
                if member.isdir() or not _is_inside(path, member.name, intake):
                    continue
                inner = f"{path}/{readable_name(member.name)}"
                content = archive.extractfile(member) if member.isreg() else None
                if content is None:
                    intake.leave_out(inner, "It is a link or a device, not a file.")
                    continue
                member_bytes = _MemberBytes(cast("Readable", content), raw)
                yield from sources(inner, Guarded(inner, member_bytes, intake), intake, depth)
        if raw.is_cut:
            intake.leave_out(path, "The archive is cut off; what there is of it was read.")
    except DAMAGE as damage:
        intake.leave_out(path, f"The archive is damaged ({damage}); what comes before that was read.")


class _TarBytes:
    """A tar's bytes, of which no more than `left` may be read: the headers of an entry are kept in memory whole.

    `is_cut`: they ended too early. NULs stand in then: of a read that fails, nothing would be left.
    """

    left: float = LONGEST_HEADERS
    is_cut = False

    def __init__(self, inner: Readable) -> None:
        self._inner = inner

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes. Raises `tarfile.ReadError` where no more are allowed."""
        if self.left <= 0:
            raise tarfile.ReadError("an entry's headers are too long")
        data = self._inner.read(size)
        if not data:
            self.is_cut = True
            return bytes(size)
        self.left -= len(data)
        return data


class _MemberBytes:
    """The bytes of a tar's member, as far as the tar goes."""

    def __init__(self, inner: Readable, archive: _TarBytes) -> None:
        self._inner, self._archive = inner, archive

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if self._archive.is_cut:
            return b""
        data = self._inner.read(min(size, MIB))
        return data.rstrip(b"\0") if self._archive.is_cut else data


def _entries(archive: tarfile.TarFile, raw: _TarBytes) -> Iterator[tarfile.TarInfo]:
    """The archive's entries, none of which is kept."""
    while (member := archive.next()) is not None:
        raw.left = math.inf
        yield member
        if raw.is_cut:
            return
        # What is left of the entry is passed over, however long it is.
        cast("IO[bytes]", archive.fileobj).seek(archive.offset)
        cast("Any", archive).members.clear()
        raw.left = LONGEST_HEADERS


class _LongListError(Exception):
    """A zip file's list of its entries is too long."""


class _Spool(tempfile.SpooledTemporaryFile[bytes]):
    """A zip file on its way to being opened: its list of entries is read whole, and must not be longer than `most`."""

    most = math.inf

    def read(self, size: int = -1, /) -> bytes:
        """Return up to so many bytes. Raises `_LongListError` for more than `most`."""
        if size > self.most:
            raise _LongListError
        return super().read(size)


def _of_zip(path: str, stream: Peekable, intake: Intake, depth: int) -> Iterator[Source]:
    with _Spool(max_size=IN_MEMORY) as spool:
        # The list of entries is at the end, so that the whole file is needed first.
        while block := stream.read(MIB):
            intake.heed()
            if spool.tell() + len(block) > intake.limits.zipped:
                intake.cut(path, f"It is a zip file of more than {intake.limits.zipped // MIB:,} MiB; it was not read.")
                return
            spool.write(block)
        archive = _opened(path, spool, intake)
        if archive is None:
            if not intake.is_cut:
                yield from _of_cut_zip(path, cast("IO[bytes]", spool), intake, depth)
            return
        for member in in_order_of_writing(archive.infolist(), lambda member: member.filename):
            if not intake.enter(path):
                return
            if member.is_dir() or not _is_inside(path, member.filename, intake):
                continue
            inner = f"{path}/{readable_name(member.filename)}"
            try:
                with archive.open(member) as content:
                    yield from sources(inner, Guarded(inner, cast("Readable", content), intake), intake, depth)
            except DAMAGE as damage:
                intake.leave_out(inner, f"It is damaged ({damage}); what comes before that was read.")
            except RuntimeError:
                intake.leave_out(inner, LOCKED)


def _of_cut_zip(path: str, archive: IO[bytes], intake: Intake, depth: int) -> Iterator[Source]:
    """The files of a zip archive without its list of them."""
    why = "The zip file is damaged; nothing of it could be read."
    for member in cut_members(archive):
        if not intake.enter(path):
            return
        if member.name.endswith("/") or not _is_inside(path, member.name, intake):
            continue
        inner = f"{path}/{readable_name(member.name)}"
        if member.content is None:
            intake.leave_out(inner, LOCKED)
            continue
        why = "The zip file is cut off; what there is of it was read."
        yield from sources(inner, Guarded(inner, member.content, intake), intake, depth)
    intake.leave_out(path, why)


def _opened(path: str, spool: _Spool, intake: Intake) -> zipfile.ZipFile | None:
    """The archive; none if its list of entries is too long, which the intake keeps, or damaged."""
    spool.most = max(intake.limits.entries * LISTED, MIB)
    try:
        archive = zipfile.ZipFile(spool)
    except _LongListError:
        most = f"{intake.limits.entries:,}"
        intake.cut(path, f"Its list of entries is longer than that of {most}, the most there may be.")
        return None
    except DAMAGE:
        return None
    spool.most = math.inf
    return archive


def readable_name(name: str) -> str:
    """A member's name as it can be written: tar has half characters in it for bytes that are no UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _is_inside(path: str, name: str, intake: Intake) -> bool:
    if name.startswith(("/", "\\")) or ".." in PurePosixPath(name.replace("\\", "/")).parts:
        intake.leave_out(f"{path}/{readable_name(name)}", "Its name leads out of the archive.")
        return False
    return True
