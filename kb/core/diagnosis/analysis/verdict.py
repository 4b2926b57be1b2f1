"""The verdict on a run, put together from what the views found, and put into words."""

from collections.abc import Collection, Sequence

from kb.core.diagnosis.analysis.blame import suspects
from kb.core.diagnosis.analysis.candidates import Candidate
from kb.core.diagnosis.analysis.ends import NUMERICAL, SLOWDOWN, at_launch, end_of
from kb.core.diagnosis.analysis.findings import Findings, findings
from kb.core.diagnosis.analysis.lines import lines_of
from kb.core.diagnosis.analysis.stage import stage_at, stage_of
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.report import CANCELLED, HEALTHY, NO_EVIDENCE, Cause, Diagnosis, Line, Verdict
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

SENTENCES: dict[Verdict, str] = {
    "healthy": "Nothing in this log says that the run failed.",
    "no_evidence": "This log holds no evidence of a failure, and none of a sound run.",
    "cancelled": "The run was ended from outside: by a person, the scheduler or its time limit.",
    "failure": "The run failed; the lines below stand out.",
}
OF_SYMPTOM = {
    "hang": "The run stopped without a word and went no further.",
    "numerical": "The loss went wrong: see the steps below.",
    "slowdown": "The run became much slower and stayed so.",
}


def diagnose(scan: Scan, healthy: Collection[str] = (), usual: Usual = NOTHING_USUAL) -> Diagnosis:
    """Say what went wrong. `healthy`: masked texts that healthy runs of the like say too; `usual`: the background."""
    found = findings(scan, healthy, usual)
    verdict, symptom = end_of(found)
    progress = found.context.progress
    if verdict in (HEALTHY, NO_EVIDENCE):
        return Diagnosis(verdict, SENTENCES[verdict], iteration=progress.last, symptom="none", stats=_stats(scan))
    lines = lines_of(found, symptom)
    onset = _onset(found, lines)
    stage = stage_of(onset, progress) or stage_at(scan, progress, found.context.order, *_place(found, lines, onset))
    symptom = at_launch(symptom, stage, progress)
    nodes, ranks = suspects(found, symptom) if verdict != CANCELLED else ((), ())
    roots = found.roots if verdict != CANCELLED else ()
    return Diagnosis(
        verdict,
        _sentence(verdict, symptom, roots),
        lines,
        nodes,
        ranks,
        stage or None,
        _iteration(found, symptom),
        symptom,
        next((root.signal.symptom for root in roots if root.signal and root.signal.symptom), None),
        _causes(roots),
        tuple(dict.fromkeys(step for root in roots if root.signal for step in root.signal.check)),
        stats=_stats(scan),
    )


def _onset(found: Findings, lines: Sequence[Line]) -> Occurrence | None:
    """The best line, as it was kept; none if it is best for its number of steps, not for what it says."""
    if not lines:
        return None
    best = (found.context.scan.names.index(lines[0].file), lines[0].line)
    chosen = (*found.roots, *((found.cancel,) if found.cancel else ()))
    return next((at for one in chosen for at in one.occurrences if at.place == best), None)


def _place(found: Findings, lines: Sequence[Line], onset: Occurrence | None) -> tuple[Place | None, str]:
    """Where it began, and the latest that it can have been, as written."""
    if onset is not None:
        return onset.place, onset.until or onset.when
    return (Place(found.context.scan.names.index(lines[0].file), lines[0].line), "") if lines else (None, "")


def _iteration(found: Findings, symptom: str) -> int | None:
    if symptom in (NUMERICAL, SLOWDOWN) and found.anomaly is not None:
        return found.anomaly.told[0].step.iteration
    return found.context.progress.last


def _causes(roots: Sequence[Candidate]) -> tuple[Cause, ...]:
    """The causes that the signals name, each with its share of their scores; a signal's first counts most."""
    scores: dict[str, tuple[float, str]] = {}
    for root in roots:
        for place, code in enumerate(root.signal.causes if root.signal else ()):
            share = root.score / (1 + place)
            if share > scores.get(code, (0.0, ""))[0]:
                scores[code] = (share, root.signal.means if root.signal else "")
    total = sum(share for share, _ in scores.values())
    ordered = sorted(scores.items(), key=lambda one: -one[1][0])
    return tuple(Cause(code, round(share / total, 3), why) for code, (share, why) in ordered)


def _sentence(verdict: Verdict, symptom: str, roots: Sequence[Candidate]) -> str:
    best = roots[0] if roots else None
    if best is not None and best.signal is not None:
        return best.signal.means
    return OF_SYMPTOM.get(symptom, SENTENCES[verdict])


def _stats(scan: Scan) -> dict[str, int]:
    return {
        "files": len(scan.names),
        "lines": sum(scan.lines),
        "templates": len(scan.templates),
        "emitters": len(scan.emitters),
    }
