"""People at their browsers."""

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.models import Member


@pytest.fixture
def browser_of() -> Callable[[Member], Client]:
    """A browser in which the member is logged in."""

    def logged_in(member: Member) -> Client:
        client = Client()
        client.force_login(member.user)
        return client

    return logged_in
