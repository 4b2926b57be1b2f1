"""When counting facets takes too long, page and API give the results without them and say so."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from kb.search.backends.postgres import facets
from tests.support.factories import make_issue, make_label, make_node

pytestmark = [pytest.mark.contract, pytest.mark.django_db]

SENTENCE = "Counting took too long: the results are complete, the filters’ counts are missing."


@pytest.fixture
def _slow(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting would take half a minute, and may take 20 ms; three issues match."""
    settings.SEARCH_ENGINE = "postgres"
    settings.SEARCH_FACET_MILLISECONDS = 20
    slow = facets.BASE + "UNION ALL SELECT '', '', length(pg_sleep(30)::text)\n"
    monkeypatch.setattr(facets, "BASE", slow)
    hang = make_node("hang", name="Hang")
    for n in range(3):
        make_label(make_issue(n + 1, title=f"The run hangs {n}"), hang)


@pytest.mark.usefixtures("_slow")
def test_the_page_shows_all_results_and_says_what_is_missing(client: Client) -> None:
    for headers in ({}, {"HX-Request": "true"}):
        page = client.get("/issues/?q=hangs&symptom=hang", headers=headers).content.decode()
        assert SENTENCE in page
        assert "<strong>3</strong> issues" in page
        assert page.count('class="result-') >= 3
        assert 'id="filters"' not in page
        # A chosen filter can still be taken away.
        assert "take this filter away" in page


@pytest.mark.usefixtures("_slow")
@pytest.mark.parametrize("path", ["search/?facets=true", "issues/?facets=true"])
def test_the_api_gives_null_for_facets_and_says_why(client: Client, path: str) -> None:
    found = client.get(f"/api/v1/{path}&q=hangs").json()
    assert (found["count"], len(found["results"])) == (3, 3)
    assert (found["facets"], found["query"]["facets_late"]) == (None, True)


@pytest.mark.usefixtures("_slow")
def test_reading_everything_goes_on_without_them(client: Client) -> None:
    found = client.get("/api/v1/issues/?facets=true&cursor=").json()
    assert (len(found["results"]), found["facets"], found["query"]["facets_late"]) == (3, None, True)


@pytest.mark.usefixtures("_slow")
@pytest.mark.parametrize("path", ["search/?facets=false", "issues/?q=hangs", "issues/?cursor="])
def test_where_none_were_wanted_nothing_is_late(client: Client, path: str) -> None:
    found: Any = client.get(f"/api/v1/{path}").json()
    assert (found["facets"], found["query"]["facets_late"]) == (None, False)


def test_in_time_the_page_says_nothing(client: Client, settings: Settings) -> None:
    settings.SEARCH_ENGINE = "postgres"
    make_issue(1, title="The run hangs", state="open")
    page = client.get("/issues/?q=hangs").content.decode()
    assert "Counting took too long" not in page
    assert 'id="filters"' in page
