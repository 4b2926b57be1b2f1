"""What an import did, in numbers: per file and together.

Pure. Kept in `ImportRun.files` and printed by the commands.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class FileOutcome:
    """What became of one file. `error` says why nothing of it was imported.

    `read` counts records, `taken` those that became rows, `reasons` rejections by "reason: effect",
    `blanks` the blank cells that the mapping lets pass by column, `written` rows by what was done with them,
    `examples` the first things that were left out.
    """

    name: str
    error: str = ""
    read: int = 0
    taken: int = 0
    left_out: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    blanks: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_dict(self) -> dict[str, object]:
        """Return plain values, as JSON can hold them."""
        counters = {"reasons": dict(self.reasons), "blanks": dict(self.blanks), "written": dict(self.written)}
        return vars(self) | counters

    def lines(self) -> Iterator[str]:
        """Yield the outcome as lines to print."""
        if self.error:
            yield f"{self.name}: NOT imported: {self.error}"
            return
        counts = f"{self.read:,} rows read, {self.taken:,} taken, {self.left_out:,} left out"
        yield f"{self.name}: {counts} ({self.seconds:.1f} s)"
        yield f"  written: {_listed(self.written) or 'nothing new'}"
        if any(self.reasons.values()):
            yield f"  remarks: {_listed(self.reasons)}"
        if any(self.blanks.values()):
            yield f"  blank cells skipped: {_listed(self.blanks)}"
        for example in self.examples:
            yield f"  {example}"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


@dataclass(frozen=True)
class ImportOutcome:
    """What a whole run did."""

    run_id: int
    files: tuple[FileOutcome, ...]

    @property
    def succeeded(self) -> bool:
        """Whether every file was imported, and at least one row taken."""
        return not any(file.error for file in self.files) and any(file.taken for file in self.files)

    @property
    def total(self) -> FileOutcome:
        """All files together."""
        total = FileOutcome("Together")
        for file in self.files:
            total.read += file.read
            total.taken += file.taken
            total.left_out += file.left_out
            total.seconds += file.seconds
            total.reasons += file.reasons
            total.blanks += file.blanks
            for what, count in file.written.items():
                total.written[what] += count
        return total
