"""`python -m tests.kb.core.diagnosis.evaluation.misses [stack/name ...]`: what is wrong on the open public logs.

Logs that are held out are never shown.
"""

import sys
from collections.abc import Collection, Iterator

from tests.kb.core.diagnosis.evaluation.corpus import OPEN, read_corpus
from tests.kb.core.diagnosis.evaluation.measures import Answer, judged
from tests.kb.core.diagnosis.evaluation.methods import ours
from tests.kb.core.diagnosis.evaluation.truth import Truth

# What means nothing amiss where it is low, and what F1 says already.
NO_MISS = frozenset({"false alarm", "cancelled alarm", "precision", "recall"})
SHOWN = 6


def main(names: Collection[str]) -> None:
    """Print a line for each log, and below it what is wrong."""
    for truth in read_corpus(OPEN):
        if names and truth.id not in names:
            continue
        wrong = list(misses(truth, ours(truth)))
        sys.stdout.write(f"{'wrong' if wrong else 'right'}  {truth.id}\n")
        sys.stdout.writelines(f"         {line}\n" for line in wrong)


def misses(truth: Truth, answer: Answer) -> Iterator[str]:
    """What of the answer is not as it should be."""
    found = judged(truth, answer)
    for measure in (measure for measure, value in found.items() if value < 1 and measure not in NO_MISS):
        yield f"{measure} {found[measure]:.2f}{_detail(measure, truth, answer)}"


def _detail(measure: str, truth: Truth, answer: Answer) -> str:
    told = {
        "verdict": (answer.verdict, truth.verdict),
        "stage": (answer.stage, truth.stage),
        "symptom": (answer.symptom, truth.symptom),
        "iteration": (answer.iteration, truth.iterations),
        "cause top-1": (answer.causes, truth.cause),
        "node top-1": (answer.nodes, sorted(truth.nodes)),
        "rank top-1": (answer.ranks, sorted(truth.ranks)),
        "hit@1": (_lines(answer.lines or ()), _lines(truth.root)),
        "F1": (_lines(answer.indicated), _lines(truth.root)),
    }
    return ": {}, not {}".format(*told[measure]) if measure in told else ""


def _lines(places: Collection[tuple[int, int]]) -> list[int]:
    ordered = places if isinstance(places, tuple) else sorted(places)
    return [line for _, line in list(ordered)[:SHOWN]]


if __name__ == "__main__":
    main(sys.argv[1:])
