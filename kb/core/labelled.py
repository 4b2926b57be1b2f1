"""Enumerations whose values have words for people. Models have Django's `TextChoices` for that."""

from enum import StrEnum
from typing import Self


class Labelled(StrEnum):
    """Each member is written as its value and its label."""

    label: str

    def __new__(cls, value: str, label: str) -> Self:
        """A member."""
        member = str.__new__(cls, value)
        member._value_, member.label = value, label
        return member
