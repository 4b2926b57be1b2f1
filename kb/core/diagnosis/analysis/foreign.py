"""Whether a log is of something else than a run of a model, such as a web server or a build. Faults are not judged."""

import re
from collections.abc import Iterator

from kb.core.diagnosis.analysis.findings import Findings
from kb.core.diagnosis.parsing.stages import EVAL, TRAIN
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.signals.format import Signal

# A few lines may be cut out of anything.
FEWEST_LINES = 5
# What any program may say. A signal of another family knows a line that only clusters and frameworks write.
OF_ANY_PROGRAM = frozenset({
    "builds", "checkpoint", "ci", "config", "harmless", "native", "native-build", "network", "permissions", "processes",
    "python-environment", "python-exceptions", "storage", "telemetry", "tests",
})  # fmt: skip
OF_ONE_OF_MANY = frozenset({"rank", "local", "actor", "gpu"})
BUILDS = frozenset({"ci", "native-build", "tests"})
# A program that failed says so in its last lines.
LAST = 5
ENDED_BADLY = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failures?|errors?)\b|(?-i:\bFAILED\b)|\b(?:build|compilation|tests?) fail|"
    r"\bmake(?:\[\d+\])?: \*\*\*|build stopped|returned [1-9]\d{0,2} exit status|npm ERR!|FAILURE:|"
    r"(?:exit(?:ed)?|returned)(?: with)?(?: a)? (?:non-?zero|(?:exit )?(?:code|status)[ :=]{1,3}[1-9])|"
    r"Segmentation fault|core dumped|panic:|^fatal:",
    re.IGNORECASE,
)


def is_foreign(findings: Findings) -> bool:
    """Whether nothing in the log speaks of a framework, a rank, a step or an accelerator."""
    scan, progress = findings.context.scan, findings.context.progress
    if sum(scan.lines) < FEWEST_LINES or scan.stack or scan.is_of_the_trade:
        return False
    has_ranks = scan.world > 1 or scan.ranks or scan.introductions
    has_steps = progress.steps or any(mark.stage in (EVAL, TRAIN) for mark in scan.marks)
    of_many = any(OF_ONE_OF_MANY.intersection(emitter.fields) for emitter in scan.emitters)
    return not (has_ranks or has_steps or of_many or _is_known_of_clusters(scan))


def _is_known_of_clusters(scan: Scan) -> bool:
    return any(signal.family not in OF_ANY_PROGRAM for signal in _signals(scan))


def _is_of_build(signal: Signal) -> bool:
    """Whether only a build or a test writes such lines. Of those of builds, exceptions are any program's."""
    return signal.family in BUILDS or (signal.family == "builds" and signal.role in ("confirmation", "teardown"))


def _signals(scan: Scan) -> Iterator[Signal]:
    """What is known of lines that stand for something."""
    for template in scan.templates:
        if template.is_known:
            yield template.signals[0]


def has_ended_badly(findings: Findings) -> bool:
    """Whether a program that is no run of a model says that it failed as a whole, as a build or a test does."""
    best, scan = findings.best, findings.context.scan
    if best is None:
        return False
    is_of_build = any(map(_is_of_build, _signals(scan)))
    last_words = [text for tail in scan.tails for _, text in tail[-LAST:]]
    if findings.is_taken_down or is_of_build or any(map(ENDED_BADLY.search, last_words)):
        return True
    place, block = best.first.place, best.first.block
    return block is not None and block.is_traceback and scan.lines[place.file] - place.line < LAST
