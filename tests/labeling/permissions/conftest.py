"""One project for the tests of a module, kept while they last: each test, and each request, is undone after it."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from tests.labeling.permissions.asking import Team
from tests.labeling.permissions.world import act, make_outsider, make_world


@pytest.fixture(scope="module")
def team(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Team]:
    """A project with everybody at their browsers, and another team's project beside it."""
    with django_db_blocker.unblock(), transaction.atomic():
        here, there = make_world(), make_world()
        for world in (here, there):
            act(world)
        yield Team(here, there, make_outsider())
        transaction.set_rollback(True)
