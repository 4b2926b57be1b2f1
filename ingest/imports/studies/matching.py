"""Finding the node of a study's scheme that a cell means, by code or by the path of names.

Pure: takes the nodes' values, returns their ids. Names are compared without regard to case, width of
characters and the number of blanks.
"""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from ingest.imports.studies.mapping import AxisMapping, MappingError

Path = tuple[str, ...]
CACHE = 10_000
MAX_HINTS = 200


class UnknownValueError(ValueError):
    """No node is meant by a value; the message says what was looked for and what comes near."""


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node of the scheme, as far as matching needs it."""

    id: int
    code: str
    name: str
    parent: int | None


def fold(text: str) -> str:
    """The form in which names are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def split_path(value: str, separator: str | None) -> Path:
    """Take a path of names apart at the separator; blanks around it may be more than it has itself.

    `Crash - CUDA Error` falls apart at ' - ', `Multi-GPU` does not. Empty levels are dropped.
    """
    text = unicodedata.normalize("NFKC", value)
    if separator is None:
        return tuple(part for part in (text.strip(),) if part)
    separator = unicodedata.normalize("NFKC", separator)
    core = re.escape(separator.strip())
    left = r"\s+" if separator[0].isspace() else r"\s*"
    right = r"\s+" if separator[-1].isspace() else r"\s*"
    parts = re.split(f"{left}{core}{right}" if core else r"\s+", text)
    return tuple(part.strip() for part in parts if part.strip())


class NodeFinder:
    """Finds nodes of one axis. Equal cells are looked up once."""

    def __init__(self, mapping: AxisMapping, nodes: Iterable[NodeRef]) -> None:
        """Raises `MappingError` when the mapping names a node that the axis does not have."""
        self._mapping = mapping
        self._extract = re.compile(mapping.extract) if mapping.extract else None
        by_id = {node.id: node for node in nodes}
        self._by_code = {fold(node.code): node.id for node in by_id.values()}
        self._by_path = {_path(node, by_id): node.id for node in by_id.values()}
        self._spellings = {fold(variant): fold(name) for variant, name in mapping.spellings.items()}
        self._values: dict[str, int] = {}
        for value, code in mapping.values.items():
            if fold(code) not in self._by_code:
                raise MappingError(f"axis {mapping.axis}: values name '{code}', which is not one of its codes")
            self._values[fold(value)] = self._by_code[fold(code)]
        names = set(chain.from_iterable(self._by_path))
        for variant, name in self._spellings.items():
            if name not in names:
                raise MappingError(f"axis {mapping.axis}: spellings turn '{variant}' into an unknown '{name}'")
        self._hints = 0
        self._cached = lru_cache(CACHE)(self._find_all)

    def find_cell(self, cell: str) -> tuple[int, ...]:
        """Return the ids of the nodes that a cell means; empty for a blank cell. Raises `UnknownValueError`."""
        nodes = self._cached(cell)
        if isinstance(nodes, str):
            raise UnknownValueError(nodes)
        return nodes

    def _find_all(self, cell: str) -> tuple[int, ...] | str:
        """The nodes of a cell, or why there are none: an error raised would not be cached."""
        values = cell.split(self._mapping.many) if self._mapping.many else [cell]
        try:
            return tuple(dict.fromkeys(self._find(value) for value in values if value.strip()))
        except UnknownValueError as error:
            return str(error)

    def find_levels(self, cells: Path) -> tuple[int, ...]:
        """Return the node at the path given by one cell per level; levels may be blank from some depth on."""
        path = tuple(cell.strip() for cell in cells)
        while path and not path[-1]:
            path = path[:-1]
        return (self._at(path, " / ".join(path)),) if path else ()

    def _find(self, value: str) -> int:
        if self._extract:
            match = self._extract.search(value)
            if match is None or match.group(1) is None:
                raise UnknownValueError(f"'{_short(value)}' does not have the form that the mapping expects")
            value = match.group(1)
        key = fold(value)
        if key in self._values:
            return self._values[key]
        if self._mapping.match == "path":
            return self._at(split_path(value, self._mapping.split), value)
        if key in self._by_code:
            return self._by_code[key]
        raise UnknownValueError(self._unknown(value, [*self._by_code, *self._values]))

    def _at(self, path: Path, value: str) -> int:
        folded = tuple(self._spellings.get(fold(name), fold(name)) for name in path)
        if folded in self._by_path:
            return self._by_path[folded]
        raise UnknownValueError(self._unknown(value, [" / ".join(path) for path in self._by_path], folded))

    def _unknown(self, value: str, names: list[str], path: Path = ()) -> str:
        message = f"'{_short(value)}' is not a node of the axis {self._mapping.axis}"
        self._hints += 1  # looking for a near name is dear: a file full of wrong values gets the first hints only
        if self._hints > MAX_HINTS:
            return message
        text = (" / ".join(path) or fold(value))[:100]
        near = difflib.get_close_matches(text, names, n=1, cutoff=0.75)
        return f"{message}; did you mean '{near[0]}'" if near else message


def majority(votes: Iterable[int], *, needed: int) -> int | None:
    """Return the node with at least `needed` votes; None when no node has them."""
    for node, count in Counter(votes).most_common(1):
        if count >= needed:
            return node
    return None


def _path(node: NodeRef, by_id: Mapping[int, NodeRef]) -> Path:
    above = _path(by_id[node.parent], by_id) if node.parent is not None else ()
    return (*above, fold(node.name))


def _short(value: str) -> str:
    return value if len(value) <= 80 else value[:79] + "…"
