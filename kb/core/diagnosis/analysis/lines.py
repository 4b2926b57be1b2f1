"""Which lines a diagnosis shows, in which order, and which of them it indicates as what failed first."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from kb.core.diagnosis.analysis.candidates import Candidate
from kb.core.diagnosis.analysis.findings import Findings
from kb.core.diagnosis.analysis.onset import NEW, last_words
from kb.core.diagnosis.report import Line
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

MOST_SHOWN, MOST_INDICATED, MOST_BLOCKS = 60, 4_000, 400
LONGEST = 300
FIRST_OF_SERIES, MOST_OF_SERIES = 4, 20
ROOT, SUPPORT, SILENCE = "root", "support", "silence"


def lines_of(found: Findings, symptom: str) -> tuple[Line, ...]:
    """Best first, each line once; `symptom`: the run's."""
    indicated = list(_first(_indicated(found, symptom)))
    seen = {(line.file, line.line) for line in indicated}
    listed = {id(one) for one in found.roots}
    others = (_line(found, one.first, one, indicated=False) for one in found.ranked if id(one) not in listed)
    shown = (line for line in others if (line.file, line.line) not in seen)
    return (*indicated, *islice(shown, MOST_SHOWN))


def _indicated(found: Findings, symptom: str) -> Iterator[Line]:
    if symptom == "cancelled" and found.cancel is not None:
        cancel = found.cancel
        others = (one for one in found.ranked if one.role == "cancel" and one is not cancel)
        as_sure = (one for one in others if one.weight >= cancel.weight)
        lasting = [one for one in as_sure if found.context.same_moment(one.first, cancel.first)]
        yield from _of_candidates(found, (found.cancel, *lasting))
        return
    if symptom == "hang":
        if not found.is_strong:
            yield from _of_candidates(found, last_words(found.ranked, found.context))
        yield from _of_silence(found)
        if found.cancel is not None:
            yield _line(found, found.cancel.first, found.cancel, indicated=True)
    is_series = symptom in ("numerical", "slowdown") and found.anomaly is not None
    if is_series and not _comes_first(found):
        yield from _of_series(found)
    yield from _of_candidates(found, found.roots)
    if is_series and _comes_first(found):
        yield from _of_series(found)
    if not found.roots and symptom in ("hang", "crash"):
        yield from (_line(found, one.first, one, indicated=False) for one in found.follows[:3])


def _comes_first(found: Findings) -> bool:
    """Does a line say what went wrong before the series shows it, or better than it does?"""
    return found.is_strong or any(NEW in root.reasons for root in found.roots)


def _first(lines: Iterable[Line]) -> Iterator[Line]:
    seen: set[tuple[str, int]] = set()
    for line in lines:
        if (line.file, line.line) not in seen:
            seen.add((line.file, line.line))
            yield line


def _of_candidates(found: Findings, chosen: Sequence[Candidate]) -> Iterator[Line]:
    """The first line of each, then the others of their kinds, then the blocks that they stand in."""
    for one in chosen:
        yield _line(found, one.first, one, indicated=True)
    for one in chosen:
        yield from (_line(found, at, one, indicated=True) for at in one.occurrences[1:MOST_INDICATED])
    for one in chosen:
        for at in one.occurrences[:MOST_BLOCKS]:
            yield from _of_block(found.context.scan, at, one)


def _of_block(scan: Scan, at: Occurrence, one: Candidate) -> Iterator[Line]:
    if at.block is not None and at.block.summary:
        name = scan.names[at.place.file]
        for number, text in at.block.lines:
            yield Line(name, number, text[:LONGEST], SUPPORT, round(one.score / 2, 3), None, indicated=True)


def _line(found: Findings, at: Occurrence, one: Candidate, *, indicated: bool) -> Line:
    return Line(
        found.context.scan.names[at.place.file],
        at.place.line,
        at.text[:LONGEST].rstrip(),
        one.role,
        round(one.score, 3),
        one.signal.code if one.signal else None,
        indicated,
        one.reasons,
    )


def _of_silence(found: Findings) -> Iterator[Line]:
    for one in found.late:
        who = f"rank {one.rank}" if one.rank is not None else one.node
        why = f"The last step that {who} told of; the others came to {one.others}."
        yield _plain(found.context.scan, one.place, one.text, SILENCE, 3.0, why)
    if found.pause is not None and not found.late:
        why = f"Nothing was written for {round(found.pause.seconds / 60)} minutes after it."
        yield _plain(found.context.scan, found.pause.after, found.pause.text, SILENCE, 2.0, why)


def _of_series(found: Findings) -> Iterator[Line]:
    if found.anomaly is None:
        return
    scan = found.context.scan
    for number, told in enumerate(found.anomaly.told[:MOST_OF_SERIES]):
        is_first = number < FIRST_OF_SERIES
        role = ROOT if is_first else SUPPORT
        yield _plain(scan, told.place, told.text, role, 3.0, found.anomaly.why, indicated=is_first)


def _plain(scan: Scan, place: Place, text: str, role: str, score: float, why: str, *, indicated: bool = True) -> Line:
    return Line(scan.names[place.file], place.line, text[:LONGEST].rstrip(), role, score, None, indicated, (why,))
