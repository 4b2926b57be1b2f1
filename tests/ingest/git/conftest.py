"""A made repository for each test."""

from pathlib import Path

import pytest

from tests.ingest.git.made import Made, make


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """A repository with the release 1.0.0."""
    return make(tmp_path / "rocket")
