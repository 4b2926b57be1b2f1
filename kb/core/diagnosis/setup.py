"""The set-up that logs tell of at their beginning: versions, settings, flags, as `kb.core.setups` reads them.

What it says of a known fault is judged elsewhere.
"""

from collections.abc import Iterable, Iterator

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import Source, sources
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup

# A run tells its set-up before it works. Ranks say the same, and a few of them are enough.
MOST_LINES, MOST_CHARACTERS, MOST_FILES = 1_500, 200_000, 4
# A line of more is data: what a configuration or a list of packages has on one line is shorter.
LONGEST = 4_000


def setup_of(files: Iterable[InputFile], limits: Limits | None = None) -> Setup:
    """The set-up that the beginnings of these files tell; an empty one where they tell nothing."""
    return read_setup(list(_beginnings(files, limits)))


def _beginnings(files: Iterable[InputFile], limits: Limits | None) -> Iterator[tuple[str, str]]:
    intake, read = Intake(limits or Limits()), 0
    for file in files:
        for source in sources(file.name, file.stream, intake):
            if source.is_dump:
                continue
            yield source.path, _beginning(source, intake)
            read += 1
            if read == MOST_FILES:
                return


def _beginning(source: Source, intake: Intake) -> str:
    """The first lines without what a logger put before them."""
    try:
        block = next(blocks(source.path, source.stream, intake), "")
    except UnreadableInputError:
        return ""
    lines = block[:MOST_CHARACTERS].split("\n", MOST_LINES)[:MOST_LINES]
    return "\n".join(parse_prefix(line).text if len(line) <= LONGEST else "" for line in lines)
