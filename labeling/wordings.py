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
    """The wording that was kept as JSON."""
    fields: dict[str, Any] = {key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}
    return Wording(**fields)
