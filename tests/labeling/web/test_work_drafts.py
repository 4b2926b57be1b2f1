"""Drafts from the labeling page: hashes of what is kept, and two versions where two tabs changed the ballot apart."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labeling.ballots import ballot_of, hash_of, pairs_of
from labeling.models import Draft, Item, Member, Project, Vote
from labeling.services.voting import as_content
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_open_round, take

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]

WHOLE = {"axis-symptom": ["hang", "crash"], "axis-issue_type": "bug", "confidence": "3", "active": "0"}
SCRIPT = {"Accept": "application/json"}
EMPTY = hash_of(ballot_of({}))


def post(client: Client, name: str, item: Item, data: Mapping[str, Any], **more: Any) -> Any:
    """Send something about an issue."""
    address = reverse(f"labeling:{name}", args=[item.round.project.slug, item.round.number, item.position])
    return client.post(address, data, **more)


def kept_hash() -> str:
    """The hash of the only draft."""
    return hash_of(ballot_of(Draft.objects.get().content))


@pytest.fixture
def desk(browser_of: BrowserOf) -> tuple[Client, Item]:
    """Somebody's browser, and the issue that is with them."""
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    return browser_of(first), item


@pytest.mark.parametrize("accept", ["application/json", "*/*"])
def test_a_script_learns_the_hash_of_what_is_kept(desk: tuple[Client, Item], accept: str) -> None:
    response = post(*desk_at(desk, "draft"), WHOLE, headers={"Accept": accept})
    assert response.json() == {"hash": kept_hash()}
    assert "messages" not in response.cookies


def desk_at(desk: tuple[Client, Item], name: str) -> tuple[Client, str, Item]:
    """Where on the desk something is sent."""
    return desk[0], name, desk[1]


def test_time_is_counted_and_nothing_else(desk: tuple[Client, Item]) -> None:
    post(*desk_at(desk, "draft"), WHOLE, headers=SCRIPT)
    before = Draft.objects.get()
    assert post(*desk_at(desk, "time"), {"active": "1"}, headers=SCRIPT).status_code == 204
    after = Draft.objects.get()
    assert (after.content, after.revision) == (before.content, before.revision)
    assert after.active_seconds == before.active_seconds + 1


def test_after_a_vote_no_time_is_counted(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    response = post(browser_of(first), "time", cast(first, round_).item, {"active": "1"}, headers=SCRIPT)
    assert response.status_code == 409
    assert "not reserved for you" in response.json()["reason"]


def test_a_script_of_a_second_tab_is_given_the_other_version(desk: tuple[Client, Item]) -> None:
    post(*desk_at(desk, "draft"), {**WHOLE, "note": "here"}, headers=SCRIPT)
    sent = {**WHOLE, "note": "there", "bases": EMPTY}
    response = post(*desk_at(desk, "draft"), sent, headers=SCRIPT)
    told = response.json()
    assert response.status_code == 409
    assert "Another tab" in told["reason"]
    assert ["note", "here"] in told["entries"]
    assert told["hash"] == kept_hash()
    assert post(*desk_at(desk, "draft"), {**sent, "bases": told["hash"]}, headers=SCRIPT).status_code == 200
    assert Draft.objects.get().content["note"] == "there"


def test_a_stale_tab_submits_only_after_it_was_told(desk: tuple[Client, Item]) -> None:
    post(*desk_at(desk, "draft"), {**WHOLE, "note": "here"})
    response = post(*desk_at(desk, "label"), {**WHOLE, "note": "there", "bases": EMPTY})
    page = read(response)
    assert "Another tab" in page.text
    assert page.inputs["note"] == "there"
    (kept,) = re.findall(r'id="work-kept" type="application/json">(.*?)</script>', response.content.decode())
    assert ["note", "here"] in json.loads(kept)
    assert not Vote.objects.exists()
    post(*desk_at(desk, "label"), {**WHOLE, "note": "there", "bases": page.inputs["bases"]})
    assert Vote.objects.get().note == "there"


def test_a_stale_tab_in_which_nothing_was_changed_shows_what_was_saved(desk: tuple[Client, Item]) -> None:
    post(*desk_at(desk, "draft"), {**WHOLE, "note": "here"})
    page = read(post(*desk_at(desk, "label"), {"bases": EMPTY}))
    assert "the version saved there" in page.text
    assert page.inputs["note"] == "here"
    assert page.inputs["bases"] == kept_hash()


def test_a_second_vote_that_says_something_else_is_not_passed_over(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note="first")
    client = browser_of(first)
    page = read(post(client, "label", vote.item, {**WHOLE, "note": "second"}))
    assert "Your vote stands." in page.text
    assert vote.receipt in page.text
    same = post(client, "label", vote.item, dict_of(vote))
    assert same.status_code == 302


def dict_of(vote: Vote) -> dict[str, list[str]]:
    """A vote as a form would send it."""
    found: dict[str, list[str]] = {}
    for name, value in pairs_of(ballot_of(as_content(vote))):
        found.setdefault(name, []).append(value)
    return found


def test_the_page_of_a_vote_tells_the_browser_what_was_voted(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    vote = cast(first, round_, note=" with spaces ")
    address = reverse("labeling:label", args=[round_.project.slug, round_.number, vote.item.position])
    response = browser_of(first).get(address)
    voted = hash_of(ballot_of(as_content(vote) | {"note": " with spaces "}))
    assert f'data-voted="{voted}"' in response.content.decode()


@pytest.mark.parametrize("name", ["draft", "time", "quotation"])
def test_a_script_is_told_that_the_project_is_suspended(desk: tuple[Client, Item], name: str) -> None:
    Project.objects.update(suspended_at=timezone.now())
    response = post(*desk_at(desk, name), WHOLE, headers=SCRIPT)
    assert response.status_code == 409
    assert "suspended this project" in response.json()["reason"]
