"""The whole way from files to a diagnosis: read, pass over the lines, look at dumps beside them, judge."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from kb.core.diagnosis.analysis.next_steps import with_names
from kb.core.diagnosis.analysis.past import NO_PAST, PastJobs, iterations_of, with_recurrence
from kb.core.diagnosis.analysis.progress import progress_of
from kb.core.diagnosis.analysis.restart import restart_of
from kb.core.diagnosis.analysis.verdict import diagnose, with_dumps
from kb.core.diagnosis.background.model import Background, bundled, formats_of
from kb.core.diagnosis.beside import kubernetes, within
from kb.core.diagnosis.beside.gpus import Report
from kb.core.diagnosis.beside.joined import with_gpus, with_memory
from kb.core.diagnosis.beside.memory import Snapshot, is_snapshot, snapshot_of
from kb.core.diagnosis.flight_recorder.analysis import analyse
from kb.core.diagnosis.flight_recorder.contents import dump_of
from kb.core.diagnosis.flight_recorder.load import (
    MAX_BYTES,
    Dump,
    UnreadableDump,
    UnsafeDump,
    rank_named,
    read_contents,
)
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, LeftOut, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import Source, sources
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.report import FAILURE, Diagnosis, Line, Restart
from kb.core.diagnosis.scanning.read_ahead import Ahead, Opened
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.scanning.scanner import Scanner
from kb.core.diagnosis.schema import (
    SCHEMA,
    DiagnosedCause,
    DiagnosedLine,
    DiagnosedNode,
    DiagnosedRank,
    DiagnosisData,
    RecurrenceData,
    RestartData,
    RightShareData,
    SignatureData,
    StackEntry,
)
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signature import signature
from kb.core.diagnosis.topology import topology

LARGEST_DUMP = MAX_BYTES
NOT_ASKED = "Known issues were not looked up: the knowledge base was not asked."


@dataclass(frozen=True)
class InputFile:
    """A file as it was handed in."""

    name: str
    stream: Readable


@dataclass(frozen=True)
class ReadFiles:
    """What was read of the files: the pass over their lines, what lay beside them, and what was left out.

    `unread_ranks`: those whose dump is among what was left out.
    """

    scan: Scan
    dumps: tuple[Dump, ...]
    snapshots: tuple[Snapshot, ...]
    reports: tuple[Report, ...]
    left_out: tuple[LeftOut, ...]
    unread_ranks: frozenset[int]


@dataclass
class Dumps:
    """The dumps, snapshots and reports that are read, and the ranks of dumps that cannot be, by their files' names."""

    read: list[Dump] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    unread_ranks: set[int] = field(default_factory=set)

    def add(self, source: Source) -> None:
        """Read a dump or snapshot. Raises `UnreadableDump` or `UnsafeDump`."""
        try:
            contents = read_contents(source.stream.fill(LARGEST_DUMP + 1))
            if is_snapshot(contents):
                self.snapshots.append(snapshot_of(contents, source.path))
            else:
                self.read.append(dump_of(contents, source.path))
        except (UnreadableDump, UnsafeDump):
            rank = rank_named(source.path)
            if rank is not None:
                self.unread_ranks.add(rank)
            raise


def read(
    files: Iterable[InputFile],
    limits: Limits | None = None,
    progress: Callable[[int], None] | None = None,
    cores: int = 1,
) -> ReadFiles:
    """Read all files. `progress` is told the number of bytes read, now and then; `cores`: how many may be used.

    Raises `UnreadableInputError` if nothing at all could be read.
    """
    intake = Intake(limits or Limits(), progress)
    scanner = Scanner()
    dumps = Dumps()
    with Ahead(cores) as ahead:
        for part in ahead.cut(_texts(files, intake, dumps)):
            if isinstance(part, Opened):
                scanner.open(part.name)
                continue
            scanner.block(part)
            intake.heed()
    scan = scanner.done()
    if not (dumps.read or dumps.snapshots or dumps.reports or scan.templates):
        why = " ".join(f"{left.name}: {left.why}" for left in intake.left_out[:5])
        raise UnreadableInputError(why or "There is not a single word in it. Give the log itself, as text.")
    return ReadFiles(
        scan,
        tuple(dumps.read),
        tuple(dumps.snapshots),
        tuple(dumps.reports),
        tuple(intake.left_out),
        frozenset(dumps.unread_ranks),
    )


def _texts(files: Iterable[InputFile], intake: Intake, dumps: Dumps) -> Iterator[Opened | str]:
    """The blocks of text of all files. Adds dumps to `dumps`, and what cannot be read to the intake's `left_out`."""
    for file in files:
        for source in sources(file.name, file.stream, intake):
            try:
                if source.is_dump:
                    dumps.add(source)
                else:
                    yield Opened(source.path)
                    yield from _blocks(source, intake, dumps)
            except (UnreadableInputError, UnreadableDump, UnsafeDump) as refusal:
                intake.leave_out(source.path, str(refusal))


