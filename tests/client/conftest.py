"""The data file of the starter records, as the wheel has it, and the client as on a machine that is new to it."""

from collections.abc import Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest
from django.db import transaction
from faultbook import data

from kb.exports.client_data import write_client_data


@pytest.fixture
def data_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Written once for all tests, by the first process that wants it."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if hasattr(request.config, "workerinput") else folder
    path = shared / data.NAME
    with (shared / "data.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not path.exists():
            # Keys among its rows are checked at the end of a transaction.
            with transaction.atomic():
                request.getfixturevalue("starter")
            write_client_data(path)
    return path


@pytest.fixture
def machine(
    data_file: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder to work in, with the data file as the package's own, and nothing renewed."""
    monkeypatch.setattr(data, "SHIPPED", data_file)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("FAULTBOOK_DATA", str(tmp_path / "renewed"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    data.current.cache_clear()
    data._cache.cache_clear()
    yield folder
    data.current.cache_clear()
    data._cache.cache_clear()
