"""Fixtures for tests of pages."""

import pytest
from pytest_django import Settings


@pytest.fixture
def _quick_passwords(settings: Settings) -> None:
    """Passwords are hashed in no time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
