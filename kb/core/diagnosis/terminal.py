"""A diagnosis as text for a terminal. Nothing is judged here."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Diagnosis, Line, Suspect, Verdict

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


def as_text(diagnosis: Diagnosis, known: Mapping[str, Any]) -> str:
    """The diagnosis in a few short parts, the verdict first.

    `known`: its data with what the knowledge base adds: named `causes`, `issues`, `playbooks`, and `unknown`.
    """
    parts = [
        _head(diagnosis),
        *_lines(diagnosis.lines),
        _suspects("Suspect nodes", diagnosis.nodes),
        _suspects("Suspect ranks", diagnosis.ranks),
        _causes(known["causes"]),
        _issues(known["issues"]),
        _listed("Playbooks", [f"{one['name']}: {one['url']}" for one in known["playbooks"]]),
        _listed("What to check next", diagnosis.checks),
        _listed("What the Flight Recorder shows", diagnosis.recorded),
        _listed("Not known", known["unknown"]),
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


def _causes(causes: Sequence[Mapping[str, Any]]) -> str:
    if not causes:
        return ""
    return "\n".join(["Likely causes, with their share by the lines alone", *map(_cause, causes)])


def _cause(cause: Mapping[str, Any]) -> str:
    counted = cause["probability"]
    also = f"; {counted['value']:.0%} of {counted['n']:,} issues with this symptom" if counted else ""
    seen = "" if cause["likelihood"] else f"; {cause['why']}"
    return f"  {cause['likelihood']:4.0%}  {cause['name']}{also}{seen}"


def _issues(issues: Sequence[Mapping[str, Any]]) -> str:
    if not issues:
        return ""
    told = (f"  {one['title'][:WIDTH]}\n      {one['source_url']}" for one in issues)
    fixes = (f"\n      {one['resolution'][:WIDTH]}" if one["resolution"] else "" for one in issues)
    return "\n".join(["Known issues", *(head + fix for head, fix in zip(told, fixes, strict=True))])


def _listed(title: str, entries: Sequence[str]) -> str:
    return "\n".join([title, *(f"  - {entry}" for entry in entries)]) if entries else ""


def _size(diagnosis: Diagnosis) -> str:
    stats = diagnosis.stats
    lines, files = (_count(stats.get(f"{what}s", 0), what) for what in ("line", "file"))
    return f"Read: {lines} in {files}."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
