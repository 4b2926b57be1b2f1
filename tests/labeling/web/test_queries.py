"""Pages of labeling read through selectors and write through services: no page builds a query of its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeling import api, web

QUERYING = {
    "objects", "filter", "exclude", "exists", "order_by", "select_related", "prefetch_related", "values_list",
    "annotate", "aggregate", "in_bulk", "defer", "only", "first", "last", "distinct",
}  # fmt: skip
SHORTCUTS = {"get_object_or_404", "get_list_or_404"}


def queries_in(source: str) -> Iterator[tuple[int, str]]:
    """The lines that name a manager, a method of querysets or a shortcut that queries, with the name."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) if name in QUERYING:
                yield node.lineno, name
            case ast.Name(id=name) if name in SHORTCUTS:
                yield node.lineno, name
            # A mapping's `values` takes no arguments.
            case ast.Call(func=ast.Attribute(attr="values"), args=[_, *_]):
                yield node.lineno, "values"


@pytest.mark.parametrize("room", [web, api])
def test_no_page_or_address_builds_a_query(room: object) -> None:
    folder = Path(str(getattr(room, "__file__", ""))).parent
    found = {}
    for path in folder.rglob("*.py"):
        queries = list(queries_in(path.read_text(encoding="utf-8")))
        if queries:
            found[str(path.relative_to(folder))] = queries
    assert found == {}


def test_a_query_would_be_seen() -> None:
    source = "rows = Member.objects.filter(pk=1).values('pk')\nnames = {}.values()"
    assert {name for _, name in queries_in(source)} == {"objects", "filter", "values"}
