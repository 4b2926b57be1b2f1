"""`python -m tests.kb.core.diagnosis.evaluation.adding FILE...`: puts marked logs into the corpus.

A file holds logs one after the other. Each begins with `=== stack/name`, goes on with `key: value` lines as in
truth.yaml, then a line `---`, then the log itself, with `!|` before each root line and `+|` before each line that is
right too, though it need not be found (the traceback above a root line is, without a mark). The marks become numbers.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from tests.kb.core.diagnosis.evaluation.corpus import CORPUS, TRUTH, Entry, part_of

ROOT, SUPPORT = "!|", "+|"
# So much of a root line stands in truth.yaml, that a reviewer sees it and a shifted number is noticed.
SHOWN = 70
HEAD = "Traceback (most recent call last)"


def main(paths: Sequence[str]) -> None:
    """Write each marked log and its entry."""
    for path in paths:
        for name, head, lines in marked(Path(path).read_text()):
            add(name, head, lines)


def marked(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Name, head and lines of each log of a file."""
    for part in f"\n{text}".split("\n=== ")[1:]:
        head, _, log = part.partition("\n---\n")
        name, _, keys = head.partition("\n")
        yield name.strip(), keys, log.rstrip("\n").split("\n")


def add(name: str, head: str, lines: Sequence[str]) -> None:
    """Write one log, and its entry in place of an earlier one."""
    stack, _, short = name.partition("/")
    folder = CORPUS / part_of(stack, short) / stack
    folder.mkdir(parents=True, exist_ok=True)
    plain = [line.removeprefix(ROOT).removeprefix(SUPPORT) for line in lines]
    (folder / f"{short}.log").write_text("\n".join(plain) + "\n")
    entry: Entry = yaml.safe_load(head)
    root = {number: plain[number - 1][:SHOWN] for number in _numbers(lines, ROOT)}
    if root:
        entry["root"] = root
    support = {*_numbers(lines, SUPPORT), *(number for line in root for number in _traceback(plain, line))} - set(root)
    if support:
        entry["support"] = " ".join(map(str, sorted(support)))
    told = folder / TRUTH
    known = yaml.safe_load(told.read_text()) if told.is_file() else {}
    known[short] = entry
    told.write_text(yaml.safe_dump(dict(sorted(known.items())), sort_keys=False, allow_unicode=True, width=110))


def _traceback(lines: Sequence[str], root: int) -> Sequence[int]:
    """The numbers of the frames right above an exception's line, and of the head above them."""
    for number in range(root - 1, 0, -1):
        head, has_head, _ = lines[number - 1].partition(HEAD)
        if has_head:
            is_whole = all(lines[between].startswith(f"{head} ") for between in range(number, root - 1))
            return range(number, root) if is_whole else ()
    return ()


def _numbers(lines: Sequence[str], mark: str) -> list[int]:
    return [number for number, line in enumerate(lines, 1) if line.startswith(mark)]


if __name__ == "__main__":
    main(sys.argv[1:])
