"""What the tests of the search index share: issues, rebuilds, and searches."""

import random
from collections.abc import Callable
from string import ascii_lowercase

from kb.core.search.values import Request, TextQuery, Wanted
from kb.models import Issue
from kb.search import backends
from kb.search.backends import Index
from kb.search.indexing import ask_for_rebuild, rebuild
from tests.support.factories import make_issue, make_repository


def nothing(*_args: object, **_options: object) -> None:
    """What goes on during most rebuilds."""


def build(index: Index, between: Callable[[], None] = nothing) -> None:
    ask_for_rebuild("for a test")
    assert rebuild(index, between=between)


def found(word: str) -> set[int]:
    """The issues that a search for one word finds."""
    text = TextQuery(wanted=(Wanted(((word, 1.0),)),))
    return {hit.id for hit in backends.current().find(Request(text=text, limit=1_000)).candidates}


def make_long_issues(count: int) -> list[Issue]:
    """Issues of which no two have a word in common but the title, so that they fill the disk."""
    letters, repository = random.Random(1), make_repository()  # noqa: S311
    words = (" ".join("".join(letters.choices(ascii_lowercase, k=8)) for _ in range(60)) for _ in range(count))
    return [make_issue(repository=repository, title="zebra", body=body) for body in words]


def killed(*_args: object, **_options: object) -> None:
    raise KeyboardInterrupt
