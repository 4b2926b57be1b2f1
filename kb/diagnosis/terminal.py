"""A diagnosis as text for a terminal. Nothing is judged here."""

from collections.abc import Iterator, Sequence
from itertools import islice

from kb.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Cause, Diagnosis, Line, Suspect, Verdict

TITLES: dict[Verdict, str] = {
    FAILURE: "The run failed",
    CANCELLED: "The run was ended from outside",
    HEALTHY: "No failure found",
    NO_EVIDENCE: "No evidence in this log",
}
SYMPTOMS = {
    "crash": "a crash",
    "launch_failure": "it did not get going",
    "hang": "a hang",
    "slowdown": "a slowdown",
    "numerical": "the numbers went wrong",
}
STAGES = {
    "init": "while starting",
    "load": "while loading",
    "train": "while training",
    "checkpoint": "while saving",
    "eval": "while evaluating",
    "serve": "while serving",
    "teardown": "while ending",
}
MOST_LINES, MOST_OTHERS, MOST_SUSPECTS, WIDTH = 10, 5, 5, 160


def as_text(diagnosis: Diagnosis) -> str:
    """The diagnosis in a few short parts, the verdict first."""
    parts = [
        _head(diagnosis),
        *_lines(diagnosis.lines),
        _suspects("Suspect nodes", diagnosis.nodes),
        _suspects("Suspect ranks", diagnosis.ranks),
        _causes(diagnosis.causes),
        _listed("What to check next", diagnosis.checks),
        _listed("What the Flight Recorder shows", diagnosis.recorded),
        _listed("Not read", diagnosis.unknown),
        _size(diagnosis),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(diagnosis: Diagnosis) -> str:
    told = [
        SYMPTOMS.get(diagnosis.symptom or "", ""),
        STAGES.get(diagnosis.stage or "", ""),
        f"at iteration {diagnosis.iteration:,}" if diagnosis.iteration is not None else "",
    ]
    how = ", ".join(word for word in told if word)
    return f"{TITLES[diagnosis.verdict]}{': ' + how if how else ''}\n  {diagnosis.sentence}"


def _lines(lines: Sequence[Line]) -> Iterator[str]:
    first = [line for line in lines if line.indicated]
    others = [line for line in lines if not line.indicated]
    if first:
        more = f"\n  and {len(first) - MOST_LINES:,} further lines of it" if len(first) > MOST_LINES else ""
        yield "What failed first\n" + "\n".join(map(_line, first[:MOST_LINES])) + more
    if others:
        yield "Also seen\n" + "\n".join(map(_line, islice(others, MOST_OTHERS)))


def _line(line: Line) -> str:
    reasons = "; ".join(part for part in (line.signal or "", *line.why) if part)
    told = f"\n      {reasons}" if reasons else ""
    return f"  {line.file}:{line.line}  {line.text.strip()[:WIDTH]}{told}"


def _suspects(title: str, suspects: Sequence[Suspect]) -> str:
    if not suspects:
        return ""
    return "\n".join([title, *(f"  {one.name}  {one.score:.2f}  {one.why}" for one in suspects[:MOST_SUSPECTS])])


def _causes(causes: Sequence[Cause]) -> str:
    if not causes:
        return ""
    told = [f"  {one.likelihood:4.0%}  {one.code}" for one in causes]
    return "\n".join(["Likely causes, by what the lines say alone", *told])


def _listed(title: str, entries: Sequence[str]) -> str:
    return "\n".join([title, *(f"  - {entry}" for entry in entries)]) if entries else ""


def _size(diagnosis: Diagnosis) -> str:
    stats = diagnosis.stats
    return f"{stats.get('lines', 0):,} lines in {stats.get('files', 0):,} files were read."
