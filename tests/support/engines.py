"""Search engines for tests. Without any of these fixtures nothing is indexed, and Postgres' full text steps in."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from kb.models import Issue
from kb.search import backends
from kb.search.documents import documents

MEMORY_MB = 20
BATCH = 500

PutIssuesIn = Callable[[], None]


def index_all_issues() -> None:
    """Put every issue that the database holds now into a new index in the settings' folder, as `reindex` does."""
    index = backends.index()
    assert index is not None, "the settings choose an engine without an index"
    build = index.build(fresh=True)
    ids = list(Issue.objects.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        made = map(index.prepare, documents(ids[start : start + BATCH]))
        build.add(made, ids[start : start + BATCH][-1])
    build.finish()
    index.close()


@pytest.fixture
def search_index(settings: Settings, tmp_path: Path) -> Iterator[PutIssuesIn]:
    """Search with tantivy. Call it once the test's issues are made: they are what the index then holds."""
    settings.SEARCH_ENGINE = "tantivy"
    settings.SEARCH_INDEX_DIR = tmp_path / "search"
    settings.SEARCH_WRITER_MEMORY_MB = MEMORY_MB
    yield index_all_issues
    # One engine per folder is kept for a process's life; a thousand tests' indexes need not stay open.
    backends._backend.cache_clear()


@pytest.fixture
def search_in_postgres(settings: Settings) -> None:
    """Search with Postgres' full text, chosen and not as a stop-gap."""
    settings.SEARCH_ENGINE = "postgres"


@pytest.fixture(params=["tantivy", "postgres"])
def put_issues_in(request: pytest.FixtureRequest) -> PutIssuesIn:
    """Both engines in turn. Call it once the test's issues are made."""
    if request.param == "tantivy":
        put_in: PutIssuesIn = request.getfixturevalue("search_index")
        return put_in
    request.getfixturevalue("search_in_postgres")
    return lambda: None
