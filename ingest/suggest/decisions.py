"""From evidence to suggestions, one axis at a time: precise rather than complete, nothing when unsure. Pure."""

from collections.abc import Mapping, Sequence
from itertools import groupby

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


def decide(axis: AxisRules, found: Sequence[Evidence], above: Above) -> tuple[Suggestion, ...]:
    """The best supported nodes of the axis; the special one where a general one is supported too."""
    by_node: dict[str, list[Evidence]] = {}
    for one in found:
        by_node.setdefault(one.clue.node, []).append(one)
    general = {code for node in by_node for code in above.get(node, ())}
    yielding = {node for node, others in axis.yields.items() if by_node.keys() & set(others)}
    suggested = [_suggestion(some) for node, some in by_node.items() if node not in general | yielding]
    best = sorted((one for one in suggested if one.score >= axis.least), key=lambda one: -one.score)
    if axis.most == 1 and len(best) > 1 and best[0].score - best[1].score < axis.margin:
        return ()
    return tuple(best[: axis.most])


def _suggestion(found: Sequence[Evidence]) -> Suggestion:
    """One node's evidence summed up: places support each other, several words in one place do not."""
    by_place = [max(some, key=lambda one: one.clue.score) for _, some in groupby(_by_place(found), key=_place)]
    doubt = 1.0
    for one in by_place:
        doubt *= 1 - one.clue.score
    strongest = sorted(by_place, key=lambda one: -one.clue.score)
    clue = strongest[0].clue
    rules = tuple(dict.fromkeys(one.clue.rule for one in strongest))
    return Suggestion(clue.axis, clue.node, _reason(strongest[:MOST_REASONS]), round(1 - doubt, 3), rules)


def _by_place(found: Sequence[Evidence]) -> list[Evidence]:
    return sorted(found, key=_place)


def _place(one: Evidence) -> str:
    return one.place


def _reason(found: Sequence[Evidence]) -> str:
    said = "; ".join(f"{SAID[one.place]} “{one.quote}”" for one in found)
    return f"{said[0].upper()}{said[1:]}."


def about_type(found: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that counts for the issue type: where label or tag says it, other places can only agree.

    A question that shows an error may be a fault: nobody knows from the outside.
    """
    stated = {one.clue.node for one in found if one.place in STATED}
    if len(stated) != 1:
        return list(found)
    if stated == {QUESTION} and any(one.place == "error" and one.clue.node == FAULT for one in found):
        return []
    return [one for one in found if one.clue.node in stated]


def about_symptom(found: Sequence[Evidence], failure: Evidence | None, above: Above) -> list[Evidence]:
    """The evidence that counts for symptoms: what was written on purpose, else the first failure, else the prose.

    Where the title says it already, the failure only makes it special: a crash with a CUDA error is that error. A
    title that names no more than a kind of exception says less than the failure does.
    """
    said = [one for one in found if one.place in WRITTEN_ON_PURPOSE]
    named = {one.clue.node for one in said}
    failed = _where_raised(found, failure) if failure else []
    if named - KINDS_OF_EXCEPTIONS:
        fits = failure and named & {failure.clue.node, *above.get(failure.clue.node, ())}
        return [*said, failure] if failure and fits else said
    if said and failed and failed[0].clue.node in KINDS_OF_EXCEPTIONS:
        return [*said, *(one for one in failed if one.clue.node in named)]
    return failed or said or [one for one in found if one.place == "prose"]


def _where_raised(found: Sequence[Evidence], failure: Evidence) -> list[Evidence]:
    """The failure; an exception of any kind says less than where it was raised: in converting or reading a model."""
    places = {one.place for one in found} if failure.clue.node in KINDS_OF_EXCEPTIONS else set()
    where = next((place for place in ("call", "last_call") if place in places), None)
    return [one for one in found if one.place == where] if where else [failure]


def first_failure(lines: Sequence[Sequence[Evidence]]) -> int | None:
    """The place of the error line that a report is about, if that can be told: others only followed.

    `lines`: what each line is evidence of, nothing or one node.
    """
    known = [place for place, line in enumerate(lines) if line]
    own = [place for place in known if not lines[place][0].clue.follows]
    if len({lines[place][0].clue.node for place in own}) >= TOO_MANY_FAILURES:
        return None
    return next(iter(own or known), None)
