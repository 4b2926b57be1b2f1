"""The file of what a report needs by its symptom, and its checks. How a draft is read is in `reading`."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from kb.core.setups.vocabulary import vocabulary
from kb.core.yaml_files import Strict, Text, read_yaml

FILE = Path(__file__).with_name("facts.yaml")
# What the readers of set-ups tell besides the facts of their vocabulary.
PARTS = frozenset({"packages", "command", "script", "settings"})
Code = Annotated[str, StringConstraints(pattern=r"^[a-z]+(-[a-z]+)*$")]


def _pattern(text: str) -> str:
    """The pattern. Raises `ValueError` where it is none."""
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is no pattern: {error}") from error
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


class ReportFact(Strict):
    """Something that a report may need."""

    name: Text
    why: Text
    get: Text
    reads: tuple[str, ...] = ()
    signs: tuple[Pattern, ...] = ()

    @model_validator(mode="after")
    def can_be_found(self) -> "ReportFact":
        """It is known by something, and readers know what it names."""
        if not self.reads and not self.signs:
            raise ValueError("give reads or signs")
        unknown = set(self.reads) - PARTS - set(vocabulary())
        if unknown:
            raise ValueError(f"no reader tells {', '.join(sorted(unknown))}")
        return self


class ReportSymptom(Strict):
    """What a report of one symptom needs, and what helps besides."""

    name: Text
    covers: tuple[Code, ...] = Field(min_length=1)
    words: tuple[Text, ...] = Field(min_length=2, description="What people write of it, in small letters.")
    needs: tuple[Code, ...] = Field(min_length=2, max_length=8)
    helps: tuple[Code, ...] = Field(default=(), max_length=6)


class ReportFacts(Strict):
    """`facts.yaml`."""

    facts: dict[Code, ReportFact]
    symptoms: dict[Code, ReportSymptom]

    @model_validator(mode="after")
    def fits_together(self) -> "ReportFacts":
        """Every fact that a symptom names is there, once; every symptom of the codebook is covered once at most."""
        for problem in _problems(self):
            raise ValueError(problem)
        return self

    def entry_of(self, symptom: str) -> str:
        """The entry that covers this symptom of the house codebook; empty where none does."""
        return next((code for code, entry in self.symptoms.items() if symptom in entry.covers), "")


def _problems(facts: ReportFacts) -> Iterator[str]:
    seen: set[str] = set()
    for code, entry in facts.symptoms.items():
        named = (*entry.needs, *entry.helps)
        if unknown := set(named) - set(facts.facts):
            yield f"{code}: there is no fact {', '.join(sorted(unknown))}"
        if len(set(named)) < len(named):
            yield f"{code}: names a fact twice"
        if twice := seen.intersection(entry.covers):
            yield f"{code}: {', '.join(sorted(twice))} is covered by another"
        seen.update(entry.covers)


@cache
def report_facts() -> ReportFacts:
    """What reports need. Raises `pydantic.ValidationError` where the file is not as it should be."""
    return ReportFacts.model_validate(read_yaml(FILE))
