"""Which lines a diagnosis shows, in which order, and which of them it indicates as what failed first."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from kb.core.diagnosis.analysis.candidates import EXPLICIT, Candidate
from kb.core.diagnosis.analysis.ends import HANG, NUMERICAL, SLOWDOWN
from kb.core.diagnosis.analysis.findings import NEW, Findings, last_words
from kb.core.diagnosis.analysis.series import slow_steps
from kb.core.diagnosis.report import REPEAT, SUPPORT, Line
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

MOST_SHOWN, MOST_INDICATED, MOST_REPEATS, MOST_BLOCKS = 60, 5, 4_000, 400
LONGEST = 300
FIRST_OF_SERIES, MOST_OF_SERIES = 1, 20
MOST_AT_END, LAST = 5, "The last step in the log."
ROOT, SILENCE = "root", "silence"
# What makes two lines one event: the signal that knows them, the text without what changes, or the traceback.
Event: TypeAlias = str | int


def lines_of(findings: Findings, symptom: str) -> tuple[Line, ...]:
    """The indicated lines, the best first, then others that stand out, then what belongs to the indicated ones.

    Each line once. `symptom`: the run's.
    """
    scan = findings.context.scan
    shown: dict[tuple[str, int], Line] = {}

    def show(lines: Iterable[Line]) -> None:
        for line in lines:
            shown.setdefault((line.file, line.line), line)

    chosen = chosen_of(findings, symptom)
    series = list(_of_series(findings)) if symptom in (NUMERICAL, SLOWDOWN) else []
    # A rank that stayed behind says who is at fault; a pause says little beside a line that says what was waited for.
    is_told_by_silence = symptom == HANG and (bool(findings.laggards) or not chosen)
    silence = list(_of_silence(findings, indicated=is_told_by_silence)) if symptom == HANG else []
    first = [_line(scan, candidate.first, candidate, indicated=True) for candidate in _by_event(chosen)]
    # A line may say what went wrong before the series shows it, or better than it does.
    lines_come_first = findings.is_strong or any(NEW in candidate.reasons for candidate in chosen)
    best_first = [*first, *series] if lines_come_first else [*series, *first]
    show([*silence, *best_first] if is_told_by_silence else [*best_first, *silence])
    known = {id(candidate) for candidate in chosen}
    others = (candidate for candidate in findings.ranked if id(candidate) not in known)
    alike = (_line(scan, candidate.first, candidate, indicated=False) for candidate in (*chosen, *others))
    show(islice(alike, MOST_SHOWN))
    show(_repeats(scan, chosen))
    show(_blocks(scan, chosen))
    return tuple(sorted(shown.values(), key=lambda line: not line.indicated))


def last_lines(findings: Findings) -> tuple[Line, ...]:
    """What is shown of a run that breaks off: its last step, and a few lines that stand out; none failed first."""
    scan, steps = findings.context.scan, findings.context.progress.steps
    last = [_plain_line(scan, steps[-1].place, steps[-1].text, SUPPORT, 1.0, LAST, indicated=False)] if steps else []
    others = [_line(scan, candidate.first, candidate, indicated=False) for candidate in findings.ranked]
    return (*last, *odd_lines(findings), *others[:MOST_AT_END])


def odd_lines(findings: Findings) -> tuple[Line, ...]:
    """Single steps that took far longer than usual, of a run that got over them."""
    scan = findings.context.scan
    return tuple(
        _plain_line(
            scan, step.place, step.text, SUPPORT, 1.0, f"It took {times:.0f} times as long as usual.", indicated=False
        )
        for step, times in slow_steps(findings.context.progress.steps)
    )


def chosen_of(findings: Findings, symptom: str) -> list[Candidate]:
    """The kinds of lines that say what went wrong, the best first."""
    cancel = findings.cancel
    if symptom == "cancelled" and cancel is not None:
        others = [candidate for candidate in findings.ranked if candidate.role == "cancel" and candidate is not cancel]
        sure = [candidate for candidate in others if candidate.weight >= cancel.weight]
        return [cancel, *(other for other in sure if findings.context.same_moment(other.first, cancel.first))]
    if symptom != HANG:
        return list(findings.named)
    chosen = list(last_words(findings.ranked, findings.context)) if not findings.is_strong else []
    chosen += findings.named
    return chosen if chosen or cancel is None else [cancel]


def _by_event(chosen: Iterable[Candidate]) -> list[Candidate]:
    """The first of each event, of few."""
    events = set[Event]()
    first: list[Candidate] = []
    for candidate in chosen:
        told = _events_of(candidate)
        is_sure = not first or candidate.sureness >= min(first[0].sureness, EXPLICIT)
        if is_sure and not events.intersection(told) and len(first) < MOST_INDICATED:
            first.append(candidate)
        events.update(told)
        if candidate.signal is not None:
            events.add(candidate.signal.code)
    return first


def _events_of(candidate: Candidate) -> set[Event]:
    events: set[Event] = {candidate.template.text}
    if candidate.signal is not None:
        # An exception counts beside a line that was logged before it: only one of them says where.
        events.add(f"{candidate.signal.code} raised" if candidate.first.is_exception else candidate.signal.code)
    if candidate.first.block is not None:
        events.add(id(candidate.first.block))
    return events


def _repeats(scan: Scan, chosen: Iterable[Candidate]) -> Iterator[Line]:
    """All lines of these kinds."""
    for candidate in chosen:
        for occurrence in candidate.occurrences[:MOST_REPEATS]:
            yield replace(_line(scan, occurrence, candidate, indicated=False), role=REPEAT)


def _blocks(scan: Scan, chosen: Iterable[Candidate]) -> Iterator[Line]:
    """The tracebacks and reports that these lines stand in."""
    for candidate in chosen:
        score = round(candidate.score / 2, 3)
        for occurrence in candidate.occurrences[:MOST_BLOCKS]:
            if occurrence.block is not None and occurrence.block.summary:
                name = scan.names[occurrence.place.file]
                for number, text in occurrence.block.lines:
                    yield Line(name, number, text[:LONGEST], SUPPORT, score, None, indicated=False)


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


def _of_silence(findings: Findings, *, indicated: bool) -> Iterator[Line]:
    scan, pause = findings.context.scan, findings.pause
    for laggard in findings.laggards:
        why = f"The last step of rank {laggard.rank}; the others reached {laggard.others}."
        yield _plain_line(scan, laggard.place, laggard.text, SILENCE, 3.0, why, indicated=indicated)
    if pause is not None and not findings.laggards:
        why = pause.why or f"No output for {round(pause.seconds / 60)} minutes after it."
        yield _plain_line(scan, pause.after, pause.text, SILENCE, 2.0, why, indicated=indicated)


def _of_series(findings: Findings) -> Iterator[Line]:
    anomaly = findings.anomaly
    if anomaly is None:
        for straggler in findings.stragglers[:MOST_OF_SERIES]:
            why = f"Rank {straggler.rank} takes {straggler.times:.1f} times as long for a step as the others."
            yield _plain_line(findings.context.scan, straggler.place, straggler.text, ROOT, 3.0, why)
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
