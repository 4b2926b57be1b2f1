"""The verdict on a run, put together from what the views found, and put into words."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from kb.core.diagnosis.analysis.candidates import Candidate
from kb.core.diagnosis.analysis.collectives import watched
from kb.core.diagnosis.analysis.ends import HANG, NUMERICAL, SLOWDOWN, end_of
from kb.core.diagnosis.analysis.findings import Findings, findings_of
from kb.core.diagnosis.analysis.foreign import has_ended_badly, is_foreign
from kb.core.diagnosis.analysis.health import is_of_server, reached
from kb.core.diagnosis.analysis.lines import chosen_of, last_lines, lines_of, odd_lines
from kb.core.diagnosis.analysis.series import Anomaly
from kb.core.diagnosis.analysis.stages import at_launch, stage_before, stage_of
from kb.core.diagnosis.analysis.suspects import suspects
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.flight_recorder.analysis import Analysis
from kb.core.diagnosis.report import (
    CANCELLED,
    FAILURE,
    HEALTHY,
    INCOMPLETE,
    NO_EVIDENCE,
    Cause,
    Diagnosis,
    Framework,
    Line,
    Suspect,
    Verdict,
)
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.topology import Topology

SENTENCES: dict[Verdict, str] = {
    "healthy": "No failure in this log, and the run reached its end.",
    "incomplete": "The log ends {} without a finish message: the run was cut off, or is still running.",
    "no_evidence": "This log shows neither a failure nor a successful run.",
    "cancelled": "The run was stopped from outside: by a person, the scheduler or a time limit.",
    "failure": "The run failed; the lines below stand out.",
}
OF_SERVER = "The server started, and no failure is in this log."
FOREIGN = "This does not look like a run of an LLM framework: no framework, rank, step or GPU is named."
# Of a series, against the scores of lines.
SERIES_SCORE = 3.0
OF_INCOMPLETE = (
    "If it still runs, see where it hangs: `py-spy dump --pid PID` on each node.",
    "If not, find out what ended it: `dmesg -T` (OOM killer, Xid) and `sacct -j JOB` (the scheduler's record).",
    "Add the logs of all ranks, and the output of the launcher and the scheduler.",
)
# What is known of a server that gets nowhere.
OF_STALLED = "vllm-step-timeout"
OF_SYMPTOM = {
    HANG: "The run hung: no output after {}.",
    NUMERICAL: "The loss diverged: see the steps below.",
    SLOWDOWN: "The run became much slower and stayed slow.",
}


def diagnose(
    scan: Scan,
    healthy: Collection[str] = (),
    usual: Usual = NOTHING_USUAL,
    usual_length: int = 0,
    stands_still: float = 0.0,
) -> Diagnosis:
    """Say what went wrong.

    `healthy`: masked texts that healthy runs of the like say too; `usual`: the background; `usual_length`: how many
    iterations the healthy runs had; `stands_still`: for so many seconds, as somebody sees who watches the run.
    """
    findings = findings_of(scan, healthy, usual, stands_still)
    diagnosis = _foreign(findings) if is_foreign(findings) else _of_run(findings, usual_length)
    stats = {
        "files": len(scan.names),
        "lines": sum(scan.lines),
        "templates": len(scan.templates),
        "emitters": len(scan.emitters),
    }
    stack = tuple(Framework(*named) for named in scan.stack.values())
    return replace(diagnosis, stats=stats, stack=stack)


def _of_run(findings: Findings, usual_length: int) -> Diagnosis:
    verdict, symptom = end_of(findings, usual_length)
    progress = findings.context.progress
    if verdict in (HEALTHY, NO_EVIDENCE):
        odd = odd_lines(findings)
        is_server = verdict == HEALTHY and is_of_server(findings.context.scan, progress)
        sentence = OF_SERVER if is_server else SENTENCES[verdict]
        sentence += " One step took far longer than usual." if odd else ""
        return Diagnosis(verdict, sentence, odd, iteration=progress.last_iteration, symptom="none")
    if verdict == INCOMPLETE:
        return _incomplete(findings, usual_length)
    lines = lines_of(findings, symptom)
    stage = _stage(findings, lines)
    symptom = at_launch(symptom, stage, progress)
    end = reached(findings.context.scan, progress, usual_length).words or "its start"
    diagnosis = Diagnosis(
        verdict,
        OF_SYMPTOM.get(symptom, SENTENCES[verdict]).format(end),
        lines,
        stage=stage or None,
        iteration=progress.last_iteration,
        symptom=symptom,
    )
    if verdict == CANCELLED:
        return _with_signals(diagnosis, chosen_of(findings, symptom))
    watchdogs = watched(findings.context.scan.collectives, findings.context.topology)
    nodes, ranks = suspects(findings, symptom, watchdogs)
    recorded = () if watchdogs is None else sentences_of(watchdogs)
    diagnosis = replace(diagnosis, nodes=nodes, ranks=ranks, recorded=recorded)
    if symptom == SLOWDOWN and findings.anomaly is None and findings.stragglers:
        diagnosis = replace(diagnosis, sentence=lines[0].why[0])
    if symptom == HANG and findings.pause is not None and findings.pause.why:
        stalled = catalogue().by_code[OF_STALLED]
        return _with_signals(replace(diagnosis, sentence=findings.pause.why), findings.named, stalled)
    if symptom in (NUMERICAL, SLOWDOWN) and findings.anomaly is not None:
        return _of_series(diagnosis, findings.anomaly, findings)
    return _with_signals(diagnosis, findings.named)


def _of_series(diagnosis: Diagnosis, anomaly: Anomaly, findings: Findings) -> Diagnosis:
    """The diagnosis of a run whose numbers went wrong, by its lines or, where none says it better, by its steps."""
    first = anomaly.steps[0]
    diagnosis = replace(diagnosis, iteration=first.step.iteration if first.step.is_numbered else None)
    signal = catalogue().by_code[anomaly.signal] if anomaly.signal is not None else None
    if signal is None or findings.is_strong:
        return _with_signals(diagnosis, findings.named)
    place = f"iteration {first.step.iteration:,}" if first.step.is_numbered else f"line {first.place.line:,}"
    return replace(
        _with_signals(diagnosis, findings.named, signal),
        sentence=anomaly.why.replace("here", place),
        symptom_code=signal.symptom,
    )


def _foreign(findings: Findings) -> Diagnosis:
    """Of something else than a run of a model, no more is said than how it ended and which line stands out."""
    verdict, symptom = end_of(findings)
    is_cancelled = verdict == CANCELLED
    if is_cancelled or has_ended_badly(findings):
        lines = lines_of(findings, symptom)
        sentence = f"{FOREIGN} It {'was cancelled' if is_cancelled else 'failed'}."
        return Diagnosis(verdict if is_cancelled else FAILURE, sentence, lines, symptom=symptom, is_of_models=False)
    if verdict == HEALTHY and findings.best is None:
        return Diagnosis(HEALTHY, f"{FOREIGN} It reached its end.", symptom="none", is_of_models=False)
    return Diagnosis(NO_EVIDENCE, FOREIGN, last_lines(findings), symptom="none", is_of_models=False)


def _incomplete(findings: Findings, usual_length: int) -> Diagnosis:
    """The diagnosis of a run that breaks off: how far it came, and whatever else stands out."""
    progress = findings.context.progress
    end = reached(findings.context.scan, progress, usual_length).words
    return Diagnosis(
        INCOMPLETE,
        SENTENCES[INCOMPLETE].format(f"at {end}" if end else "before the first step"),
        last_lines(findings),
        stage=stage_before(None, "", findings) or None,
        iteration=progress.last_iteration,
        symptom="none",
        checks=OF_INCOMPLETE,
    )


def _stage(findings: Findings, lines: Sequence[Line]) -> str:
    """The stage that the best line shows, else the one that the log had come to."""
    if not lines:
        return stage_before(None, "", findings)
    place = Place(findings.context.scan.names.index(lines[0].file), lines[0].line)
    onset = _occurrence_at(place, findings)
    if onset is None:
        return stage_before(place, "", findings)
    # Who is told to stop may say what it does then.
    is_told = onset in (findings.cancel.occurrences if findings.cancel is not None else ())
    own = "" if is_told else stage_of(onset, findings.context.progress)
    return own or stage_before(place, onset.written_by or onset.when, findings)


def _occurrence_at(place: Place, findings: Findings) -> Occurrence | None:
    """The line as it was kept; None if it is shown for its number of steps, not for what it says."""
    cancels = [findings.cancel] if findings.cancel is not None else []
    for candidate in (*findings.named, *cancels):
        for occurrence in candidate.occurrences:
            if occurrence.place == place:
                return occurrence
    return None


def _with_signals(diagnosis: Diagnosis, lines: Sequence[Candidate], of_series: Signal | None = None) -> Diagnosis:
    """The diagnosis with what signals say: what it means, causes, what to check.

    `lines`: those that say what went wrong or what ended the run. `of_series`: what the steps say, which goes first.
    """
    told = [(of_series, SERIES_SCORE)] if of_series is not None else []
    told += [(line.signal, line.score) for line in lines if line.signal is not None]
    symptoms = [signal.symptom for signal, _ in told if signal.symptom]
    checks: dict[str, None] = {}
    for signal, _ in told:
        checks |= dict.fromkeys(signal.checks_in(diagnosis.stage))
    best = lines[0].signal if lines else None
    is_failure = diagnosis.verdict == FAILURE
    return replace(
        diagnosis,
        sentence=best.means if best is not None else diagnosis.sentence,
        symptom_code=symptoms[0] if symptoms and is_failure else None,
        causes=_causes(told) if is_failure else (),
        checks=tuple(checks),
    )


def with_signal(diagnosis: Diagnosis, signal: Signal) -> Diagnosis:
    """The diagnosis of a failure that no line tells of: what the signal says."""
    diagnosis = replace(diagnosis, symptom=signal.run_symptom or diagnosis.symptom)
    return replace(_with_signals(diagnosis, (), signal), sentence=signal.means)


def _causes(told: Sequence[tuple[Signal, float]]) -> tuple[Cause, ...]:
    """The causes that the signals name, each with its share of their scores; a signal's first counts most."""
    scores: dict[str, tuple[float, str]] = {}
    for signal, score in told:
        for number, code in enumerate(signal.causes):
            share = score / (1 + number)
            if share > scores.get(code, (0.0, ""))[0]:
                scores[code] = (share, signal.means)
    total = sum(share for share, _ in scores.values())
    ordered = sorted(scores.items(), key=lambda entry: -entry[1][0])
    return tuple(Cause(code, round(share / total, 3), why) for code, (share, why) in ordered)


