"""What is first heard of when a run goes wrong or stops: lines that no run would fail by, and that explain it."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from kb.core.diagnosis.analysis.candidates import FOLLOWS, Candidate, Context
from kb.core.diagnosis.analysis.order import Key
from kb.core.diagnosis.analysis.series import Anomaly

# So many steps before the first bad one and after it.
BEFORE, AFTER = 2, 1
MOST, MOST_SCORE = 4, 2.4
NEVER: Key = (inf, 0, 0)
NEW = "It is first heard of when the run becomes slow."
LAST_WORDS = "It is the last that one process says before the run stops."


def at_onset(ranked: Sequence[Candidate], context: Context, anomaly: Anomaly) -> tuple[Candidate, ...]:
    """Kinds of lines that begin with the anomaly, the gravest first; none that was written before."""
    done = context.progress.done
    place = done.index(anomaly.told[0])
    began, ended = done[max(place - BEFORE, 0)], done[min(place + AFTER, len(done) - 1)]
    first, last = context.order.key(began.place, began.when), context.order.key(ended.place, ended.when)
    found = (_new(one, context, first, last, NEW) for one in ranked if one.role not in FOLLOWS)
    return _gravest([one for one in found if one is not None and not _is_said_at_end(one, context)], context)


def last_words(ranked: Sequence[Candidate], context: Context) -> tuple[Candidate, ...]:
    """Kinds of lines that one process alone says, after the last steps and never before, the gravest first."""
    done = context.progress.done
    if len(done) < BEFORE:
        return ()
    last = done[-BEFORE]
    first = context.order.key(last.place, last.when)
    alone = (one for one in ranked if one.role not in FOLLOWS and not one.is_late and _is_of_one(one))
    found = (_new(one, context, first, NEVER, LAST_WORDS) for one in alone)
    return _gravest([one for one in found if one is not None], context)


def _gravest(found: Sequence[Candidate], context: Context) -> tuple[Candidate, ...]:
    return tuple(sorted(found, key=lambda one: (-one.weight, context.key(one.first)))[:MOST])


def _is_of_one(one: Candidate) -> bool:
    return len({at.emitter.id for at in one.template.occurrences}) == 1


def _new(one: Candidate, context: Context, first: Key, last: Key, why: str) -> Candidate | None:
    occurrences = sorted(one.template.occurrences, key=context.key)
    if one.weight < 1 or not first < context.key(occurrences[0]) < last:
        return None
    return replace(one, occurrences=tuple(occurrences), score=min(one.weight, MOST_SCORE), reasons=(why,))


def _is_said_at_end(one: Candidate, context: Context) -> bool:
    """Was it written only after the last step?"""
    done = context.progress.done
    return context.key(one.first) > context.order.key(done[-1].place, done[-1].when)
