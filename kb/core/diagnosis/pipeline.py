"""The whole way from files to a diagnosis: read, pass over the lines, look at dumps beside them, judge."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kb.core.diagnosis.analysis.verdict import diagnose, with_dumps
from kb.core.diagnosis.background.model import Background, bundled, formats_of
from kb.core.diagnosis.flight_recorder.analysis import analyse
from kb.core.diagnosis.flight_recorder.load import MAX_BYTES, Dump, UnreadableDump, UnsafeDump, read_dump
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, LeftOut, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import sources
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.scanning.read_ahead import Ahead, Opened
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.scanning.scanner import Scanner
from kb.core.diagnosis.topology import topology

LARGEST_DUMP = MAX_BYTES


@dataclass(frozen=True)
class Given:
    """A file as it was handed in."""

    name: str
    stream: Readable


@dataclass(frozen=True)
class Read:
    """What was read of what was given: the pass over the lines, the dumps, and what was left out."""

    scan: Scan
    dumps: tuple[Dump, ...]
    left_out: tuple[LeftOut, ...]


def read(
    files: Iterable[Given],
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    cores: int = 1,
) -> Read:
    """Read all files. `progress` is told the number of bytes read, now and then; `cores`: how many may be used.

    Raises `UnreadableInputError` if nothing at all could be read.
    """
    intake = Intake(limits or Limits(), progress)
    scanner = Scanner()
    dumps: list[Dump] = []
    with Ahead(cores) as ahead:
        for found in ahead.cut(_texts(files, intake, dumps)):
            if isinstance(found, Opened):
                scanner.open(found.name)
                continue
            scanner.block(found)
            intake.heed()
    scan = scanner.done()
    if not dumps and not scan.templates:
        why = " ".join(f"{left.name}: {left.why}" for left in intake.left_out[:5])
        raise UnreadableInputError(why or "There is not a single word in it. Give the log itself, as text.")
    return Read(scan, tuple(dumps), tuple(intake.left_out))


def _texts(files: Iterable[Given], intake: Intake, dumps: list[Dump]) -> Iterator[Opened | str]:
    """The blocks of text of all files; dumps are put aside. What can't be read is kept in the intake."""
    for file in files:
        for source in sources(file.name, file.stream, intake):
            try:
                if source.is_dump:
                    dumps.append(read_dump(source.stream.read(LARGEST_DUMP + 1), source.path))
                else:
                    yield Opened(source.path)
                    yield from blocks(source.path, source.stream, intake)
            except (UnreadableInputError, UnreadableDump, UnsafeDump) as refusal:
                intake.leave_out(source.path, str(refusal))


def diagnosed(found: Read, healthy: Read | None = None, background: Background | None = None) -> Diagnosis:
    """Judge what was read, beside healthy runs of the like if there are any.

    `background`: what is usual; the bundled one, if not given.
    """
    usual = frozenset(template.text for template in healthy.scan.templates) if healthy is not None else frozenset()
    known = bundled() if background is None else background
    diagnosis = diagnose(found.scan, usual, known.beside(formats_of(found.scan)))
    if found.dumps:
        diagnosis = with_dumps(diagnosis, analyse(found.dumps), topology(found.scan))
    left = tuple(f"{left.name} was left out: {left.why}" for left in found.left_out)
    return replace(diagnosis, unknown=(*diagnosis.unknown, *left))
