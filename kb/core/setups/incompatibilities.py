"""Versions and hardware that do not go together, by their makers' tables: `incompatibilities.yaml`, read once."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import field_validator

from kb.core.setups.answers import ConditionError
from kb.core.setups.conditions import compiled
from kb.core.setups.known_faults import KnownFault, Severity
from kb.core.yaml_files import Strict, Text, read_yaml

FILE = Path(__file__).with_name("incompatibilities.yaml")


class Incompatibility(Strict):
    """An entry of the file."""

    title: Text
    when: Text
    change: Text
    source: Text
    severity: Literal["silent", "hang", "crash", "setup"]
    unless: str = ""

    @field_validator("when")
    @classmethod
    def is_condition(cls, text: str) -> str:
        """Raises `ValueError` for what is no condition."""
        try:
            compiled(text)
        except ConditionError as error:
            raise ValueError(str(error)) from error
        return text


class _File(Strict):
    incompatibilities: tuple[Incompatibility, ...]


@cache
def incompatibilities() -> tuple[KnownFault, ...]:
    """All of them, as known faults. Raises `pydantic.ValidationError` if the file is wrong, which a test would tell."""
    entries = _File.model_validate(read_yaml(FILE)).incompatibilities
    return tuple(
        KnownFault(
            url=entry.source,
            title=entry.title,
            rows=(),
            condition=entry.when,
            severity=Severity[entry.severity.upper()],
            workaround=entry.change,
            kind="incompatibility",
            unless=entry.unless,
        )
        for entry in entries
    )
