"""What a table of a dump is: a statement, and its columns in words. Everything else is made out of these."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

# Table Schema's names (datapackage.org); an array holds texts, an object is JSON.
Type = Literal["string", "integer", "number", "boolean", "date", "datetime", "array", "object"]
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Column:
    """A column: its name, its type, and what it means."""

    name: str
    type: Type
    about: str


@dataclass(frozen=True)
class Table:
    """A table: `rows` is a statement whose columns are in this order, or what gives the rows where files hold them.

    `facets`: columns to count by in Datasette; `searched`: columns that its full text finds.
    """

    name: str
    about: str
    columns: tuple[Column, ...]
    rows: str | Callable[[], Iterable[Row]]
    facets: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()


def text(name: str, about: str) -> Column:
    """A column of texts; an empty one is not stated."""
    return Column(name, "string", about)


def number(name: str, about: str) -> Column:
    """A column of whole numbers."""
    return Column(name, "integer", about)


def share(name: str, about: str) -> Column:
    """A column of numbers with a fraction."""
    return Column(name, "number", about)


def flag(name: str, about: str) -> Column:
    """A column of true and false."""
    return Column(name, "boolean", about)


def day(name: str, about: str) -> Column:
    """A column of days."""
    return Column(name, "date", about)


def moment(name: str, about: str) -> Column:
    """A column of moments in UTC."""
    return Column(name, "datetime", about)


def texts(name: str, about: str) -> Column:
    """A column of lists of texts."""
    return Column(name, "array", about)


def json(name: str, about: str) -> Column:
    """A column of JSON."""
    return Column(name, "object", about)
