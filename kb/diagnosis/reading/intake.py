"""How much is read of what somebody hands in, and what had to be left out. No reading here."""

from dataclasses import dataclass, field

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class UnreadableInputError(Exception):
    """Nothing can be read here; says why, and what to do instead."""


@dataclass(frozen=True)
class Limits:
    """Bytes of text after decompression, files after unpacking, and archives within archives.

    `ratio`: a text so many times larger than its file is a bomb, once it is larger than `harmless` bytes.
    """

    text: int = 64 * GIB
    files: int = 20_000
    depth: int = 3
    ratio: int = 2_000
    harmless: int = 256 * MIB


@dataclass(frozen=True)
class LeftOut:
    """Something that was not read, or not to its end."""

    name: str
    why: str


@dataclass
class Intake:
    """Counts what is read against the limits, and keeps what was left out, with the reason."""

    limits: Limits = field(default_factory=Limits)
    read: int = 0
    files: int = 0
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """May no more text be read?"""
        return self.read >= self.limits.text

    def leave_out(self, name: str, why: str) -> None:
        """Remember it, once for each file and reason."""
        found = LeftOut(name, why)
        if found not in self.left_out[-20:]:
            self.left_out.append(found)

    def admit(self, name: str) -> bool:
        """Count another file; false, with the reason kept, when there are too many."""
        self.files += 1
        if self.files > self.limits.files:
            self.leave_out("further files", f"Only the first {self.limits.files} files are read.")
            return False
        if self.is_full:
            self.leave_out(name, "The limit for one diagnosis was reached before this file.")
            return False
        return True
