"""Many votes are measured and compared by the workers, once for everybody, and kept; without workers, by the page."""

import time
from collections.abc import Callable
from unittest.mock import Mock, patch

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from kb.health.heartbeat import KEY
from labeling import tasks
from labeling.models import Member, Round
from labeling.selectors import effects, results
from tests.labeling.results.builders import lead_of, voted_round

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
PAGES = {
    "agreement": ("measure_round", "are being measured"),
    "progress": ("measure_project", "is being measured"),
    "settling-effects": ("compare_round", "they are being compared"),
}


@pytest.fixture(autouse=True)
def two_votes_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "AT_ONCE", 1)
    monkeypatch.setattr(effects, "AT_ONCE", 1)


@pytest.fixture
def round_() -> Round:
    return voted_round(((("hang",), ("hang",)), (("hang",), ("crash",))))


def address(round_: Round, name: str) -> str:
    return reverse(f"labeling:{name}", args=[round_.project.slug, *([] if name == "progress" else [round_.number])])


def a_worker_lives() -> None:
    cache.set(KEY, {"worker": time.time()})


@pytest.mark.parametrize("name", PAGES)
def test_a_worker_is_asked_once_and_then_the_page_has_it(browser_of: BrowserOf, round_: Round, name: str) -> None:
    a_worker_lives()
    browser, (task, waiting) = browser_of(lead_of(round_)), PAGES[name]
    with patch.object(getattr(tasks, task), "delay") as delay:
        first, second = (browser.get(address(round_, name)) for _ in range(2))
    assert waiting in first.content.decode()
    assert waiting in second.content.decode()
    assert first["Refresh"] == "10"
    delay.assert_called_once()
    getattr(tasks, task)(*delay.call_args.args)
    response = browser.get(address(round_, name))
    assert waiting not in response.content.decode()
    assert "Refresh" not in response


@pytest.mark.parametrize("name", PAGES)
def test_without_a_worker_the_page_does_it_itself(browser_of: BrowserOf, round_: Round, name: str) -> None:
    with patch.object(tasks.measure_round, "delay", Mock()):
        html = browser_of(lead_of(round_)).get(address(round_, name)).content.decode()
    assert PAGES[name][1] not in html


def test_what_was_compared_is_kept_until_somebody_revises(round_: Round) -> None:
    lead = lead_of(round_)
    before = effects.discussion_effects(member=lead, round_=round_)
    with patch.object(effects, "reports_of", side_effect=AssertionError):
        assert effects.discussion_effects(member=lead, round_=round_) == before
    assert not effects.effects_wanted(member=lead, round_=round_)
