"""Two sides of a comparison: an error line that failed, and the texts of an issue. `error_matches` compares them."""

from dataclasses import dataclass
from functools import cached_property

from kb.core.secrets import mask
from kb.models import Issue
from kb.search.cards import Card, CardNode
from kb.search.error_signals import signals_of_lines, telling_signal
from kb.search.line_weights import PYTHON_WORDS, LineWeights, line_words
from kb.search.normalise import words
from kb.search.sections import telling_lines

MOST_BODY = 20_000
# What of a line's weight is not Python's own sentence; below, any program may end with such a line.
LEAST_OWN = 0.4


@dataclass(frozen=True)
class ErrorLine:
    """An error line as it is compared.

    `is_common`: any program may end with it, or a signal knows it, so that many faults say it. `is_consequence`: it
    follows from something else. `is_described`: it is not of the log.
    """

    words: frozenset[str]
    weight: float
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
        return cls(own, weights.sum(own), is_common, signal is not None and signal.role == "cascade")


@dataclass(frozen=True)
class IssueTexts:
    """What an issue says, worked out where it is asked for. `nodes`: categories that the run has, too."""

    card: Card
    issue: Issue
    nodes: tuple[CardNode, ...]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The error lines that the issue is known by, or that its report quotes."""
        # What is quoted holds no secret that somebody pasted.
        return (*self.issue.recognise, *telling_lines(mask(self.issue.body[:MOST_BODY]).text))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all that it says."""
        said = (self.card.title, *self.lines, *self.issue.also_seen, self.card.text, self.issue.resolution)
        return frozenset(words("\n".join(said)))

    @cached_property
    def signals(self) -> frozenset[str]:
        """The signals of its own lines."""
        return frozenset(signals_of_lines((self.card.title, *self.lines)))
