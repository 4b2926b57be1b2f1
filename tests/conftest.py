"""Fixtures for every test. Servers are started by `servers.py`; the knowledge base's data is in `snapshot.py`."""

import pytest
from django.core.cache import cache

from tests.snapshot import codebook, starter

__all__ = ["codebook", "starter"]


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """No test sees what another one cached."""
    cache.clear()
