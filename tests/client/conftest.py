"""The data file of the starter records, as the wheel has it, and the client as on a machine that is new to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faultbook import data

from kb.exports.client_data import write_client_data

_made: list[Path] = []


@pytest.fixture
def data_file(starter: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Written once for all tests of this process."""
    if not _made:
        path = tmp_path_factory.mktemp("data") / data.NAME
        write_client_data(path)
        _made.append(path)
    return _made[0]


@pytest.fixture
def machine(
    data_file: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder to work in, with the data file as the package's own, and nothing renewed."""
    home = tmp_path_factory.getbasetemp() / "home"
    monkeypatch.setattr(data, "SHIPPED", data_file)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("FAULTBOOK_DATA", str(tmp_path / "renewed"))
    monkeypatch.chdir(tmp_path)
    data.current.cache_clear()
    data._cache.cache_clear()
    yield tmp_path
    data.current.cache_clear()
    data._cache.cache_clear()
