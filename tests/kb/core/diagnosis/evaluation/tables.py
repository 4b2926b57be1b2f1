"""How the evaluation's tables look on a terminal."""

import sys
from collections.abc import Mapping, Sequence

from tests.kb.core.diagnosis.evaluation.measures import Tally

TARGETS = {
    "hit@1": 0.75, "hit@5": 0.92, "F1 events": 0.70, "node top-1": 0.85, "node top-3": 0.95, "stage": 0.9,
    "iteration": 0.85, "symptom": 0.85, "false alarm": 0.05,
}  # fmt: skip
NAME = 24


def table(title: str, tallies: Mapping[str, Tally], measures: Sequence[str], *, has_intervals: bool = False) -> None:
    """A row for each tally; with intervals, each row has its own n below it."""
    say(f"\n{title}")
    width = 17 if has_intervals else 16
    say(" " * NAME + "".join(f"{measure:>{width}}" for measure in measures))
    for name, row in tallies.items():
        say(f"{name:{NAME}}" + "".join(f"{_mean(row, measure):>{width}}" for measure in measures))
        if has_intervals:
            say(
                f"{'  n, 95 % interval':{NAME}}"
                + "".join(f"{_interval(row, measure):>{width}}" for measure in measures)
            )
    if not has_intervals:
        counts = [max((row.n(measure) for row in tallies.values()), default=0) for measure in measures]
        say(f"{'n, at most':{NAME}}" + "".join(f"{count:>{width}}" for count in counts))


def targets(row: Tally) -> None:
    """What was aimed at, and whether it is met."""
    say("\nAgainst the targets")
    for measure, target in TARGETS.items():
        mean, n = row.mean(measure), row.n(measure)
        is_met = mean <= target if measure == "false alarm" else mean >= target
        sign = "<=" if measure == "false alarm" else ">="
        say(f"{'met   ' if is_met else 'MISSED'}  {measure:12} {mean:.3f} {sign} {target}  (n = {n})")


def say(line: str) -> None:
    """Print it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _mean(row: Tally, measure: str) -> str:
    return f"{row.mean(measure):.3f}" if row.n(measure) else "-"


def _interval(row: Tally, measure: str) -> str:
    low, high = row.interval(measure)
    return f"{row.n(measure)} [{low:.2f},{high:.2f}]" if row.n(measure) else ""
