"""Sorted lists, cut into pages by number or by cursor, and the Link header that leads from one to the next.

A list is sorted once for each version of its repository. A cursor is a place in the order, not a count: what moves
while somebody pages shifts numbered pages but not what lies behind a cursor, as on GitHub.
"""

import base64
import binascii
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, TypeVar
from urllib.parse import quote

from tests.doubles.github.values import Comment, Item, Repository

T = TypeVar("T")
Key = Callable[[T], tuple[int, int]]
MARK = b"cursor:v2:"

ITEM_KEYS: dict[str, Key[Item]] = {
    "created": attrgetter("created_at", "id"),
    "updated": attrgetter("updated_at", "id"),
    "comments": lambda item: (len(item.comments), item.id),
}
COMMENT_KEYS: dict[str, Key[Comment]] = {
    "created": attrgetter("created_at", "id"),
    "updated": attrgetter("updated_at", "id"),
    "id": attrgetter("id", "id"),
}


def sorted_items(repository: Repository, state: str, sort: str) -> list[Item]:
    """Issues and pull requests of a state, or of all, ascending. Do not change the list."""
    views = repository.views
    name = ("items", state, sort)
    if name not in views or views[name][0] != repository.version:
        items = [item for item in repository.items.values() if state in (item.state, "all")]
        views[name] = (repository.version, sorted(items, key=ITEM_KEYS[sort]))
    return views[name][1]


def sorted_comments(repository: Repository, sort: str) -> list[Comment]:
    """All comments of a repository, ascending. Do not change the list."""
    views = repository.views
    name = ("comments", sort)
    if name not in views or views[name][0] != repository.version:
        comments = [comment for item in repository.items.values() for comment in item.comments]
        views[name] = (repository.version, sorted(comments, key=COMMENT_KEYS[sort]))
    return views[name][1]


def cursor(key: tuple[int, int]) -> str:
    """A place in an order as GitHub writes it: MessagePack of the sort value and the id, in base64."""
    packed = b"\x92" + b"".join(b"\xcf" + part.to_bytes(8, "big") for part in key)
    return base64.b64encode(MARK + packed).decode()


def place(text: str) -> tuple[int, int]:
    """The place that a cursor names. Raises `ValueError`."""
    try:
        packed = base64.b64decode(text, validate=True).removeprefix(MARK)
    except binascii.Error as error:
        raise ValueError(f"{text} is no cursor") from error
    if len(packed) != 19:
        raise ValueError(f"{text} is no cursor")
    return int.from_bytes(packed[2:10], "big"), int.from_bytes(packed[11:], "big")


@dataclass
class Ordered(Generic[T]):
    """A list ascending by `key`, read from either end."""

    values: Sequence[T]
    key: Key[T]
    descending: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def cut(self, start: int, end: int) -> list[T]:
        """Values from `start` to before `end`, counted in reading direction."""
        start, end = max(0, start), min(len(self.values), max(0, end))
        if start >= end:
            return []
        if not self.descending:
            return list(self.values[start:end])
        count = len(self.values)
        return list(self.values[count - end : count - start])[::-1]

    def after(self, text: str) -> int:
        """The index of the first value behind a cursor. Raises `ValueError`."""
        if self.descending:
            return len(self.values) - bisect_left(self.values, place(text), key=self.key)
        return bisect_right(self.values, place(text), key=self.key)

    def before(self, text: str) -> int:
        """The index behind the last value before a cursor. Raises `ValueError`."""
        if self.descending:
            return len(self.values) - bisect_right(self.values, place(text), key=self.key)
        return bisect_left(self.values, place(text), key=self.key)

    def cursor_at(self, index: int) -> str:
        """The place of the value at an index in reading direction."""
        return cursor(self.key(self.values[-1 - index if self.descending else index]))

    def since(self, moment: int, key: Callable[[T], int], *, is_sorted_by_it: bool) -> "Ordered[T]":
        """Only what is not older than the moment."""
        if is_sorted_by_it:
            return Ordered(self.values[bisect_left(self.values, moment, key=key) :], self.key, self.descending)
        return Ordered([value for value in self.values if key(value) >= moment], self.key, self.descending)


class Kept(Ordered[T]):
    """A short list in the order in which it is kept; its cursors are counts."""

    def __init__(self, values: Sequence[T]) -> None:
        super().__init__(values, key=lambda _: (0, 0))

    def after(self, text: str) -> int:
        """The index of the first value behind a cursor. Raises `ValueError`."""
        return place(text)[0] + 1

    def before(self, text: str) -> int:
        """The index behind the last value before a cursor. Raises `ValueError`."""
        return place(text)[0]

    def cursor_at(self, index: int) -> str:
        """The place of the value at an index."""
        return cursor((index, 0))


@dataclass
class Page(Generic[T]):
    """One page and its Link header; the header is blank when there is one page only."""

    values: list[T]
    link: str


def numbered_page(listed: Ordered[T], address: str, query: dict[str, str], number: int, size: int) -> Page[T]:
    """A page by its number, with links to the previous, next, last and first by theirs."""
    last = max(1, -(-len(listed) // size))
    rels: list[tuple[str, int]] = []
    if number > 1:
        rels.append(("prev", min(number - 1, last)))
    if number < last:
        rels += [("next", number + 1), ("last", last)]
    if number > 1:
        rels.append(("first", 1))
    links = [(_address(address, query | {"page": str(page)}), rel) for rel, page in rels]
    return Page(listed.cut((number - 1) * size, number * size), _header(links))


def cursor_page(listed: Ordered[T], address: str, query: dict[str, str], number: int, size: int) -> Page[T]:
    """A page by cursor, with links to the next and the previous one only; a page number counts along.

    Raises `ValueError` for a cursor that is none.
    """
    if query.get("after"):
        start = listed.after(query["after"])
        end = start + size
    elif query.get("before"):
        end = listed.before(query["before"])
        start = max(0, end - size)
    else:
        start, end = (number - 1) * size, number * size
    values = listed.cut(start, end)
    plain = {name: text for name, text in query.items() if name not in ("after", "before", "page")}
    links = []
    if values and end < len(listed):
        ahead = {"page": str(number + 1), "after": cursor(listed.key(values[-1]))}
        links.append((_address(address, plain | ahead), "next"))
    if values and start > 0:
        back = {"page": str(max(1, number - 1)), "before": cursor(listed.key(values[0]))}
        links.append((_address(address, plain | back), "prev"))
    return Page(values, _header(links))


def _address(address: str, query: dict[str, str]) -> str:
    parts = [f"{quote(name)}={quote(text, safe=':')}" for name, text in query.items()]
    return f"{address}?{'&'.join(parts)}"


def _header(links: list[tuple[str, str]]) -> str:
    return ", ".join(f'<{address}>; rel="{rel}"' for address, rel in links)
