"""Two sides of a comparison: an error line that failed, and the texts of an issue. `error_matches` compares them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from kb.core.search.cards import Card, CardNode
from kb.core.search.error_signals import signals_of_lines, telling_signal
from kb.core.search.line_weights import PYTHON_WORDS, LineWeights, line_words, message_words, without_numbers
from kb.core.search.normalise import words
from kb.core.search.sections import telling_lines
from kb.core.secrets import mask

MOST_BODY = 20_000
# The same few issues come near most of what fails. Of each some 20 kB are kept.
ISSUES_KEPT = 512
# What of a line's weight is not Python's own sentence; below, any program may end with such a line.
LEAST_OWN = 0.4


@dataclass(frozen=True)
class ErrorLine:
    """An error line as it is compared.

    `words`, `weight`: what is looked for in an issue's prose; `whole`: what is compared with lines that issues quote.
    `is_common`: any program may end with it, or a signal knows it, so that many faults say it. `is_consequence`: it
    follows from something else. `is_described`: it is not of the log.
    """

    words: frozenset[str]
    weight: float
    whole: frozenset[str] = frozenset()
    is_common: bool = False
    is_consequence: bool = False
    is_described: bool = False

    def may_be_same(self, *, is_framework: bool) -> bool:
        """Can an issue with this line be the same error? `is_framework`: the log names the issue's framework."""
        return not (self.is_described or self.is_consequence) and (is_framework or not self.is_common)

    @classmethod
    def of(cls, text: str, weights: LineWeights) -> "ErrorLine":
        """The line as its words weigh."""
        own = line_words(text)
        signal = telling_signal(text)
        is_common = weights.sum(own - PYTHON_WORDS) < LEAST_OWN or signal is not None
        message = message_words(text)
        is_cascade = signal is not None and signal.role == "cascade"
        return cls(message, weights.sum(message), own, is_common, is_cascade)


class StoredTexts(NamedTuple):
    """What is kept of an issue beside its card: the lines it is known by and also seen with, its fix, its report.

    `titles`: our own and the report's; `summary`: ours.
    """

    recognise: tuple[str, ...]
    also_seen: tuple[str, ...]
    resolution: str
    body: str = ""
    titles: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True)
class IssueTexts:
    """What an issue says, worked out where it is asked for. `nodes`: categories that the run has, too."""

    card: Card
    issue: StoredTexts
    nodes: tuple[CardNode, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The error lines that the issue is known by, or that its report quotes."""
        return _lines(self.issue)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all that it says, with their numbers and without."""
        return _words(self.issue) | _with_lasting(words(f"{self.card.title}\n{self.card.text}"))

    @cached_property
    def signals(self) -> frozenset[str]:
        """The signals of its own lines."""
        return frozenset(signals_of_lines((self.card.title, *self.lines)))


@lru_cache(ISSUES_KEPT)
def _lines(issue: StoredTexts) -> tuple[str, ...]:
    # What is quoted holds no secret that somebody pasted.
    return (*issue.recognise, *telling_lines(mask(issue.body[:MOST_BODY]).text))


@lru_cache(ISSUES_KEPT)
def _words(issue: StoredTexts) -> frozenset[str]:
    return _with_lasting(words("\n".join((*_lines(issue), *issue.also_seen, issue.resolution))))


def _with_lasting(found: list[str]) -> frozenset[str]:
    # Most words are letters only, and a pattern takes longer than this look.
    return frozenset(found).union(without_numbers(word) for word in found if not word.isalpha())
