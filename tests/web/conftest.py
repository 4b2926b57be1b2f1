"""Fixtures for tests of pages."""

import pytest
from pytest_django.fixtures import SettingsWrapper


@pytest.fixture
def _quick_passwords(settings: SettingsWrapper) -> None:
    """Passwords are hashed in no time."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
