"""Searches while no connection to the database can be made: the index answers, and nothing is left out in silence."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from kb.health import database
from kb.search import groups, names
from tests.kb.web.people import logged_in, make_user
from tests.kb.web.reading import read
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "https://github.com/deepspeedai/DeepSpeed/issues/860"
WORDS = "The database does not answer at the moment. These results come from the search index alone"


@pytest.fixture
def indexed(search_index: PutIssuesIn) -> None:
    """A hang with a label, and an issue of another kind."""
    hang = make_issue(860, heading="Training hangs in ZeRO-3", url=ADDRESS, state="closed")
    make_label(hang, make_node("hang", name="Hang"))
    make_label(hang, make_node("race", axis=make_axis("root_cause"), name="Race"))
    make_issue(861, title="Loss is NaN")
    search_index()


@pytest.fixture
def reader(indexed: None, client: Client) -> Client:
    """Somebody who is logged in, in a process that has answered a search."""
    make_user()
    reader = logged_in()
    assert WORDS not in read(reader.get("/issues/?q=hangs")).words
    return reader


class Away:
    """Lets no connection be made."""

    def __init__(self, nowhere: Path) -> None:
        self.nowhere = str(nowhere)
        self.host = connection.settings_dict["HOST"]

    def begin(self, *, noticed: bool = True) -> None:
        """The present connection ends, and there is no other."""
        connection.close()
        connection.settings_dict["HOST"] = self.nowhere
        if noticed:
            database.answers(anew=True)

    def end(self) -> None:
        """Connections can be made again."""
        connection.settings_dict["HOST"] = self.host
        database.answers(anew=True)


@pytest.fixture
def away(transactional_db: None, tmp_path: Path) -> Iterator[Away]:
    """The database as something that can go away."""
    away = Away(tmp_path)
    yield away
    away.end()


def get(client: Client, path: str) -> HttpResponse:
    """The answer as a visitor gets it, whatever is raised."""
    client.raise_request_exception = False
    response = client.get(path)
    assert isinstance(response, HttpResponse)
    return response


def test_the_page_shows_what_the_index_holds_and_says_so(reader: Client, away: Away) -> None:
    away.begin()
    response = get(reader, "/issues/?q=hangs")
    page = read(response)
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")
    assert "1 issue with this word" in page.words
    assert WORDS in page.words
    for text in ("Training hangs in ZeRO-3", "closed", "Hang", "Race", "Log in"):
        assert text in page.words
    assert {ADDRESS, "/issues/github.com/deepspeedai/DeepSpeed/860"} <= page.links.keys()
    away.end()
    assert WORDS not in read(get(reader, "/issues/?q=hangs")).words


def test_filters_and_their_counts_come_from_the_index(reader: Client, away: Away) -> None:
    away.begin()
    page = read(get(reader, "/issues/?q=hangs&symptom=hang&state=closed"))
    assert "Training hangs in ZeRO-3" in page.words
    assert "counts are missing" not in page.words
    assert "No issue matches" in read(get(reader, "/issues/?q=hangs&state=open")).words
    assert "was not understood" in read(get(reader, "/issues/?q=hangs&symptom=hangg")).words


class TestAProcessThatNeverReadTheNames:
    @pytest.fixture(autouse=True)
    def _just_started(self, indexed: None, away: Away, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG002
        names.forget()
        monkeypatch.setattr(groups, "_cached_labels", None)
        away.begin()

    def test_finds_words_without_facets(self, client: Client) -> None:
        page = read(get(client, "/issues/?q=hangs"))
        assert "Training hangs in ZeRO-3" in page.words
        assert "Filters and their counts are missing until then." in page.words
        answer = json.loads(client.get("/api/v1/search/?q=hangs").content)
        assert (answer["count"], answer["facets"], answer["query"]["is_degraded"]) == (1, None, True)

    @pytest.mark.parametrize("path", ["/issues/?q=hangs", "/api/v1/search/?q=hangs"])
    def test_leaves_no_filter_out_in_silence(self, client: Client, path: str) -> None:
        response = get(client, f"{path}&framework=deepspeed")
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")


def test_the_api_says_so_too_and_no_cache_keeps_it(reader: Client, away: Away) -> None:
    before = json.loads(get(reader, "/api/v1/search/?q=hangs").content)
    assert not before["query"].pop("is_degraded")
    away.begin()
    response = get(reader, "/api/v1/search/?q=hangs")
    after = json.loads(response.content)
    assert after["query"].pop("is_degraded")
    assert after == before
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers


@pytest.mark.parametrize(
    "path", ["/issues/?q=DeepSpeed%23860", "/api/v1/search/?q=DeepSpeed%23860", "/api/v1/issues/?q=hangs"]
)
def test_what_only_the_database_knows_is_not_guessed(reader: Client, away: Away, path: str) -> None:
    away.begin()
    response = get(reader, path)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")


def test_a_draft_is_compared_with_what_the_index_holds(reader: Client, away: Away) -> None:
    away.begin()
    page = read(get(reader, "/issues/reported/?title=Training+hangs"))
    assert WORDS in page.words
    assert "Training hangs in ZeRO-3" in page.words


@pytest.mark.parametrize("noticed", [True, False])
@pytest.mark.usefixtures("indexed")
def test_names_that_grow_old_meanwhile_go_on_holding(
    client: Client, away: Away, monkeypatch: pytest.MonkeyPatch, *, noticed: bool
) -> None:
    get(client, "/issues/?q=hangs&framework=deepspeed")
    monkeypatch.setattr(names, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(database, "LOOK_SECONDS", 1e9)
    monkeypatch.setattr(database, "answers", database.Watch(database.reached).answers)
    assert database.answers()
    away.begin(noticed=noticed)
    cache.clear()
    assert WORDS in read(get(client, "/issues/?q=hangs&framework=deepspeed")).words
