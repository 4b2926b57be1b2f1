"""What Postgres would do for each statement that searching runs, taken from real calls.

Shared by the check of every test run (`tests/kb/search/test_plans.py`) and the one at a million
(`tests/perf/test_plans.py`). The issues are `tests.support.light`'s.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.db import connection
from django.http import QueryDict
from django.test import Client

from kb.models import Issue, RepositoryAlias
from kb.search import backends, find_reference, names, parse, search
from kb.search.documents import documents

# The tables that grow with the collection.
LARGE = frozenset({"kb_issue", "kb_label", "kb_issue_fixes", "kb_fix", "kb_issuedigest", "kb_issue_related"})
# Narrow, and made to be read by facets: for thousands of matches, reading all of it is the quickest.
DIGESTS = frozenset({"kb_issuedigest"})
READS = ("SELECT", "WITH")


@dataclass(frozen=True)
class Explained:
    """A statement that ran: the large tables that Postgres reads from end to end, the indexes it reads, its time."""

    sql: str
    tables: frozenset[str]
    indexes: frozenset[str]
    milliseconds: float


@dataclass(frozen=True)
class Shape:
    """Something that people do: the tables that it may read from end to end, and an index that it must read."""

    name: str
    run: Callable[[], object]
    may_read: frozenset[str] = DIGESTS
    index: str = ""


def table(client: Client, wrong: list[str]) -> Iterator[str]:
    """Do everything; a line for each. What is not as it should be is added to `wrong`."""
    for shape in shapes(client):
        with explained() as found:
            shape.run()
        read = sorted({name for one in found for name in one.tables})
        milliseconds = sum(one.milliseconds for one in found)
        yield f"{shape.name[:64]:64} {len(found):3} statements {milliseconds:7,.0f} ms  {', '.join(read)}"
        wrong += [f"{shape.name}: reads all of {', '.join(one.tables)}: {one.sql}" for one in found
                  if not one.tables <= shape.may_read]  # fmt: skip
        if shape.index and not any(shape.index in one.indexes for one in found):
            wrong.append(f"{shape.name}: does without the index {shape.index}")


@contextmanager
def explained() -> Iterator[list[Explained]]:
    """Collect the plan of every reading statement that runs within."""
    found: list[Explained] = []

    def wrapper(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if not sql.lstrip().upper().startswith(READS):
            return execute(sql, params, many, context)
        plan = list(_nodes(_plan(sql, params)))
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            spent = (time.perf_counter() - started) * 1_000
            whole = {one["Relation Name"] for one in plan if one["Node Type"] == "Seq Scan"}
            indexes = frozenset(one["Index Name"] for one in plan if "Index Name" in one)
            found.append(Explained(" ".join(sql.split()), LARGE & whole, indexes, spent))

    with connection.execute_wrapper(wrapper):
        yield found


def _plan(sql: str, params: Any) -> dict[str, Any]:
    # Beneath Django, so that the question itself is not explained.
    with connection.connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params or None)
        plan: dict[str, Any] = cursor.fetchone()[0][0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


# Filter -> one of its values.
CHOSEN = {
    "framework": "vllm", "repository": "vllm-project/vllm", "symptom": "hang", "cause": "race-condition",
    "type": "bug", "fix": "add-guard", "stage": "startup", "component": "collectives", "theme": "C.3",
    "year": "2024", "opened": "2024-05", "closed": ">2026-04", "small_fix": "true", "lines": "<=10", "files": "1",
    "hard": "true", "curated": "true", "resolved": "true", "comments": ">=40", "reactions": ">=9", "days": "<1",
    "trust": "study", "source": "a-study", "kind": "pull_request", "has_fix": "true", "state": "open",
}  # fmt: skip
# The index that serves a filter on its own.
SERVED = {
    "closed": "issue_closed", "comments": "issue_discussed", "reactions": "issue_reactions",
    "days": "issue_quickest", "kind": "issue_kind", "hard": "issue_hard", "resolved": "issue_resolved",
}  # fmt: skip
# Small fixes are a large part of all.
LARGE_PARTS = {key: DIGESTS | {"kb_fix", "kb_issue_fixes"} for key in ("lines", "files")}


def shapes(client: Client) -> Iterator[Shape]:
    """Everything that searching does, without an index to search in. Alone, a filter has its facets count all."""
    yield Shape("nothing asked", partial(_search), LARGE)
    for text in ("deadlock", "error training", "deadlock checkpoint crash", "w3 w17 -hang", '"illegal memory access"'):
        yield Shape(f"words: {text}", partial(_search, q=text), index="issue_search")
    paste = "Illegal memory access\n  at w3001 w3002 w3003 in deadlock()\n" * 30
    yield Shape("a paste", partial(_search, q=paste), index="issue_search")
    yield Shape("any of the words", partial(_search, q="deadlock w3", match="any"), index="issue_search")
    for key, value in CHOSEN.items():
        yield Shape(f"words, {key}", partial(_search, q="deadlock", **{key: value}), LARGE_PARTS.get(key, DIGESTS))
        yield Shape(f"{key} alone", partial(_search, **{key: value}), LARGE, SERVED.get(key, ""))
    for sort in ("newest", "discussed", "quickest"):
        yield Shape(f"words, {sort} first", partial(_search, q="deadlock", sort=sort), index="issue_search")
        yield Shape(f"all, {sort} first", partial(_search, sort=sort), LARGE, f"issue_{sort}")
    yield Shape("page 100", partial(_search_from, 2_000, q="hang"), index="issue_search")
    yield from _named(client)


def _search(**params: str) -> object:
    return _search_from(0, **params)


def _search_from(offset: int, **params: str) -> object:
    cache.clear()
    names.forget()
    result = search(QueryDict(urlencode(params)), offset=offset)
    assert not result.errors, result.errors
    return result


def _named(client: Client) -> Iterator[Shape]:
    """What goes by an issue's name, and the pages and answers of the API around a search."""
    issue = Issue.objects.select_related("repository").order_by("-pk")[0]
    full_name, name = issue.repository.full_name, issue.repository.full_name.split("/")[1]
    RepositoryAlias.objects.create(repository=issue.repository, host=issue.repository.host, full_name="former/owner")
    old = f"github.com/former/owner/issues/{issue.ref}"
    for text in (issue.url, f"{full_name}#{issue.ref}", f"{name}#{issue.ref}", f"https://{old}"):
        yield Shape(f"by name: {text}", partial(_find, text), index="issue_short_name")
    yield Shape("documents", lambda: list(documents(range(1, 200, 7))), frozenset())
    yield Shape("the engine's size", backends.fallback().size, frozenset())
    yield Shape("names", _names, frozenset())
    for path in (issue.get_absolute_url(), f"/issues/{old.replace('/issues', '')}", "/issues/?q=deadlock",
                 f"/issues/?q={name}%23{issue.ref}", "/api/v1/search/?q=deadlock", "/api/v1/issues/?q=deadlock",
                 "/api/v1/issues/?cursor=", f"/api/v1/issues/{issue.pk}/", f"/api/v1/issues/?url={issue.url}",
                 "/issues/feed.atom?q=deadlock", "/issues/reported/?title=deadlock+in+w3"):  # fmt: skip
        yield Shape(f"page {path}", partial(_visit, client, path))


def _names() -> object:
    cache.clear()
    names.forget()
    return names.names()


def _find(text: str) -> object:
    reference = parse(text).reference
    assert reference, text
    found = find_reference(reference)
    assert found, text
    return found


def _visit(client: Client, path: str) -> object:
    cache.clear()
    response = client.get(path)
    assert response.status_code in (200, 301, 302), (path, response.status_code)
    return response
