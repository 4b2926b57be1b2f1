"""How much each word of an error line tells, and when two lines are the same error. Which issues have a line is
`error_matches`."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from kb.core.diagnosis.signature import EXCEPTION, lasting
from kb.core.search.normalise import words
from kb.core.telling import COMMON, PYTHONS

SAY_LITTLE, PYTHON_WORDS = frozenset(words(" ".join(COMMON))), frozenset(words(" ".join(PYTHONS)))
# Two lines are the same error if they share so much of the known one's weight, and so much in all: a rare word's worth.
SAME, LEAST_WEIGHT = 0.8, 0.85
# A word that no issue has weighs less than a rare one: it may be somebody's own name for something.
UNSEEN = 0.5
DIGITS = re.compile(r"\d+")


class LineWeights:
    """How much each word tells, from 0 to 1: the fewer texts have it, the more."""

    def __init__(self, frequencies: Mapping[str, int], size: int) -> None:
        self._frequencies = frequencies
        self._most = math.log(max(size, 1) + 1)

    def of(self, word: str) -> float:
        """The weight of a word: near 1 if one text has it, 0 if all of them do."""
        if word in SAY_LITTLE or word.isdigit():
            return 0.0
        if not (count := self._frequencies.get(word, 0)):
            return UNSEEN
        weight = 1 - math.log(count + 1) / self._most
        return weight / 2 if word in PYTHON_WORDS else weight

    def sum(self, several: Iterable[str]) -> float:
        """The weight of these words."""
        return sum(map(self.of, several))


# The lines that records are known by come up again and again.
@lru_cache(8_192)
def line_words(line: str) -> frozenset[str]:
    """The words of an error line by which it is compared with others: none of what differs between runs."""
    return frozenset(words(lasting(line)))


def message_words(line: str) -> frozenset[str]:
    """The words of an error line by which it is looked for in prose: nobody writes half of `RuntimeError` there."""
    return frozenset(words(EXCEPTION.sub(_telling_name, lasting(line)))) or line_words(line)


def _telling_name(match: re.Match[str]) -> str:
    return "" if match[1].lower() in COMMON else match[0]


def without_numbers(word: str) -> str:
    """A word as `lasting` leaves it in a line: `fp0e0nv` for `fp8e4nv`."""
    return DIGITS.sub("0", word)


def is_same_line(shared: float, known: float) -> bool:
    """Whether a line is the known one, by the weight that they share and the known one's own."""
    return shared >= SAME * known and shared >= LEAST_WEIGHT
