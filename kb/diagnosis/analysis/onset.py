"""What is first heard of when a series goes wrong: lines that no run would fail by, and that explain it."""

from collections.abc import Sequence
from dataclasses import replace

from kb.diagnosis.analysis.candidates import FOLLOWS, Candidate, Context
from kb.diagnosis.analysis.order import Key
from kb.diagnosis.analysis.series import Anomaly
from kb.diagnosis.scanning.records import Occurrence

# So many steps before the first bad one and after it.
BEFORE, AFTER = 2, 1
MOST, MOST_SCORE = 4, 2.4
NEW = "It is first heard of when the run becomes slow."


def at_onset(ranked: Sequence[Candidate], context: Context, anomaly: Anomaly) -> tuple[Candidate, ...]:
    """Kinds of lines that begin with the anomaly, the gravest first; none that was written before."""
    done = context.progress.done
    place = done.index(anomaly.told[0])
    began, ended = done[max(place - BEFORE, 0)], done[min(place + AFTER, len(done) - 1)]
    first, last = context.order.key(began.place, began.when), context.order.key(ended.place, ended.when)
    found = (_new(one, context, first, last) for one in ranked if one.role not in FOLLOWS)
    new = [one for one in found if one is not None]
    return tuple(sorted(new, key=lambda one: (-one.weight, context.key(one.first)))[:MOST])


def _new(one: Candidate, context: Context, first: Key, last: Key) -> Candidate | None:
    occurrences = sorted(one.template.occurrences, key=context.key)
    if one.weight < 1 or not first < context.key(occurrences[0]) < last or _is_said_at_end(occurrences, context):
        return None
    score = min(one.weight, MOST_SCORE)
    return replace(one, occurrences=tuple(occurrences), score=score, reasons=(NEW,))


def _is_said_at_end(occurrences: Sequence[Occurrence], context: Context) -> bool:
    """Was it written only after the last step?"""
    done = context.progress.done
    return context.key(occurrences[0]) > context.order.key(done[-1].place, done[-1].when)
