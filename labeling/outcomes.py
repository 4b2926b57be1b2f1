"""From the votes on one axis of one issue to what they say together: agreed, by majority, or in conflict. Pure.

Screening asks something else of the whole vote: does everybody exclude the issue?

Where an axis takes several nodes, the majority is asked node by node: what more than half of the voters named.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from labeling.ballots import Choice


class How(Enum):
    """How far the votes go together."""

    NO_VOTES = "no_votes"
    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Outcome:
    """What the votes say together; an empty choice where they say nothing together.

    `support`: how many of the `votes` gave exactly this answer.
    """

    how: How
    choice: Choice
    votes: int
    support: int


def outcome(choices: Sequence[Choice]) -> Outcome:
    """The outcome of these votes; the order of votes and of codes does not count."""
    answers = [_normal(choice) for choice in choices]
    if not answers:
        return Outcome(How.NO_VOTES, Choice(), 0, 0)
    support = Counter(answers)
    if len(support) == 1:
        return Outcome(How.UNANIMOUS, answers[0], len(answers), len(answers))
    together = _majority(answers)
    if together == Choice():
        return Outcome(How.CONFLICT, together, len(answers), 0)
    return Outcome(How.MAJORITY, together, len(answers), support[together])


def same(one: Choice, other: Choice) -> bool:
    """Are these the same answer, in whatever order their codes stand?"""
    return _normal(one) == _normal(other)


def is_excluded(votes: Sequence[Collection[tuple[str, str]]], excluding: Collection[tuple[str, str]]) -> bool:
    """Does a screening take an issue out? Only if somebody voted, and all named an excluding answer (study P5).

    A vote is its answers over all axes as pairs (axis, code); which of the excluding ones it names does not matter.
    """
    return bool(votes) and all(any(answer in excluding for answer in vote) for vote in votes)


def _majority(answers: Sequence[Choice]) -> Choice:
    """What more than half said; empty when that is nothing."""
    if sum(answer.is_undecidable for answer in answers) * 2 > len(answers):
        return Choice(is_undecidable=True)
    named = Counter(code for answer in answers for code in answer.codes)
    return Choice(tuple(sorted(code for code, count in named.items() if count * 2 > len(answers))))


def _normal(choice: Choice) -> Choice:
    return Choice(tuple(sorted(set(choice.codes))), choice.is_undecidable)
