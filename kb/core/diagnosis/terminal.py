"""A diagnosis as text for a terminal. Nothing is judged here."""

from collections.abc import Sequence

from kb.core.diagnosis.report import BELONGING, CANCELLED, FAILURE, HEALTHY, INCOMPLETE, NO_EVIDENCE, Verdict
from kb.core.diagnosis.schema import DiagnosedCause, DiagnosedLine, DiagnosisData, KnownIssue

TITLES: dict[Verdict, str] = {
    FAILURE: "The run failed",
    CANCELLED: "The run was stopped from outside",
    INCOMPLETE: "The log breaks off",
    HEALTHY: "No failure found",
    NO_EVIDENCE: "No evidence in this log",
}
SYMPTOMS = {
    "crash": "a crash",
    "launch_failure": "it did not start",
    "hang": "a hang",
    "slowdown": "a slowdown",
    "numerical": "numerical divergence",
}
STAGES = {
    "init": "during startup",
    "load": "while loading",
    "train": "while training",
    "checkpoint": "while saving",
    "eval": "while evaluating",
    "serve": "while serving",
    "teardown": "during shutdown",
}
HELPS = {"likely": "Yes", "unlikely": "Unlikely to help", "unknown": "Unclear"}
RELATIONS = {"confirmed": "Confirmed: ", "same_error": "Same error: ", "same_kind": "Same kind: "}
MOST_LINES, MOST_OTHERS, MOST_SUSPECTS, WIDTH = 10, 5, 5, 160


def as_text(data: DiagnosisData) -> str:
    """The diagnosis in a few short parts, the verdict first."""
    first = [line for line in data["lines"] if line["indicated"]]
    others = [line for line in data["lines"] if not line["indicated"] and line["role"] not in BELONGING]
    first_lines = [_line(line) for line in first[:MOST_LINES]]
    further = len(data["lines"]) - len(others) - len(first_lines)
    if further:
        first_lines.append(f"  and {_count(further, 'further line')} of it")
    nodes = [f"  {node['name']}  {node['score']:.2f}  {node['why']}" for node in data["nodes"][:MOST_SUSPECTS]]
    ranks = [f"  {rank['rank']}  {rank['score']:.2f}  {rank['why']}" for rank in data["ranks"][:MOST_SUSPECTS]]
    causes = [_cause(cause) for cause in data["causes"]]
    parts = [
        _head(data),
        _part("What failed first", first_lines),
        _part("Follow-on errors and others", [_line(line) for line in others[:MOST_OTHERS]]),
        _part("Suspect nodes", nodes),
        _part("Suspect ranks", ranks),
        _part("Likely causes, weighted by the log lines alone", causes),
        _list("Restart?", _restart(data)),
        _list("What to do now", data["checks"]),
        _list("What the collectives show", data["recorded"]),
        _list("Not known", data["unknown"]),
        f"Read: {_count(data['stats'].get('lines', 0), 'line')} in {_count(data['stats'].get('files', 0), 'file')}.",
    ]
    return _joined(parts)


def as_text_of_known(data: DiagnosisData, alone: DiagnosisData) -> str:
    """What the knowledge base adds to the diagnosis of the log alone, to be read after that; may be nothing."""
    causes = [_cause(cause) for cause in data["causes"] if cause.get("url")]
    playbooks = [f"{playbook['name']}: {playbook['url']}" for playbook in data.get("playbooks", [])]
    parts = [
        _part("Causes by name", causes),
        _part("Known issues", [_issue(issue) for issue in data.get("issues", [])]),
        _list("Playbooks", playbooks),
        _list("Not looked up", data["unknown"][len(alone["unknown"]) :]),
    ]
    text = _joined(parts)
    return f"\n{text}" if text else ""


def _joined(parts: Sequence[str]) -> str:
    text = "\n\n".join(part for part in parts if part)
    return f"{text}\n" if text else ""


def _part(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines]) if lines else ""


def _list(title: str, entries: Sequence[str]) -> str:
    return _part(title, [f"  - {entry}" for entry in entries])


def _head(data: DiagnosisData) -> str:
    words = []
    if data["symptom"] in SYMPTOMS:
        words.append(SYMPTOMS[data["symptom"]])
    if data["stage"] in STAGES:
        words.append(STAGES[data["stage"]])
    if data["iteration"] is not None:
        words.append(f"at iteration {data['iteration']:,}")
    title = ": ".join([TITLES[data["verdict"]], ", ".join(words)]) if words else TITLES[data["verdict"]]
    return f"{title}\n  {data['sentence']}"


def _line(line: DiagnosedLine) -> str:
    text = f"  {line['file']}:{line['line']}  {line['text'].strip()[:WIDTH]}"
    reasons = [reason for reason in (line["signal"], *line["why"]) if reason]
    if reasons:
        text += f"\n      {'; '.join(reasons)}"
    return text


def _cause(cause: DiagnosedCause) -> str:
    text = f"  {cause['likelihood']:4.0%}  {cause.get('name') or cause['code']}"
    probability = cause.get("probability")
    if probability:
        text += f"; {probability['value']:.0%} of {probability['n']:,} issues with this symptom"
    if not cause["likelihood"]:
        # No line speaks for it: what does is worth saying.
        text += f"; {cause['why']}"
    return text


def _issue(issue: KnownIssue) -> str:
    relation = RELATIONS.get(issue.get("relation", ""), "")
    text = f"  {relation}{issue['title'][:WIDTH]}\n      {issue['source_url']}"
    if fix_line := issue.get("fix_line", ""):
        text += f"\n      {fix_line}"
    elif issue["resolution"]:
        text += f"\n      {issue['resolution'][:WIDTH]}"
    return text


def _restart(data: DiagnosisData) -> list[str]:
    restart = data.get("restart")
    if restart is None:
        return []
    right = restart["right"]
    share = f" Right for {right['value']:.0%} of {right['n']} unseen logs." if right else ""
    return [f"{HELPS[restart['helps']]}. {restart['why']}{share}"]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
