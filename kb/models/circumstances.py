"""The circumstances of a fault that studies label: five facts of a described issue, each one word or not known.

What each word asks for is in docs/circumstances.md; records state them (`kb.starter.circumstances`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.db import models


class FoundBy(models.TextChoices):
    """Who noticed it first."""

    USER = "user", "Found by a user"
    MAINTAINER = "maintainer", "Found by a developer"
    CI = "ci", "Found by tests or CI"
    REVIEW = "review", "Found by reading code"


class ReproducedWith(models.TextChoices):
    """The least that shows it."""

    CPU = "cpu", "Shows on a CPU"
    ONE_DEVICE = "one-device", "Shows on one device"
    SEVERAL_DEVICES = "several-devices", "Takes several devices"
    SEVERAL_NODES = "several-nodes", "Takes several machines"
    NOT_REPRODUCED = "not-reproduced", "Not reproduced"


class FixTestedBy(models.TextChoices):
    """How what cures it was tested."""

    NEW_TEST = "new-test", "Fix has a new test"
    EXISTING_TEST = "existing-test", "Fix tried by existing tests"
    BY_HAND = "by-hand", "Fix tried by hand"
    NOT_TESTED = "not-tested", "Fix not tested"


class ToldBy(models.TextChoices):
    """Whether the failing run's own output tells the cause."""

    LOG = "log", "Told by its log"
    LOG_AND_MORE = "log-and-more", "Told by its log and more"
    NOT_LOG = "not-log", "Not told by its log"


class Reach(models.TextChoices):
    """Whether cause and repair lie in one component."""

    ONE = "one", "Lies in one component"
    ACROSS = "across", "Lies across components"


class Fact(NamedTuple):
    """A fact's key, its question, and the words that answer it."""

    key: str
    question: str
    words: type[models.TextChoices]


class KnownFact(NamedTuple):
    """What is known of an issue: the fact's key, the word, and the word's name."""

    key: str
    word: str
    name: str


FACTS = (
    Fact("found_by", "Who found it?", FoundBy),
    Fact("reproduced_with", "What shows it?", ReproducedWith),
    Fact("fix_tested_by", "How was the fix tested?", FixTestedBy),
    Fact("told_by", "What tells the cause?", ToldBy),
    Fact("reach", "How far does it reach?", Reach),
)


def _fact(words: type[models.TextChoices], *, most: int, about: str) -> "models.CharField[str, str]":
    return models.CharField(
        max_length=most, choices=words.choices, blank=True, default="", db_default="", help_text=about
    )


class Circumstances(models.Model):
    """The five facts; empty where one is not known."""

    found_by = _fact(FoundBy, most=10, about="Who noticed it first.")
    reproduced_with = _fact(ReproducedWith, most=15, about="The least that shows it.")
    fix_tested_by = _fact(FixTestedBy, most=13, about="How what cures it was tested.")
    told_by = _fact(ToldBy, most=12, about="Whether the failing run's own output tells the cause.")
    reach = _fact(Reach, most=6, about="Whether cause and repair lie in one component.")

    class Meta:
        abstract = True

    @property
    def known_facts(self) -> list[KnownFact]:
        """What is known of the five, in their order."""
        return list(self._known_facts())

    def _known_facts(self) -> Iterator[KnownFact]:
        for fact in FACTS:
            word = getattr(self, fact.key)
            if word in fact.words.values:
                yield KnownFact(fact.key, word, str(fact.words(word).label))
