"""What pages and API call subjects, measures, cases and methods, and what was not measured (`wording.yaml`)."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from kb.core.quality.figures import Subject
from kb.core.yaml_files import Strict, Text, read_yaml

FILE = Path(__file__).with_name("wording.yaml")


class SubjectWords(Strict):
    """What is measured, how, and the command that measures it anew; empty where none can."""

    title: Text
    how: Text
    command: str


class MeasureWords(Strict):
    """A measure: its name in a table's head, what it means, and whether it is written as a percentage."""

    title: Text
    means: Text
    written_as: Literal["share", "number"] = Field(alias="as")


class Wording(Strict):
    """The whole file."""

    subjects: dict[Subject, SubjectWords]
    measures: dict[Text, MeasureWords]
    sets: dict[Text, Text]
    methods: dict[Text, Text]
    not_measured: tuple[Text, ...]


@cache
def wording() -> Wording:
    """All names. Raises `OSError` or `pydantic.ValidationError`."""
    return Wording.model_validate(read_yaml(FILE))
