"""The lines around those that matter, from a second reading of the same files. Nothing is judged here."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import Source, sources
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData, NearbyLine

AROUND = 3
LONGEST = 300
# So much of a line tells whether a file is the one that was read before: names may occur twice.
COMPARED, LOOKED_AT = 40, 4096
# The most telling lines get their surroundings; hundreds of the same kind need none.
MOST = 60


def surroundings(
    files: Iterable[InputFile],
    wanted: Mapping[tuple[str, int], str],
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[tuple[str, int], list[NearbyLine]]:
    """Up to three lines before and after each wanted one, as `{line, text}`, itself not among them.

    `wanted`: file and line with the line's text, by which a file of the same name is told apart. A file is read no
    further than its last wanted line, and no file after the last one.
    """
    missing: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for (name, number), text in wanted.items():
        missing[name][number] = text
    nearby: dict[tuple[str, int], list[NearbyLine]] = {}
    intake = Intake(limits or Limits(), progress)
    for file in files:
        if not missing:
            break
        for source in sources(file.name, file.stream, intake):
            if source.is_dump or source.path not in missing:
                continue
            for number, lines in _nearby_in(source, missing[source.path], intake).items():
                nearby[source.path, number] = lines
                del missing[source.path][number]
            if not missing[source.path]:
                del missing[source.path]
            if not missing:
                break
    return nearby


def with_context(
    data: DiagnosisData,
    files: Iterable[InputFile],
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> DiagnosisData:
    """A diagnosis as data, each of its first lines with `context`; the others have none."""
    wanted = {(line["file"], line["line"]): line["text"] for line in data["lines"][:MOST]}
    nearby = surroundings(files, wanted, limits, progress)
    lines: list[DiagnosedLine] = [
        {**line, "context": nearby.get((line["file"], line["line"]), [])} for line in data["lines"]
    ]
    return {**data, "lines": lines}


def _nearby_in(source: Source, wanted: Mapping[int, str], intake: Intake) -> dict[int, list[NearbyLine]]:
    """The lines around each wanted one that the file has, by the wanted one's number."""
    numbers: set[int] = set()
    for number in wanted:
        numbers.update(range(max(number - AROUND, 1), number + AROUND + 1))
    texts = _texts_of(source, numbers, intake)
    nearby: dict[int, list[NearbyLine]] = {}
    for number, text in wanted.items():
        if number not in texts or not _is_of(text.strip()[:COMPARED], texts[number]):
            continue
        around = (*range(number - AROUND, number), *range(number + 1, number + AROUND + 1))
        nearby[number] = [{"line": near, "text": texts[near][:LONGEST]} for near in around if near in texts]
    return nearby


def _is_of(text: str, line: str) -> bool:
    """Whether a line says this, in a record too."""
    return text in line or text in parse_prefix(line[:LOOKED_AT]).text


def _texts_of(source: Source, numbers: Iterable[int], intake: Intake) -> dict[int, str]:
    """The text of the lines of these numbers, as far as the file can be read."""
    texts: dict[int, str] = {}
    pending = sorted(numbers, reverse=True)
    lines_before = 0
    try:
        for block in blocks(source.path, source.stream, intake):
            lines_after = lines_before + block.count("\n") + 1
            if pending and pending[-1] <= lines_after:
                lines = block.split("\n")
                while pending and pending[-1] <= lines_after:
                    number = pending.pop()
                    texts[number] = lines[number - lines_before - 1]
            lines_before = lines_after
            if not pending:
                break
    except UnreadableInputError:
        return texts
    return texts
