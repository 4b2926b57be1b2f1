"""The five circumstances of a record, and how two readers came to them: formats, and what is left to settle.

What each word asks for is in docs/circumstances.md. `circumstances.yaml` beside this file holds both readers' answers
about the records that were drawn; `labeling.agreement.records` measures how far they agree.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from kb.core.yaml_files import Strict, Text, read_yaml

READINGS = Path(__file__).parent / "circumstances.yaml"

FactKey = Literal["found_by", "reproduced_with", "fix_tested_by", "told_by", "reach"]
FACT_KEYS: tuple[FactKey, ...] = ("found_by", "reproduced_with", "fix_tested_by", "told_by", "reach")


class RecordCircumstances(Strict):
    """One word for each fact; nothing where it is not known."""

    found_by: Literal["user", "maintainer", "ci", "review"] | None = None
    reproduced_with: Literal["cpu", "one-device", "several-devices", "several-nodes", "not-reproduced"] | None = None
    fix_tested_by: Literal["new-test", "existing-test", "by-hand", "not-tested"] | None = None
    told_by: Literal["log", "log-and-more", "not-log"] | None = None
    reach: Literal["one", "across"] | None = None

    def word(self, fact: FactKey) -> str:
        """The word, or nothing."""
        return getattr(self, fact) or ""

    @property
    def words(self) -> dict[str, str]:
        """The word of every fact, empty where it is not known."""
        return {fact: self.word(fact) for fact in FACT_KEYS}


class SettledFact(Strict):
    """The word that was kept where two readers differ, and why; where nothing was kept, the fact is not known."""

    fact: FactKey
    kept: Text
    why: Text


class Reading(Strict):
    """What two readers, blind to each other, said of one record, and what was settled of it."""

    url: Text
    first: RecordCircumstances = RecordCircumstances()
    second: RecordCircumstances = RecordCircumstances()
    settled: tuple[SettledFact, ...] = Field(default=(), max_length=len(FACT_KEYS))

    def outcome(self, fact: FactKey) -> str:
        """What the record has to say: the word that both gave, or the one that was kept."""
        first, second = self.first.word(fact), self.second.word(fact)
        if first == second:
            return first
        return next((settled.kept for settled in self.settled if settled.fact == fact), "")


class Readings(Strict):
    """All of them."""

    readings: tuple[Reading, ...]


def read_readings(path: Path = READINGS) -> tuple[Reading, ...]:
    """The readings. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return Readings.model_validate(read_yaml(path)).readings


def differences(circumstances: RecordCircumstances, reading: Reading) -> Iterator[str]:
    """A sentence for each fact where the record does not say what its readers came to."""
    settled = {each.fact for each in reading.settled}
    for fact in FACT_KEYS:
        word, outcome = circumstances.word(fact), reading.outcome(fact)
        if fact in settled and reading.first.word(fact) == reading.second.word(fact):
            yield f"{fact}: both readers agree, so there is nothing to settle"
        elif word != outcome:
            yield f"{fact}: the record says {word or 'nothing'}, its readers came to {outcome or 'nothing'}"
