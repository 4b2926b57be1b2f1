"""How a node is called and defined, as proposals carry it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wording:
    """How a node is to be called and defined."""

    code: str
    name: str
    definition: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def wording_of(values: Mapping[str, Any]) -> Wording:
    """The wording in a proposal's JSON."""
    return Wording(
        code=values["code"],
        name=values["name"],
        definition=values["definition"],
        include=tuple(values.get("include", ())),
        exclude=tuple(values.get("exclude", ())),
        examples=tuple(values.get("examples", ())),
        aliases=tuple(values.get("aliases", ())),
    )
