"""Each test has an index of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from kb.search import backends
from kb.search.backends import Index


@pytest.fixture(autouse=True)
def _own_index(settings: Settings, tmp_path: Path) -> None:
    settings.SEARCH_ENGINE = "tantivy"
    settings.SEARCH_INDEX_DIR = tmp_path / "search"


@pytest.fixture
def index() -> Iterator[Index]:
    found = backends.index()
    assert found is not None
    yield found
    found.close()
