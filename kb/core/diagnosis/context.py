"""The lines around those that matter, from a second reading of the same files. Nothing is judged here."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import Source, sources
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData, NearbyLine

AROUND = 3
LONGEST = 300
# So much of a line tells whether a file is the one that was read before: names may occur twice.
COMPARED = 40
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
    found: dict[tuple[str, int], list[NearbyLine]] = {}
    intake = Intake(limits or Limits(), progress)
    for file in files:
        if not missing:
            break
        for source in sources(file.name, file.stream, intake):
            if source.is_dump or source.path not in missing:
                continue
            around = _of_source(source, missing[source.path], intake)
            found |= {(source.path, number): lines for number, lines in around.items()}
            missing[source.path] = {n: text for n, text in missing[source.path].items() if n not in around}
            if not missing[source.path]:
                del missing[source.path]
            if not missing:
                break
    return found


def with_context(
    data: DiagnosisData,
    files: Iterable[InputFile],
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
) -> DiagnosisData:
    """A diagnosis as data, each of its first lines with `context`; the others have none."""
    shown = data["lines"][:MOST]
    found = surroundings(files, {(line["file"], line["line"]): line["text"] for line in shown}, limits, progress)
    lines: list[DiagnosedLine] = [
        {**line, "context": found.get((line["file"], line["line"]), [])} for line in data["lines"]
    ]
    return {**data, "lines": lines}


def _of_source(source: Source, wanted: Mapping[int, str], intake: Intake) -> dict[int, list[NearbyLine]]:
    needed = {near for number in wanted for near in range(number - AROUND, number + AROUND + 1) if near > 0}
    kept = _lines_of(source, needed, intake)
    return {
        number: [
            {"line": near, "text": kept[near][:LONGEST]}
            for near in range(number - AROUND, number + AROUND + 1)
            if near != number and near in kept
        ]
        for number, text in wanted.items()
        if number in kept and text.strip()[:COMPARED] in kept[number]
    }


def _lines_of(source: Source, needed: set[int], intake: Intake) -> dict[int, str]:
    """The text of the lines of these numbers."""
    kept: dict[int, str] = {}
    ahead = sorted(needed, reverse=True)
    before = 0
    try:
        for block in blocks(source.path, source.stream, intake):
            count = block.count("\n") + 1
            if ahead and ahead[-1] <= before + count:
                lines = block.split("\n")
                while ahead and ahead[-1] <= before + count:
                    number = ahead.pop()
                    kept[number] = lines[number - before - 1]
            before += count
            if not ahead:
                break
    except UnreadableInputError:
        return kept
    return kept
