"""How a node is called and defined, as proposals carry it. Pure."""

from dataclasses import dataclass

from pydantic import TypeAdapter


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


WORDINGS = TypeAdapter(Wording)


def wording_of(values: object) -> Wording:
    """The wording in a proposal's JSON. Raises `pydantic.ValidationError`."""
    return WORDINGS.validate_python(values)