def _blocks(source: Source, intake: Intake, dumps: Dumps) -> Iterator[str]:
    """The blocks of a text: without reports of GPUs, and records of Kubernetes and Slurm told in lines."""
    form = kubernetes.form_of(source.stream.peek(kubernetes.LOOKED_AT))
    texts = blocks(source.path, source.stream, intake)
    return kubernetes.told(texts, form) if form else within.told(texts, source.path, dumps.reports)


def diagnosed(
    files: ReadFiles,
    healthy: ReadFiles | None = None,
    background: Background | None = None,
    past: PastJobs = NO_PAST,
    stands_still: float = 0.0,
) -> Diagnosis:
    """Judge what was read, beside healthy runs of the like if there are any.

    `background`: what is usual; the bundled one, if not given. `past`: earlier jobs; the healthy ones among them stand
    in where no healthy runs are given. `stands_still`: for so many seconds, as somebody sees who watches the run.
    """
    usual: frozenset[str] = frozenset()
    length = 0
    if healthy is not None:
        usual = frozenset(template.text for template in healthy.scan.templates)
        length = progress_of(healthy.scan).last_iteration or 0
    elif past.jobs:
        alike = past.healthy_like(files.scan)
        usual = frozenset().union(*(job.kinds for job in alike))
        length = 0 if files.scan.planned_steps else iterations_of(alike)
    if background is None:
        background = bundled()
    diagnosis = diagnose(files.scan, usual, background.beside(formats_of(files.scan)), length, stands_still)
    if files.dumps:
        diagnosis = with_dumps(diagnosis, analyse(files.dumps, files.unread_ranks), topology(files.scan))
    if files.snapshots:
        diagnosis = with_memory(diagnosis, files.snapshots, topology(files.scan))
    if files.reports:
        diagnosis = with_gpus(diagnosis, files.reports, topology(files.scan))
    left_out = [f"{left.name} was left out: {left.why}" for left in files.left_out]
    unknown = (*diagnosis.unknown, *left_out, *past.unread)
    diagnosis = replace(diagnosis, unknown=unknown, restart=restart_of(diagnosis))
    first = signature(diagnosis)
    if first is not None:
        diagnosis = with_recurrence(diagnosis, past.recurrence((first.version, first.key)))
    return with_names(diagnosis)


def as_data(diagnosis: Diagnosis) -> DiagnosisData:
    """The diagnosis in its JSON shape, from the log alone."""
    first = signature(diagnosis)
    return {
        "schema": SCHEMA,
        "signals_version": catalogue().version,
        "verdict": diagnosis.verdict,
        "sentence": diagnosis.sentence,
        "lines": [_line_data(line) for line in diagnosis.lines],
        "nodes": [DiagnosedNode(name=node.name, score=node.score, why=node.why) for node in diagnosis.nodes],
        "ranks": [DiagnosedRank(rank=int(rank.name), score=rank.score, why=rank.why) for rank in diagnosis.ranks],
        "stage": diagnosis.stage,
        "iteration": diagnosis.iteration,
        "symptom": diagnosis.symptom,
        "symptom_code": diagnosis.symptom_code,
        "causes": [
            DiagnosedCause(code=cause.code, likelihood=cause.likelihood, why=cause.why) for cause in diagnosis.causes
        ],
        "checks": list(diagnosis.checks),
        "restart": _restart_data(diagnosis.restart),
        "recorded": list(diagnosis.recorded),
        "unknown": list(diagnosis.unknown),
        "stats": dict(diagnosis.stats),
        "stack": [StackEntry(slug=own.slug, name=own.name, version=own.version or None) for own in diagnosis.stack],
        "is_of_models": diagnosis.is_of_models,
        "signature": SignatureData(version=first.version, key=first.key, text=first.text) if first else None,
    }


def is_worth_asking(data: DiagnosisData) -> bool:
    """Whether the knowledge base may know of it: a failure, and of a run of models."""
    return data["verdict"] == FAILURE and data.get("is_of_models", True)


def without_known(data: DiagnosisData, why: str = NOT_ASKED) -> DiagnosisData:
    """The keys that the knowledge base would fill, from the log alone. `why`: a sentence for `unknown`, or nothing."""
    causes: list[DiagnosedCause] = [
        {**cause, "name": cause["code"], "url": "", "probability": None} for cause in data["causes"]
    ]
    unknown = [*data["unknown"], why] if why else data["unknown"]
    return {**data, "causes": causes, "issues": [], "playbooks": [], "unknown": unknown}


def _restart_data(restart: Restart | None) -> RestartData | None:
    if restart is None:
        return None
    right, recurs = restart.right, restart.recurs
    return {
        "fault": restart.fault,
        "helps": restart.helps,
        "without": list(restart.without),
        "why": restart.why,
        "right": None
        if right is None
        else RightShareData(value=right.value, low=right.low, high=right.high, n=right.n),
        "recurs": None if recurs is None else RecurrenceData(of=recurs.of, same=recurs.same, last=recurs.last),
    }


def _line_data(line: Line) -> DiagnosedLine:
    return {
        "file": line.file,
        "line": line.line,
        "text": line.text,
        "role": line.role,
        "score": line.score,
        "signal": line.signal,
        "indicated": line.indicated,
        "why": list(line.why),
    }
