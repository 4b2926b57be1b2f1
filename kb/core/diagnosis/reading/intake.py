"""How much of the given files may be read, how much was, and what had to be left out."""

from collections.abc import Callable
from dataclasses import dataclass, field

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
# So many things that were left out are listed one by one.
MOST_LEFT_OUT = 200


class UnreadableInputError(Exception):
    """Nothing can be read; the message says why, and what to do instead."""


@dataclass(frozen=True)
class Limits:
    """The most that is read of one diagnosis's files.

    `text`: bytes of text after decompression; `entries`: entries of archives, files or not; `parts`: compressed streams
    that were put one behind the other; `depth`: archives within archives; `zipped`: bytes of a zip file, which is put
    on the disk first. A text `ratio` times larger than its file is a bomb, once it is larger than `harmless` bytes.
    """

    text: int = 64 * GIB
    files: int = 20_000
    entries: int = 50_000
    parts: int = 1_000_000
    depth: int = 3
    zipped: int = 64 * GIB
    ratio: int = 2_000
    harmless: int = 256 * MIB


@dataclass(frozen=True)
class LeftOut:
    """Something that was not read, or not to its end."""

    name: str
    why: str


@dataclass
class Intake:
    """Counts what is read against the limits, and keeps what was left out, with the reason.

    `progress` is told the bytes of text read so far, at every step of the reading; what it raises ends the reading.
    `is_cut`: there is more than the limits allow.
    """

    limits: Limits = field(default_factory=Limits)
    progress: Callable[[int], None] | None = None
    read: int = 0
    files: int = 0
    entries: int = 0
    parts: int = 0
    is_cut: bool = False
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether the limit for text is reached."""
        return self.read >= self.limits.text

    def heed(self) -> None:
        """Report the progress, which may raise to end the reading."""
        if self.progress is not None:
            self.progress(self.read)

    def leave_out(self, name: str, why: str) -> None:
        """Remember it, once for each file and reason."""
        left_out = LeftOut(name, why)
        if len(self.left_out) < MOST_LEFT_OUT and left_out not in self.left_out[-20:]:
            self.left_out.append(left_out)
        elif len(self.left_out) == MOST_LEFT_OUT:
            self.left_out.append(LeftOut("more", "Only the first of what was left out is listed."))

    def cut(self, name: str, why: str) -> None:
        """Remember that a limit was reached."""
        self.is_cut = True
        self.leave_out(name, why)

    def admit(self, name: str) -> bool:
        """Count another file; false, with the reason kept, when there are too many."""
        self.heed()
        self.files += 1
        if self.files > self.limits.files:
            self.cut("further files", f"Only the first {self.limits.files:,} files are read.")
            return False
        if self.is_full:
            self.cut(name, "The limit for one diagnosis was reached before this file.")
            return False
        return True

    def enter(self, archive: str) -> bool:
        """Count another entry of an archive, of whatever kind; false, with the reason kept, when no more are read."""
        self.heed()
        self.entries += 1
        if self.entries > self.limits.entries:
            self.cut(archive, f"Only the first {self.limits.entries:,} entries of archives are read.")
            return False
        return self.files <= self.limits.files and not self.is_full

    def begin(self, name: str) -> bool:
        """Count another compressed part; false, with the reason kept, when there are too many."""
        self.heed()
        self.parts += 1
        if self.parts > self.limits.parts:
            self.cut(name, f"Only the first {self.limits.parts:,} compressed parts of a log are read.")
            return False
        return True
