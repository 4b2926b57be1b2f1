"""From evidence to suggestions, one axis at a time: precise rather than complete, nothing when unsure. Pure."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from ingest.suggest.rules import AxisRules, Place
from ingest.suggest.values import Evidence, Suggestion

SAID: Mapping[Place, str] = {
    "label": "its label on the host is",
    "tag": "the title begins with",
    "title": "the title says",
    "form": "its form asks for",
    "error": "an error line says",
    "call": "the failing call went through",
    "last_call": "the error came from",
    "prose": "the text says",
}
# What somebody wrote on purpose counts before what a program printed.
STATED: tuple[Place, ...] = ("label", "tag")
WRITTEN_ON_PURPOSE: tuple[Place, ...] = ("label", "tag", "title")
MOST_REASONS = 2
# So many kinds of failures in one report: nobody knows from the outside which one it is about.
TOO_MANY_FAILURES = 3
KINDS_OF_EXCEPTIONS = frozenset(("exception", "missing-name", "value-rejected"))
# Wishes are told in the words of the faults that they would end, and questions are asked about errors.
NO_FAULT, FAULT, QUESTION = "requirement", "bug", "question"

# Code of a node -> the codes above it, the nearest first.
Above = Mapping[str, tuple[str, ...]]


def decide(axis: AxisRules, evidence: Sequence[Evidence], above: Above) -> tuple[Suggestion, ...]:
    """The best supported nodes of the axis; the special one where a general one is supported too."""
    by_node: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        by_node[item.clue.node].append(item)
    left_out = set(chain.from_iterable(above.get(node, ()) for node in by_node))
    left_out.update(node for node, others in axis.yields.items() if by_node.keys() & set(others))
    suggestions = [_suggestion(items) for node, items in by_node.items() if node not in left_out]
    best = [suggestion for suggestion in suggestions if suggestion.score >= axis.least]
    best.sort(key=lambda suggestion: -suggestion.score)
    if axis.most == 1 and len(best) > 1 and best[0].score - best[1].score < axis.margin:
        return ()
    return tuple(best[: axis.most])


def _suggestion(evidence: Sequence[Evidence]) -> Suggestion:
    """One node's evidence summed up: places support each other, several words in one place do not."""
    best_of: dict[Place, Evidence] = {}
    for item in evidence:
        if item.place not in best_of or item.clue.score > best_of[item.place].clue.score:
            best_of[item.place] = item
    # By place first: where scores are the same, their order must not depend on that of the text.
    by_place = sorted(best_of.values(), key=lambda item: item.place)
    doubt = math.prod(1 - item.clue.score for item in by_place)
    strongest = sorted(by_place, key=lambda item: -item.clue.score)
    reasons = "; ".join(f"{SAID[item.place]} “{item.quote}”" for item in strongest[:MOST_REASONS])
    clue = strongest[0].clue
    rules = tuple(dict.fromkeys(item.clue.rule for item in strongest))
    return Suggestion(clue.axis, clue.node, f"{reasons[0].upper()}{reasons[1:]}.", round(1 - doubt, 3), rules)


def about_type(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that counts for the issue type: where label or tag says it, other places can only agree.

    A question that shows an error may be a fault: nobody knows from the outside.
    """
    stated = {item.clue.node for item in evidence if item.place in STATED}
    if len(stated) != 1:
        return list(evidence)
    if stated == {QUESTION} and any(item.place == "error" and item.clue.node == FAULT for item in evidence):
        return []
    return [item for item in evidence if item.clue.node in stated]


def about_symptom(evidence: Sequence[Evidence], failure: Evidence | None, above: Above) -> list[Evidence]:
    """The evidence that counts for symptoms: what was written on purpose, else the first failure, else the prose.

    Where the title says it already, the failure only makes it special: a crash with a CUDA error is that error. A
    title that names no more than a kind of exception says less than the failure does.
    """
    written = [item for item in evidence if item.place in WRITTEN_ON_PURPOSE]
    nodes = {item.clue.node for item in written}
    if nodes - KINDS_OF_EXCEPTIONS:
        if failure is not None and nodes & {failure.clue.node, *above.get(failure.clue.node, ())}:
            return [*written, failure]
        return written
    failures = _where_raised(evidence, failure) if failure else []
    if written and failures and failures[0].clue.node in KINDS_OF_EXCEPTIONS:
        return [*written, *(item for item in failures if item.clue.node in nodes)]
    return failures or written or [item for item in evidence if item.place == "prose"]


def _where_raised(evidence: Sequence[Evidence], failure: Evidence) -> list[Evidence]:
    """The failure; an exception of any kind says less than where it was raised: in converting or reading a model."""
    if failure.clue.node in KINDS_OF_EXCEPTIONS:
        for place in ("call", "last_call"):
            raised = [item for item in evidence if item.place == place]
            if raised:
                return raised
    return [failure]


def first_failure(lines: Sequence[Evidence | None]) -> int | None:
    """The place of the error line that a report is about, if that can be told: others only followed.

    `lines`: what each line is evidence of, if anything.
    """
    failures = {place: line.clue for place, line in enumerate(lines) if line is not None}
    first = {place: clue for place, clue in failures.items() if not clue.follows}
    if len({clue.node for clue in first.values()}) >= TOO_MANY_FAILURES:
        return None
    return min(first or failures, default=None)
