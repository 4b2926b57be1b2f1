"""Where the lines that a change removes or alters come from: git's blame of them, in the commit before it.

Lines that say nothing of a fault are passed over: blank ones, comments, imports, brackets, lines that only moved, and
files of tests and documentation.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.git.running import PLAIN_DIFF, Git
from ingest.git.sizes import GENERATED

ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|examples?|benchmarks?|\.github|ci)/|(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$"
    r"|\.(?:md|rst|txt|ya?ml|toml|cfg|ini|json|csv|png|jpe?g|gif|pdf)$|(?:^|/)(?:setup\.py|version\.py|__init__\.py)$",
    re.IGNORECASE,
)
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
SILENT = re.compile(
    r"^(?:#(?!define|if|el|endif).*|//.*|/?\*.*|\"{3}.*|'{3}.*|import\s.*|from\s+\S+\s+import\b.*|[\W_]*)$"
)
BLAMED = re.compile(rb"^([0-9a-f]{40}(?:[0-9a-f]{24})?) \d+ \d+(?: \d+)?$")
RAW = re.compile(r"^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) ([MRD])\d*$")
MOST_FILES = 40
MOST_LINES = 2000
MOST_PATCH = 1 << 22


@dataclass(frozen=True, slots=True)
class AlteredFile:
    """A file before and after a change: two blobs, under its name before."""

    name: str
    before: str
    after: str


def commits_of_removed(git: Git, commit: str, parent: str) -> set[str]:
    """The commits that wrote the lines which this commit removes. Raises `GitError` where files are missing."""
    removed: dict[str, dict[int, str]] = {}
    added: set[str] = set()
    for file in _altered(git, commit, parent):
        gone, new = _lines(git, file)
        removed[file.name] = gone
        added |= new
    commits: set[str] = set()
    for name, lines in removed.items():
        numbers = [number for number, text in sorted(lines.items()) if not SILENT.match(text) and text not in added]
        if numbers:
            commits |= set(_blamed(git, parent, name, numbers[:MOST_LINES]))
    return commits


def _altered(git: Git, commit: str, parent: str) -> Iterator[AlteredFile]:
    """Files that were there before, except those aside and generated ones."""
    listing = git.records("diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", *PLAIN_DIFF, parent, commit)
    count = 0
    for record in listing:
        match = RAW.match(record.decode("ascii", "replace"))
        if match is None:
            continue
        name = next(listing, b"").decode("utf-8", "surrogateescape")
        if match[3] == "R":
            next(listing, None)
        if not ASIDE.search(name) and not GENERATED.search(name) and count < MOST_FILES:
            count += 1
            yield AlteredFile(name, match[1], match[2])


def _lines(git: Git, file: AlteredFile) -> tuple[dict[int, str], set[str]]:
    """What a change removes from a file, by line, and what it adds; without blanks around."""
    if not file.after.strip("0"):
        # A file that is gone as a whole says nothing of the line at fault.
        return {}, set()
    patch = git.text("diff", "-U0", "--no-color", *PLAIN_DIFF, "-w", file.before, file.after, most=MOST_PATCH)
    removed: dict[int, str] = {}
    added: set[str] = set()
    number = 0
    for line in patch.split("\n"):
        hunk = HUNK.match(line)
        if hunk:
            number = int(hunk[1])
        elif number and line.startswith("-"):
            removed[number] = line[1:].strip()
            number += 1
        elif number and line.startswith("+"):
            added.add(line[1:].strip())
    return removed, added


def _blamed(git: Git, parent: str, name: str, numbers: Sequence[int]) -> Iterator[str]:
    """The commits of these lines of a file."""
    ranges: list[str] = []
    for first, last in _runs(numbers):
        ranges += ["-L", f"{first},{last}"]
    with git.started(("blame", "--porcelain", "-w", "-M", *ranges, parent, "--", name)) as output:
        for line in output:
            match = BLAMED.match(line.rstrip(b"\n"))
            if match:
                yield match[1].decode()


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring numbers as their first and last."""
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
