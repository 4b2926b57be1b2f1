"""What drills share: a prepared database, copied for each site."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drills.served import prepared


@pytest.fixture(scope="session")
def database() -> Iterator[Path]:
    """The folder of a stopped PostgreSQL with all tables and the codebook."""
    with prepared() as folder:
        yield folder
