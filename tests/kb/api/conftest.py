"""A reader of the API."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

Reader = Callable[..., Any]


@pytest.fixture
def read(client: Client) -> Reader:
    """GET an address below /api/v1/ and return its JSON; `expect` is the status that must come back."""

    def get(path: str, expect: int = 200, **params: str) -> Any:
        response = client.get(f"/api/v1/{path}", params)
        assert response.status_code == expect, response.content
        return response.json()

    return get
