"""A suggester that knows the house codebook, and short ways to ask it."""

from functools import cache

from ingest.suggest import NodeWords, Suggester, Suggestion
from kb.codebook.format import walk
from kb.codebook.load import read_codebook


@cache
def house_words() -> tuple[NodeWords, ...]:
    """The active nodes of `house.yaml`."""
    house = read_codebook().house
    return tuple(
        NodeWords(axis.code, node.code, node.name, node.aliases, parent)
        for axis in house.axes
        for node, parent in walk(axis.nodes)
        if node.status == "active"
    )


@cache
def suggester() -> Suggester:
    """Compiled once for all tests."""
    return Suggester(house_words())


def suggest(title: str, body: str = "", *labels: str) -> tuple[Suggestion, ...]:
    """What is suggested for a report."""
    return suggester().suggest(title, body, labels)


def codes(title: str, body: str = "", *labels: str, axis: str) -> list[str]:
    """The codes that are suggested on one axis."""
    return [one.node for one in suggest(title, body, *labels) if one.axis == axis]
