"""`make diagnose-eval`: every measure over all judged logs, beside the baselines of the same run.

Which jobs there are: `truth.py`, `corpus.py`; what is said of one: `methods.py`; how a table looks: `tables.py`; what
of it the site shows: `published.py`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kb.core.diagnosis.background.model import bundled
from kb.core.quality.figures import keep, path_of
from tests.kb.core.diagnosis.evaluation import calibration, published
from tests.kb.core.diagnosis.evaluation.asking import analyser_answers, peers_answers, rules_answers
from tests.kb.core.diagnosis.evaluation.corpus import FAILED, OPEN, PARTS, SOUND, read_corpus
from tests.kb.core.diagnosis.evaluation.measures import Answer, Tally, judged, tally
from tests.kb.core.diagnosis.evaluation.methods import first_error, last_error, ours
from tests.kb.core.diagnosis.evaluation.published import SYNTHETIC
from tests.kb.core.diagnosis.evaluation.tables import say, table, targets
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, LOGS, Truth, read_truth
from tests.support.wheels import NotInstalledError

LINES = ("hit@1", "hit@5", "F1", "F1 events", "precision", "recall")
WHO = ("node top-1", "node top-3", "node top-5", "node top-8", "rank top-1", "rank top-3")
CIRCUMSTANCES = ("verdict", "stage", "iteration", "symptom", "cause top-1", "cause top-3")
ALARMS = ("verdict", "false alarm", "cancelled alarm")
Answers = Mapping[str, Answer]


def main() -> None:
    """Print the tables."""
    truths = [*(read_truth() if LOGS.is_dir() else ()), *read_corpus()]
    began = time.monotonic()
    answers = {truth.id: ours(truth) for truth in truths}
    seconds = time.monotonic() - began
    methods = {"Faultbook": answers, **_baselines(truths)}
    earlier, public = _of(truths, lambda truth: not truth.part), _of(truths, lambda truth: bool(truth.part))
    if earlier:
        _others(methods, earlier)
    else:
        say("The judged logs of ../shared/data/logs are not here; these are the public logs alone.")
    _compare("The public logs: failure lines and suspects", methods, public)
    _public(answers, public)
    kinds = {"synthetic": _of(truths, _is_made_up), "real": _of(truths, lambda truth: not _is_made_up(truth))}
    _split("Real against synthetic", answers, kinds, (*LINES, *WHO, *ALARMS), has_intervals=True)
    _calibrated(answers, {"all": truths, **kinds, **_parts(public)})
    if earlier:
        targets(tally(judged(truth, answers[truth.id]) for truth in earlier))
    _publish(methods, truths, is_whole=bool(earlier))
    say(f"\nNo job was held against a background that had seen it ({len(bundled().runs)} healthy runs, one left out).")
    say(f"{len(truths)} jobs were diagnosed in {seconds:.1f} s.")


def _publish(methods: Mapping[str, Answers], truths: Sequence[Truth], *, is_whole: bool) -> None:
    """Write what the site tells its readers, unless logs or peers are missing: a part would pass for the whole."""
    if not is_whole or not set(published.METHODS) <= set(methods):
        say("\nThe figures that the site shows were left as they are: some of the logs or peers are missing.")
        return
    found = published.everything(methods, truths)
    keep(found)
    say(f"\n{len(found.figures)} figures are written to {path_of('diagnosis').name}, which the site shows.")


def _others(methods: Mapping[str, Answers], truths: Sequence[Truth]) -> None:
    """The judged logs that others published, and made-up ones."""
    answers = methods["Faultbook"]
    _compare("The judged logs of ../shared: failure lines and suspects", methods, truths)
    whole = tally(judged(truth, answers[truth.id]) for truth in truths)
    table("Circumstances (Faultbook alone says them)", {"Faultbook": whole}, (*CIRCUMSTANCES, *ALARMS[1:]))
    sources = dict.fromkeys(truth.source for truth in truths)
    dumps = _of(truths, partial(_has, "source", DUMPS))
    _compare("Flight Recorder dumps: suspects", methods, dumps, ("rank top-1", "rank top-3"))
    _split("By source", answers, {source: _of(truths, partial(_has, "source", source)) for source in sources})


def _baselines(truths: Sequence[Truth]) -> dict[str, Answers]:
    simple: dict[str, Answers] = {
        "first error line": {truth.id: first_error(truth) for truth in truths},
        "last error line": {truth.id: last_error(truth) for truth in truths},
    }
    for ask in (rules_answers, peers_answers, analyser_answers):
        try:
            simple |= ask(truths)
        except NotInstalledError as problem:
            say(f"A peer cannot be installed here ({problem}); its rows are missing.")
    return simple


def _compare(
    title: str, methods: Mapping[str, Answers], truths: Sequence[Truth], measures: Sequence[str] = (*LINES, *WHO)
) -> None:
    tallies = {
        name: tally(judged(truth, answers[truth.id]) for truth in truths if truth.id in answers)
        for name, answers in methods.items()
    }
    table(title, tallies, measures)


def _public(answers: Answers, public: Sequence[Truth]) -> None:
    """The open and the held-out logs apart: what was tuned on one part alone shows between them."""
    failed = {part: _of(jobs, partial(_has, "source", FAILED)) for part, jobs in _parts(public).items()}
    sound = {part: _of(jobs, partial(_has, "source", SOUND)) for part, jobs in _parts(public).items()}
    _split(f"{FAILED}: lines and suspects", answers, failed, (*LINES, *WHO), has_intervals=True)
    _split(f"{FAILED}: circumstances", answers, failed, CIRCUMSTANCES, has_intervals=True)
    _split(f"{SOUND}: verdicts", answers, sound, ALARMS, has_intervals=True)
    known = _of(public, partial(_has, "part", OPEN))
    by_stack = {
        stack: _of(known, partial(_has, "kind", stack)) for stack in dict.fromkeys(truth.kind for truth in known)
    }
    _split("By stack (open logs)", answers, by_stack, (*LINES, "verdict", "symptom", "stage"))


def _split(
    title: str,
    answers: Answers,
    groups: Mapping[str, Sequence[Truth]],
    measures: Sequence[str] = (*LINES, "verdict"),
    *,
    has_intervals: bool = False,
) -> None:
    tallies: dict[str, Tally] = {
        name: tally(judged(truth, answers[truth.id]) for truth in truths) for name, truths in groups.items()
    }
    table(title, tallies, measures, has_intervals=has_intervals)


def _calibrated(answers: Answers, groups: Mapping[str, Sequence[Truth]]) -> None:
    say("\nOf the suspects shown with a score, the share that is at fault (95 % interval)")
    for name, truths in groups.items():
        for line in calibration.lines(name, calibration.suspects((truth, answers[truth.id]) for truth in truths)):
            say(line)


def _parts(public: Sequence[Truth]) -> dict[str, list[Truth]]:
    return {part: _of(public, partial(_has, "part", part)) for part in PARTS}


def _has(field: str, value: str, truth: Truth) -> bool:
    return bool(getattr(truth, field) == value)


def _is_made_up(truth: Truth) -> bool:
    return truth.source == SYNTHETIC


def _of(truths: Sequence[Truth], is_wanted: Callable[[Truth], bool]) -> list[Truth]:
    return [truth for truth in truths if is_wanted(truth)]


if __name__ == "__main__":
    main()
