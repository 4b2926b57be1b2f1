"""What hosts send, read so that nothing careless in it breaks the database. Pure; raises only `UnreadableError`."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ingest.hosts.values import clean_text, parse_moment

# GitHub's own limit is 65,536 characters; more is somebody else's server.
MOST_TEXT = 256 * 1024
MOST_NAME = 80
MOST_ADDRESS = 300
MOST_COUNT = 2**31 - 1

T = TypeVar("T")


class UnreadableError(ValueError):
    """The object is not what it should be; the message says why."""


class Payload:
    """A JSON object of which nothing is sure: a field that is missing or of another type reads as empty."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    @classmethod
    def read(cls, data: object) -> "Payload":
        """Take decoded JSON as an object. Raises `UnreadableError` if it is none."""
        if not isinstance(data, dict):
            raise UnreadableError("not an object")
        return cls(data)

    def __bool__(self) -> bool:
        return bool(self._fields)

    def __contains__(self, key: str) -> bool:
        return key in self._fields

    def get(self, key: str) -> Any:
        """The field as it came; None if there is none."""
        return self._fields.get(key)

    def text(self, key: str, *, most: int | None = None) -> str:
        """A text that Postgres can hold, of at most so many characters."""
        value = self._fields.get(key)
        return clean_text(value)[:most] if isinstance(value, str) else ""

    def moment(self, key: str) -> dt.datetime | None:
        """A moment with its zone."""
        value = self._fields.get(key)
        if not isinstance(value, str) or not value:
            return None
        try:
            return parse_moment(value)
        except ValueError:
            return None

    def count(self, key: str) -> int:
        """A count, as large as a column holds at most."""
        value = self._fields.get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            return 0
        return min(max(value, 0), MOST_COUNT)

    def number(self, key: str, *, below: int = 10**10) -> int | None:
        """A number that names something: from 1 on."""
        value = self._fields.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < below:
            return None
        return value

    def part(self, key: str) -> "Payload":
        """The object in a field."""
        value = self._fields.get(key)
        return Payload(value if isinstance(value, dict) else {})

    def parts(self, key: str) -> list["Payload"]:
        """The objects in a field's list."""
        return objects_in(self._fields.get(key))

    def login(self, key: str) -> str:
        """A person's login; empty for an account that is gone."""
        return self.part(key).text("login", most=MOST_NAME)

    def label_names(self, key: str) -> tuple[str, ...]:
        """Labels' names, in the host's order; labels may be objects or plain names."""
        names: list[str] = []
        value = self._fields.get(key)
        for label in value if isinstance(value, list) else ():
            name = label.get("name") if isinstance(label, dict) else label
            if isinstance(name, str):
                names.append(clean_text(name))
        return tuple(name for name in names if name)

    def path_parts(self, key: str) -> list[str]:
        """The parts of an address's path."""
        try:
            path = urlsplit(self.text(key)).path
        except ValueError:
            return []
        return [part for part in path.split("/") if part]


def objects_in(data: object) -> list[Payload]:
    """The objects in a list, without anything else in it."""
    if not isinstance(data, list):
        return []
    return [Payload(item) for item in data if isinstance(item, dict)]


def read_all(items: Iterable[object], read: Callable[[object], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Read each item of a list; returns the values, and why others are unreadable."""
    values: list[T] = []
    unreadable: list[str] = []
    for item in items:
        try:
            values.append(read(item))
        except UnreadableError as error:
            unreadable.append(str(error))
    return tuple(values), tuple(unreadable)
