"""The doctor looks at mirrors too, and says which are not well."""

import datetime as dt
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.utils import timezone
from pytest_django import Settings

from ingest.selectors import mirror_health
from ingest.selectors.mirror_health import mirrors
from kb.health.checks import all_checks
from tests.ingest.mirrors import make_mirror, make_run

pytestmark = pytest.mark.django_db


def test_the_doctor_looks_at_mirrors() -> None:
    assert "mirrors" in [check.name for check in all_checks()]


def test_mirrors_that_are_fresh_are_well(settings: Settings) -> None:
    settings.GITHUB_TOKENS = ["one"]
    make_run(make_mirror())
    assert mirrors().ok
    assert mirrors().detail == "1 on, none late."


def test_says_which_are_late_or_fail() -> None:
    make_mirror("a/late", fresh_at=timezone.now() - dt.timedelta(hours=3))
    make_run(make_mirror("b/failing"), status="failed")
    make_mirror("c/off", mirror={"is_on": False}, fresh_at=timezone.now() - dt.timedelta(hours=3))
    check = mirrors()
    assert not check.ok
    assert check.detail == "2 of 2 late or failing: a/late, b/failing."
    assert "/status/" in check.fix


def test_without_a_mirror_or_a_token_nothing_is_wrong(settings: Settings) -> None:
    settings.GITHUB_TOKENS = []
    assert mirrors().ok
    assert "60 requests an hour" in mirrors().detail


def test_answers_when_the_database_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_health, "all_statuses", Mock(side_effect=OperationalError("gone")))
    assert not mirrors().ok
