"""The outcome of the votes on one axis of one issue: unanimous, by majority, or in conflict. Pure.

Where an axis takes several nodes, the majority is counted node by node: those that more than half of the voters named.
Screening looks at whole votes instead: an issue is out when all of them, or most of them, exclude it.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from labeling.ballots import Choice, number_in, number_text


class How(Enum):
    """How far the votes go together."""

    NO_VOTES = "no_votes"
    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Outcome:
    """How the votes come out, and the answer they give; an empty choice where they conflict.

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
    common, number = support.most_common(1)[0]
    if sum(answer.is_undecidable for answer in answers) * 2 > len(answers):
        majority = Choice(is_undecidable=True)
    elif common.text and number * 2 > len(answers):
        majority = common
    else:
        named: Counter[str] = Counter()
        for answer in answers:
            named.update(answer.codes)
        majority = Choice(tuple(sorted(code for code, count in named.items() if count * 2 > len(answers))))
    if majority == Choice():
        return Outcome(How.CONFLICT, majority, len(answers), 0)
    return Outcome(How.MAJORITY, majority, len(answers), support[majority])


def same(choice: Choice, other: Choice) -> bool:
    """Whether two choices are the same answer; the order of their codes does not count."""
    return _normal(choice) == _normal(other)


def speaks_for_itself(choice: Choice, *, votes: Sequence[Choice], opinion: Choice) -> bool:
    """Whether a decision needs no reason: it is the adjudicator's first opinion, and somebody voted for it blind."""
    return same(choice, opinion) and any(same(choice, vote) for vote in votes)


def is_excluded(
    votes: Sequence[Collection[tuple[str, str]]], excluding: Collection[tuple[str, str]], *, by_majority: bool = False
) -> bool:
    """Whether a screening excludes an issue: every vote (study P5), or more than half of them, has an excluding answer.

    A vote is its answers over all axes as pairs (axis, code); votes need not agree on which excluding answer. Without
    votes an issue stays.
    """
    against = sum(not set(excluding).isdisjoint(vote) for vote in votes)
    return against * 2 > len(votes) if by_majority else 0 < against == len(votes)


def _normal(choice: Choice) -> Choice:
    number = number_in(choice.text)
    text = choice.text.strip() if number is None else number_text(number)
    return Choice(tuple(sorted(set(choice.codes))), choice.is_undecidable, text)
