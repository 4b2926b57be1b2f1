"""`make diagnose-eval`: every measure over all judged logs, beside the baselines of the same run."""

import sys
import time
from collections.abc import Mapping, Sequence

from kb.core.diagnosis.background.model import bundled
from tests.kb.core.diagnosis.evaluation.asking import peers_answers
from tests.kb.core.diagnosis.evaluation.measures import Answer, Tally, judged, tally
from tests.kb.core.diagnosis.evaluation.methods import first_error, last_error, ours
from tests.kb.core.diagnosis.evaluation.truth import LOGS, Truth, read_truth
from tests.perf.sync_peers import NotInstalledError

LINES = ("hit@1", "hit@5", "F1")
WHO = ("node top-1", "node top-3", "rank top-1", "rank top-3")
CIRCUMSTANCES = ("verdict", "stage", "iteration", "symptom", "false alarm")
TARGETS = {
    "hit@1": 0.75, "hit@5": 0.92, "F1": 0.70, "node top-1": 0.85, "node top-3": 0.95, "stage": 0.9, "iteration": 0.85,
    "symptom": 0.85, "false alarm": 0.05,
}  # fmt: skip


def main() -> None:
    """Print the tables."""
    if not LOGS.is_dir():
        sys.exit("The judged logs are not here: ../shared/data/logs is needed.")
    truths = list(read_truth())
    began = time.monotonic()
    answers = {one.id: ours(one) for one in truths}
    seconds = time.monotonic() - began
    methods: dict[str, Mapping[str, Answer]] = {
        "Faultbook": answers,
        "first error line": {one.id: first_error(one) for one in truths},
        "last error line": {one.id: last_error(one) for one in truths},
    }
    try:
        methods |= peers_answers(truths)
    except NotInstalledError as problem:
        _say(f"The peers cannot be installed here ({problem}); their rows are missing.")
    tallies = {name: tally(judged(one, by[one.id]) for one in truths if one.id in by) for name, by in methods.items()}
    _table("Failure lines and suspects", tallies, (*LINES, *WHO))
    _table("Circumstances (Faultbook alone says them)", {"Faultbook": tallies["Faultbook"]}, CIRCUMSTANCES)
    _table("By source", _by_source(truths, answers), (*LINES, "verdict"))
    _targets(tallies["Faultbook"])
    _say(f"\nNo job was held against a background that had seen it ({len(bundled().runs)} healthy runs, one left out).")
    _say(f"{len(truths)} jobs were diagnosed in {seconds:.1f} s.")


def _by_source(truths: Sequence[Truth], answers: Mapping[str, Answer]) -> dict[str, Tally]:
    sources = dict.fromkeys(one.source for one in truths)
    return {source: tally(judged(one, answers[one.id]) for one in truths if one.source == source) for source in sources}


def _table(title: str, tallies: Mapping[str, Tally], measures: Sequence[str]) -> None:
    _say(f"\n{title}")
    _say(" " * 24 + "".join(f"{measure:>13}" for measure in measures))
    for name, one in tallies.items():
        _say(f"{name:24}" + "".join(_cell(one, measure) for measure in measures))
    counts = {measure: max((one.n(measure) for one in tallies.values()), default=0) for measure in measures}
    _say(f"{'n, at most':24}" + "".join(f"{counts[measure]:>13}" for measure in measures))


def _cell(one: Tally, measure: str) -> str:
    return f"{one.mean(measure):>13.3f}" if one.n(measure) else f"{'-':>13}"


def _targets(one: Tally) -> None:
    _say("\nAgainst the targets")
    for measure, target in TARGETS.items():
        mean, n = one.mean(measure), one.n(measure)
        is_met = mean <= target if measure == "false alarm" else mean >= target
        sign = "<=" if measure == "false alarm" else ">="
        _say(f"{'met   ' if is_met else 'MISSED'}  {measure:12} {mean:.3f} {sign} {target}  (n = {n})")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
