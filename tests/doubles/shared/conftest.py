"""A small world, a double of it, and a client."""

from collections.abc import Iterator

import httpx
import pytest

from tests.doubles.github import GitHubDouble, World
from tests.doubles.shared.clients import connect


@pytest.fixture
def world() -> World:
    return World.generate(issues=120, pulls=60, comments=700, seed=5)


@pytest.fixture
def double(world: World) -> Iterator[GitHubDouble]:
    with GitHubDouble(world) as double:
        yield double


@pytest.fixture
def client(double: GitHubDouble) -> Iterator[httpx.Client]:
    """A client with a token that follows no redirects of itself."""
    with connect(double, "abc") as client:
        yield client
