"""Orders of themes that studies published, from `published.yaml`."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

FILE = Path(__file__).parent / "published.yaml"
ORDINALS = ("1st", "2nd", "3rd")


def ordinal(number: int) -> str:
    """1 as `1st`; for numbers up to 20."""
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Tier(_Strict):
    """Themes of equal rank."""

    themes: tuple[str, ...]
    name: str = ""


class PublishedOrder(_Strict):
    """One group's order as some people see it; the file's head says what each field means."""

    slug: str
    group: Literal["A", "B", "C"]
    who: str
    role: Literal["", "user", "developer"] = ""
    experience: Literal["", "under_1", "from_1_to_3", "over_3"] = ""
    tiers: tuple[Tier, ...]
    rest: Literal["after", "unknown"]
    trust: Literal["primary", "secondary", "derived", "inferred"]
    place: str
    note: str = ""

    @property
    def themes(self) -> tuple[str, ...]:
        """Every theme that is named, best tier first."""
        return tuple(chain.from_iterable(tier.themes for tier in self.tiers))

    def position(self, code: str) -> int | None:
        """The number of the theme's tier, from 1; None for a theme that is not named."""
        for number, tier in enumerate(self.tiers, start=1):
            if code in tier.themes:
                return number
        return None

    def position_words(self, code: str) -> str:
        """The tier in words: its name, else `1st`, `2nd` and so on."""
        number = self.position(code)
        if number is None:
            return "not named"
        return self.tiers[number - 1].name or ordinal(number)

    def comparable(self, items: Sequence[str]) -> tuple[tuple[str, float], ...]:
        """The items that the order says something of, each with its position; see `rest`."""
        positions = []
        for code in items:
            position = self.position(code)
            if position is None and self.rest == "after":
                position = len(self.tiers) + 1
            if position is not None:
                positions.append((code, float(position)))
        return tuple(positions)


class Addition(_Strict):
    """Something that interviewees would add to a group's themes."""

    group: Literal["A", "B", "C"]
    who: str
    name: str
    means: str
    place: str
    theme: str = ""


class Published(_Strict):
    """A study's orders, and what its interviewees would add."""

    study: str
    sample: str
    orders: tuple[PublishedOrder, ...]
    additions: tuple[Addition, ...] = ()

    def additions_to(self, group: str) -> tuple[Addition, ...]:
        """What would be added to this group."""
        return tuple(addition for addition in self.additions if addition.group == group)


@cache
def published() -> Published:
    """The content of `published.yaml`. Raises `pydantic.ValidationError` where the file is not as it should be."""
    return Published.model_validate(yaml.safe_load(FILE.read_text()))
