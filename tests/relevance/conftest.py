"""The filled database, its index, and the measured runs: made once for all tests here."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.http import QueryDict
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from kb.models import Issue, OtherReport
from kb.search import SearchResult, backends, find_reference, parse, search
from kb.search.backends.pg_search import PgSearchBackend, PgSearchIndex
from kb.search.backends.postgres import words
from tests.relevance import corpus
from tests.relevance.judged import FIELD, UNANSWERED, Judged, chosen_set, read_judged
from tests.relevance.measures import DEPTH
from tests.relevance.peers import PlainFts5, PlainTantivy
from tests.relevance.report import Answer, Run, part, run, table
from tests.support.engines import MEMORY_MB, index_all_issues
from tests.support.pg_search import connecting_to, database_of_its_own

Search = Callable[[str, int], SearchResult]


@pytest.fixture(scope="package")
def _issues(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The issues, which stand in the database until the last test here."""
    if not corpus.DATA.is_dir():
        pytest.skip("needs ../shared/data/issues, whose texts the queries are about")
    with django_db_blocker.unblock(), transaction.atomic():
        cache.clear()
        corpus.load({url for query in read_judged(chosen_set()) for url in query.relevant})
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="package")
def queries(_issues: None) -> list[Judged]:
    """The judged set; every issue that it names must be there, else no engine could be right.

    A record that answers a judged report besides its own is as right as that report, and stands for it where the
    report itself is no issue here (any more).
    """
    judged = read_judged(chosen_set())
    named = {url for query in judged for url in query.relevant}
    present = set(Issue.objects.filter(url__in=named).values_list("url", flat=True))
    missing = named - present - {report.url for report in _reports()}
    assert not missing, f"judged, but not in the knowledge base: {sorted(missing)[:5]}"
    return [_with_records(query, present) for query in judged]


@pytest.fixture(scope="package")
def index_folder(_issues: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the index of the issues is."""
    folder = tmp_path_factory.mktemp("relevance")
    with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=folder, SEARCH_WRITER_MEMORY_MB=MEMORY_MB):
        index_all_issues()
    return folder


@pytest.fixture(scope="package")
def search_tantivy(index_folder: Path) -> Search:
    """The product's search over the index: a text in its box, and how many results."""

    def ask(text: str, limit: int) -> SearchResult:
        with override_settings(SEARCH_ENGINE="tantivy", SEARCH_INDEX_DIR=index_folder):
            return _search(text, limit)

    return ask


@pytest.fixture(scope="package")
def search_postgres(_issues: None) -> Search:
    """The product's search in Postgres' full text, with time to count words: judged is its order, not the machine."""

    def ask(text: str, limit: int) -> SearchResult:
        with override_settings(SEARCH_ENGINE="postgres"), patch.object(words, "MILLISECONDS", 60_000):
            return _search(text, limit)

    return ask


@pytest.fixture(scope="package")
def search_pg_search(_issues: None, pg_search_url: str) -> Iterator[Search]:
    """The product's search over an index in a database with pg_search."""
    with database_of_its_own(pg_search_url, "relevance") as settings:
        connect = connecting_to(settings)
        with patch.object(backends, "index", lambda: PgSearchIndex(MEMORY_MB, connect)):
            index_all_issues()

        def ask(text: str, limit: int) -> SearchResult:
            with patch.object(backends, "current", lambda: PgSearchBackend(connect)):
                return _search(text, limit)

        yield ask


@pytest.fixture(scope="package")
def unanswered(_issues: None) -> list[Judged]:
    """Queries of this field that no issue answers; one that has got its answer since is left out."""
    queries = read_judged(UNANSWERED)
    return [query for query in queries if not any(map(_is_answered, query.unless))]


@pytest.fixture(scope="package")
def field(_issues: None) -> list[Judged]:
    """Queries of other fields and of this one."""
    return read_judged(FIELD)


@pytest.fixture(scope="package")
def in_field(unanswered: list[Judged], search_tantivy: Search) -> Run:
    """What is said to what this field asks and no issue answers."""
    return run("Faultbook", lambda text: answered(search_tantivy(text, DEPTH)), unanswered)


@pytest.fixture(scope="package")
def other_fields(field: list[Judged], search_tantivy: Search) -> Run:
    """What is said to queries of other fields and of this one."""
    return run("Faultbook", lambda text: answered(search_tantivy(text, DEPTH)), field)


def _reports() -> QuerySet[OtherReport]:
    return OtherReport.objects.select_related("record", "repository")


def _with_records(query: Judged, present: Collection[str]) -> Judged:
    grades = {url: grade for url, grade in query.relevant.items() if url in present}
    for report in _reports():
        if grade := query.relevant.get(report.url):
            grades.setdefault(report.record.url, grade)
    return replace(query, relevant=grades)


def _is_answered(address: str) -> bool:
    """Is the issue here, under a new name of its repository or as one that a record answers?"""
    reference = parse(address).reference
    return reference is not None and find_reference(reference) is not None


def _search(text: str, limit: int) -> SearchResult:
    params = QueryDict(mutable=True)
    params["q"] = text
    result = search(params, limit=limit, with_facets=False)
    assert not result.errors, (text, result.errors)
    assert not result.is_fallback, text
    return result


@pytest.fixture(scope="package")
def runs(queries: list[Judged], search_tantivy: Search) -> list[Run]:
    """Ours, then the peers'; printed where pytest lets tests print (`make relevance`)."""
    texts = list(corpus.texts())
    found = [run("Faultbook", lambda text: answered(search_tantivy(text, DEPTH)), queries)]
    for peer in (PlainTantivy(texts), PlainFts5(texts)):
        found.append(run(peer.name, lambda text, peer=peer: Answer(tuple(peer.search(text))), queries))  # type: ignore[misc]
    print_tables(queries, found, texts=len(texts))
    return found


def answered(result: SearchResult) -> Answer:
    """What a reader sees of a result."""
    nothing_close = not result.total or not result.is_close
    return Answer(tuple(row.card.url for row in result.rows), nothing_close=nothing_close)


def print_tables(queries: list[Judged], runs: list[Run], *, texts: int) -> None:
    """Everything, then what was tuned on and what was kept aside."""
    lines = [f"\n{len(queries)} queries over {texts:,} issues\n", *table("all queries", queries, runs)]
    for held_out, title in ((False, "tuning part"), (True, "held-out part")):
        some, theirs = part(queries, runs, held_out=held_out)
        if some and len(some) < len(queries):
            lines += ["", *table(title, some, theirs)]
    print("\n".join(lines))  # noqa: T201
