"""Nodes, sources and repositories as documents need them: read once per batch, worked out once per row.

A label then costs a few look-ups. Nothing here depends on an issue.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any
from urllib.parse import quote

from django.db import connection
from django.urls import reverse

from kb.core.search.cards import CardNode, CardSource
from kb.core.search.lexicon import node_name
from kb.core.search.normalise import words
from kb.filters.issues import AXIS_KEYS
from kb.services.labels import SILENT_AXES

FILTER_KEYS = {axis: key for key, axis in AXIS_KEYS.items()}
SHOWN_AXES = ("symptom", "root_cause", "fix_pattern")
TRUSTED = ("curated", "consensus")
# The kind of the source that holds what rules suggest.
SUGGESTED = "rule"

NODES = """
SELECT n.id, s.slug, s.study_id IS NULL, a.code, n.name, p.name,
    array_remove(ARRAY[n.code, p.code, g.code]::text[], NULL),
    (row_number() OVER (ORDER BY a.position, n.position, n.id))::int
FROM kb_node n JOIN kb_axis a ON a.id = n.axis_id JOIN kb_scheme s ON s.id = a.scheme_id
LEFT JOIN kb_node p ON p.id = n.parent_id LEFT JOIN kb_node g ON g.id = p.parent_id
"""
SOURCES = """
SELECT s.id, s.slug, s.name, s.kind, coalesce(study.code, ''), s.confidence
FROM kb_source s LEFT JOIN kb_study study ON study.id = s.study_id
"""
REPOSITORIES = """
SELECT r.id, r.host, r.full_name, f.slug, f.name
FROM kb_repository r JOIN kb_framework f ON f.id = r.framework_id
"""


@dataclass(frozen=True)
class KnownNode:
    """A node: `codes` and `paths` (`scheme/code`) are its own and those of the nodes above it."""

    scheme: str
    is_house: bool
    axis: str
    name: str
    parent_name: str | None
    codes: tuple[str, ...]
    position: int

    @cached_property
    def key(self) -> str | None:
        """The filter that asks for this node by its code alone; None for a study's category."""
        return FILTER_KEYS.get(self.axis) if self.is_house else None

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The values of the filter `node`."""
        return tuple(f"{self.scheme}/{code}" for code in self.codes)

    @cached_property
    def held(self) -> tuple[str, ...]:
        """What a source that holds the node holds, in the form `key/value`."""
        by_key = tuple(f"{self.key}/{code}" for code in self.codes) if self.key else ()
        return by_key + tuple(f"node/{path}" for path in self.paths)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What stands for this node and those above it in texts and features, where it has `words`."""
        return tuple(node_name(self.axis, code) for code in self.codes) if self.words else ()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words by which an issue with this node is found."""
        if not self.is_house or self.axis in SILENT_AXES:
            return ()
        return tuple(words(f"{self.name} {self.parent_name or ''}"))

    @cached_property
    def card(self) -> CardNode | None:
        """How a card shows it; None where cards do not."""
        if not self.is_house or self.axis not in SHOWN_AXES:
            return None
        return CardNode(self.codes[0], self.name, reverse("node", args=(self.scheme, self.axis, self.codes[0])))


@dataclass(frozen=True)
class KnownRepository:
    """A repository and its framework."""

    host: str
    full_name: str
    framework: str
    framework_name: str

    @cached_property
    def _names(self) -> tuple[str, str]:
        owner, _, name = self.full_name.partition("/")
        address = reverse("issue", args=(self.host, owner, name, "0"))
        return name, address.removesuffix("0")

    def short_name(self, ref: str) -> str:
        """What `Issue.short_name` gives."""
        return f"{self._names[0]}#{ref}"

    def page(self, ref: str, public_id: str) -> str:
        """What `Issue.get_absolute_url` gives, without looking through all addresses each time."""
        return _faults_page() + public_id if public_id else self._names[1] + quote(ref)


@cache
def _faults_page() -> str:
    """What stands before a public id in the address of its page."""
    return reverse("fault", args=("FB-0",)).removesuffix("FB-0")


class Vocabulary:
    """Everything that documents share, by id."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(NODES)
            self.nodes = {pk: _known_node(row) for pk, *row in cursor.fetchall()}
            cursor.execute(SOURCES)
            self.sources = {pk: CardSource(*row) for pk, *row in cursor.fetchall()}
            cursor.execute(REPOSITORIES)
            self.repositories = {pk: _known_repository(*row) for pk, *row in cursor.fetchall()}
        self._label_values: dict[tuple[int, int], tuple[tuple[str, tuple[str, ...]], ...]] = {}

    def knows(self, source: int, node: int) -> bool:
        """Were both there when this was read?"""
        return source in self.sources and node in self.nodes

    def shown(self, nodes: Iterable[int]) -> dict[str, list[CardNode]]:
        """What cards show of these nodes, by axis, each once and in the codebook's order."""
        cards: dict[str, list[CardNode]] = {}
        for node in sorted((self.nodes[pk] for pk in set(nodes)), key=lambda node: node.position):
            if node.card:
                cards.setdefault(node.axis, []).append(node.card)
        return cards

    def label_values(self, source: int, node: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What a label adds to the strings that filters ask for, by filter key and in order.

        `held`: as `source|key/value`. What rules suggest is held, and no more: only who asks for its source finds it.
        """
        pair = (source, node)
        if pair not in self._label_values:
            self._label_values[pair] = tuple(_label_values(self.sources[source], self.nodes[node]))
        return self._label_values[pair]


def _label_values(source: CardSource, node: KnownNode) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "held", tuple(sorted({f"{source.slug}|{held}" for held in node.held}))
    yield "trust", (source.kind,)
    yield "source", (source.slug,)
    if source.kind != SUGGESTED:
        yield "node", tuple(sorted(set(node.paths)))
        if node.key:
            yield node.key, tuple(sorted(set(node.codes)))


def _known_node(row: Sequence[Any]) -> KnownNode:
    scheme, is_house, axis, name, parent, codes, position = row
    return _cached_node(scheme, is_house, axis, name, parent, tuple(codes), position)


# What was worked out for a node or a repository is kept as long as its row says the same.
_cached_node = lru_cache(10_000)(KnownNode)
_known_repository = lru_cache(10_000)(KnownRepository)
