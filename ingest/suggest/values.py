"""What goes in and out: the words of the codebook, the evidence that was found, the suggestions. Pure."""

from dataclasses import dataclass

from ingest.suggest.rules import Place


@dataclass(frozen=True, slots=True)
class NodeWords:
    """An active node of the house codebook: where it stands and how people call it."""

    axis: str
    code: str
    name: str
    aliases: tuple[str, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Clue:
    """What certain words in a certain place speak for. `order` is the rule's place in its file."""

    rule: str
    axis: str
    node: str
    score: float
    order: int
    begins: bool = False
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """A clue that was found, in the report's own words."""

    clue: Clue
    place: Place
    quote: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A node that may fit, and why, in a sentence that quotes the report.

    `score` tells how strong the evidence is (0 to 1, no probability), `rules` by which rules it was found.
    """

    axis: str
    node: str
    reason: str
    score: float
    rules: tuple[str, ...]
