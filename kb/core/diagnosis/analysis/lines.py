"""Which lines a diagnosis shows, in which order, and which of them it indicates as what failed first."""

from collections.abc import Iterator, Sequence

from kb.core.diagnosis.analysis.candidates import Candidate
from kb.core.diagnosis.analysis.ends import CRASH, HANG, NUMERICAL, SLOWDOWN
from kb.core.diagnosis.analysis.findings import NEW, Findings, last_words
from kb.core.diagnosis.report import Line
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

MOST_SHOWN, MOST_INDICATED, MOST_BLOCKS = 60, 4_000, 400
LONGEST = 300
FIRST_OF_SERIES, MOST_OF_SERIES, MOST_CASCADES = 4, 20, 3
MOST_AT_END, LAST = 5, "The last step that the log tells of."
ROOT, SUPPORT, SILENCE = "root", "support", "silence"


def lines_of(findings: Findings, symptom: str) -> tuple[Line, ...]:
    """The indicated lines, the best first, then others that stand out; each line once. `symptom`: the run's."""
    shown: dict[tuple[str, int], Line] = {}
    for line in _indicated(findings, symptom):
        shown.setdefault((line.file, line.line), line)
    roots = {id(root) for root in findings.roots}
    others: list[Line] = []
    for candidate in findings.ranked:
        if len(others) == MOST_SHOWN:
            break
        line = _line(findings.context.scan, candidate.first, candidate, indicated=False)
        if id(candidate) not in roots and (line.file, line.line) not in shown:
            others.append(line)
    return (*shown.values(), *others)


def last_lines(findings: Findings) -> tuple[Line, ...]:
    """What is shown of a run that breaks off: its last step, and a few lines that stand out; none failed first."""
    scan, steps = findings.context.scan, findings.context.progress.steps
    last = [_plain_line(scan, steps[-1].place, steps[-1].text, SUPPORT, 1.0, LAST, indicated=False)] if steps else []
    others = [_line(scan, candidate.first, candidate, indicated=False) for candidate in findings.ranked]
    return (*last, *others[:MOST_AT_END])


def _indicated(findings: Findings, symptom: str) -> Iterator[Line]:
    cancel, scan = findings.cancel, findings.context.scan
    if symptom == "cancelled" and cancel is not None:
        others = [candidate for candidate in findings.ranked if candidate.role == "cancel" and candidate is not cancel]
        sure = [candidate for candidate in others if candidate.weight >= cancel.weight]
        same = [candidate for candidate in sure if findings.context.same_moment(candidate.first, cancel.first)]
        yield from _of_candidates(scan, [cancel, *same])
        return
    if symptom == HANG:
        if not findings.is_strong:
            yield from _of_candidates(scan, last_words(findings.ranked, findings.context))
        yield from _of_silence(findings)
        if cancel is not None:
            yield _line(scan, cancel.first, cancel, indicated=True)
    series = list(_of_series(findings)) if symptom in (NUMERICAL, SLOWDOWN) else []
    # A line may say what went wrong before the series shows it, or better than it does.
    lines_come_first = findings.is_strong or any(NEW in root.reasons for root in findings.roots)
    if not lines_come_first:
        yield from series
    yield from _of_candidates(scan, findings.roots)
    if lines_come_first:
        yield from series
    if not findings.roots and symptom in (HANG, CRASH):
        for cascade in findings.cascades[:MOST_CASCADES]:
            yield _line(scan, cascade.first, cascade, indicated=False)


def _of_candidates(scan: Scan, chosen: Sequence[Candidate]) -> Iterator[Line]:
    """The first line of each, then the others of their kinds, then the blocks that they stand in."""
    for candidate in chosen:
        yield _line(scan, candidate.first, candidate, indicated=True)
    for candidate in chosen:
        for occurrence in candidate.occurrences[1:MOST_INDICATED]:
            yield _line(scan, occurrence, candidate, indicated=True)
    for candidate in chosen:
        score = round(candidate.score / 2, 3)
        for occurrence in candidate.occurrences[:MOST_BLOCKS]:
            if occurrence.block is not None and occurrence.block.summary:
                name = scan.names[occurrence.place.file]
                for number, text in occurrence.block.lines:
                    yield Line(name, number, text[:LONGEST], SUPPORT, score, None, indicated=True)


def _line(scan: Scan, occurrence: Occurrence, candidate: Candidate, *, indicated: bool) -> Line:
    return Line(
        scan.names[occurrence.place.file],
        occurrence.place.line,
        occurrence.text[:LONGEST].rstrip(),
        candidate.role,
        round(candidate.score, 3),
        candidate.signal.code if candidate.signal else None,
        indicated,
        candidate.reasons,
    )


def _of_silence(findings: Findings) -> Iterator[Line]:
    scan, pause = findings.context.scan, findings.pause
    for laggard in findings.laggards:
        why = f"The last step that rank {laggard.rank} told of; the others came to {laggard.others}."
        yield _plain_line(scan, laggard.place, laggard.text, SILENCE, 3.0, why)
    if pause is not None and not findings.laggards:
        why = f"Nothing was written for {round(pause.seconds / 60)} minutes after it."
        yield _plain_line(scan, pause.after, pause.text, SILENCE, 2.0, why)


def _of_series(findings: Findings) -> Iterator[Line]:
    anomaly = findings.anomaly
    if anomaly is None:
        return
    for number, step in enumerate(anomaly.steps[:MOST_OF_SERIES]):
        is_first = number < FIRST_OF_SERIES
        role = ROOT if is_first else SUPPORT
        yield _plain_line(findings.context.scan, step.place, step.text, role, 3.0, anomaly.why, indicated=is_first)


def _plain_line(
    scan: Scan, place: Place, text: str, role: str, score: float, why: str, *, indicated: bool = True
) -> Line:
    """A line that is shown for when it was written, not for what it says."""
    return Line(scan.names[place.file], place.line, text[:LONGEST].rstrip(), role, score, None, indicated, (why,))