def sentences_of(recorded: Analysis) -> tuple[str, ...]:
    """What dumps or watchdogs show, in sentences."""
    return (recorded.sentence, *(finding.description for finding in recorded.findings))


def with_dumps(diagnosis: Diagnosis, recorded: Analysis, topology: Topology) -> Diagnosis:
    """The diagnosis with what Flight Recorder dumps show, and with the ranks that hold up the others.

    Ranks that the dumps name come first: they saw every collective, a log only what somebody printed.
    """
    diagnosis = replace(diagnosis, recorded=sentences_of(recorded))
    if not recorded.suspects:
        return diagnosis
    ranks = [Suspect(str(suspect.rank), round(suspect.score, 3), suspect.why) for suspect in recorded.suspects]
    nodes: dict[str, Suspect] = {}
    for suspect in reversed(recorded.suspects):
        node = topology.rank_node.get(suspect.rank)
        if node:
            why = f"Rank {suspect.rank} runs on it. {suspect.why}"
            nodes[node] = Suspect(node, round(suspect.score, 3), why)
    if diagnosis.verdict in (HEALTHY, INCOMPLETE, NO_EVIDENCE):
        diagnosis = replace(diagnosis, symptom=HANG, sentence=recorded.sentence)
    return replace(
        diagnosis,
        verdict=FAILURE,
        ranks=_joined(ranks, diagnosis.ranks),
        nodes=_joined(sorted(nodes.values(), key=lambda suspect: -suspect.score), diagnosis.nodes),
    )


def _joined(first: Sequence[Suspect], then: Sequence[Suspect]) -> tuple[Suspect, ...]:
    names = {suspect.name for suspect in first}
    return (*first, *(suspect for suspect in then if suspect.name not in names))
