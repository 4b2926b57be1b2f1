"""How much each commit alters: lines by git's own count, without files that nobody wrote by hand."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.git.running import PLAIN_DIFF, Git, GitError
from kb.core.histories import Size

# Lock files, minified and generated files, and folders of other people's code.
GENERATED = re.compile(
    r"(?:^|/)(?:third[_-]?party|vendor|vendored|node_modules|extern(?:al)?s?)/"
    r"|(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Cargo\.lock|go\.sum)$"
    r"|\.min\.(?:js|css)$|\.(?:ipynb|svg|map|snap)$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:cc|h|go)$",
    re.IGNORECASE,
)
ARGUMENTS = ("diff-tree", "--stdin", "-r", "-z", "--root", "--numstat", "-M", "-l1000", *PLAIN_DIFF)
COUNTED = re.compile(rb"^(\d+|-)\t(\d+|-)\t", re.DOTALL)
NAMED = re.compile(rb"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")


def sizes_of(git: Git, commits: Sequence[tuple[str, str | None]]) -> Iterator[tuple[str, Size | None]]:
    """The size of each commit, told as it is counted, against its first parent; None where files are missing.

    `commits`: each with its first parent.
    """
    waiting = list(commits)
    while waiting:
        done = 0
        try:
            for commit, size in _counted(git, waiting):
                yield commit, size
                done += 1
        except GitError:
            # Git stops at a commit whose files it lacks.
            yield waiting[done][0], None
            done += 1
        else:
            for commit, _ in waiting[done:]:
                yield commit, Size(0, 0, 0)
            done = len(waiting)
        waiting = waiting[done:]


def _counted(git: Git, commits: Sequence[tuple[str, str | None]]) -> Iterator[tuple[str, Size]]:
    """Sizes in the order of the commits, each told once git has come to a later one, so that it is whole."""
    questions = [f"{commit} {parent}" if parent else commit for commit, parent in commits]
    order = iter(commits)
    lines: list[tuple[int, int]] = []
    current = ""
    records = git.records(*ARGUMENTS, asked=questions, most=1 << 14)
    for record in records:
        if NAMED.match(record):
            yield from _told(order, current, lines)
            current, lines = record.decode(), []
            continue
        counted = COUNTED.match(record)
        if counted is None:
            continue
        name = record[counted.end() :]
        if not name:
            # A renamed file: its old and its new name follow.
            next(records, b"")
            name = next(records, b"")
        if not GENERATED.search(name.decode("utf-8", "replace")):
            lines.append((_number(counted[1]), _number(counted[2])))
    yield from _told(order, current, lines)


def _told(
    order: Iterator[tuple[str, str | None]], current: str, lines: Iterable[tuple[int, int]]
) -> Iterator[tuple[str, Size]]:
    """The size of the current commit, after those before it that alter nothing."""
    if not current:
        return
    for commit, _ in order:
        if commit == current:
            counts = list(lines)
            yield commit, Size(len(counts), sum(added for added, _ in counts), sum(gone for _, gone in counts))
            return
        yield commit, Size(0, 0, 0)


def _number(text: bytes) -> int:
    """A count of lines; binary files have none."""
    return 0 if text == b"-" else int(text)
