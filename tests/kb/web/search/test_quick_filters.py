"""The row of quick filters: with a fix, with a workaround, described, all; each count is what its link finds."""

import pytest
from django.http import QueryDict
from django.test import Client

from kb.search import search
from kb.web.search.facets import quick_filters
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_fix, make_issue

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def reports() -> None:
    """Six reports: two with a fix, one of these with a workaround too; three described; one a pull request."""
    make_issue(1, title="Hangs", summary="It waits.", workaround="Restart it.").fixes.add(make_fix(11))
    make_issue(2, title="Hangs too").fixes.add(make_fix(12))
    make_issue(3, title="Hangs again", summary="It waits.", workaround="Use another version.")
    make_issue(4, title="Hangs at last", summary="It waits.", state="closed")
    make_issue(5, title="Hangs")
    make_issue(6, title="Crashes")


def row(query: str) -> dict[str, tuple[int | None, bool]]:
    """Count and whether it is chosen, by name."""
    return {quick.name: (quick.count, quick.is_current) for quick in quick_filters(search(QueryDict(query)))}


@pytest.mark.parametrize("is_indexed", [True, False], ids=["index", "postgres"])
@pytest.mark.parametrize(
    "query", ["", "q=hangs", "q=hangs&has_fix=true", "q=hangs has:workaround", "q=hangs&state=closed&curated=true"]
)
def test_each_count_is_what_its_link_finds(query: str, is_indexed: bool, search_index: PutIssuesIn) -> None:
    if is_indexed:
        search_index()
    quick = quick_filters(search(QueryDict(query)))
    assert [each.name for each in quick] == ["With a fix", "With a workaround", "Described", "All"]
    for each in quick:
        assert search(QueryDict(each.url.removeprefix("?"))).total == each.count, each


def test_one_is_chosen() -> None:
    assert row("q=hangs") == {
        "With a fix": (2, False),
        "With a workaround": (2, False),
        "Described": (3, False),
        "All": (5, True),
    }
    chosen = [name for name, (_, is_current) in row("q=hangs has:fix&curated=false").items() if is_current]
    assert chosen == ["With a fix"]


def test_another_takes_its_place_and_keeps_everything_else(client: Client) -> None:
    links = visit(client, "/issues/?q=hangs+is:closed&framework=deepspeed&has_fix=true&sort=newest&page=2").links
    others = "?q=hangs%20is%3Aclosed&framework=deepspeed&sort=newest"
    assert "With a workaround 0" in links[f"{others}&has_workaround=true"]
    assert "All 1" in links[others]


def test_the_choice_is_no_chip_beside_the_row(client: Client) -> None:
    page = visit(client, "/issues/?q=hangs&has_fix=true&state=closed")
    assert "Has a fix:" not in page.words
    assert "State: Closed" in page.words
    assert "Has a fix: no" in visit(client, "/issues/?q=hangs&has_fix=false").words


def test_a_long_text_is_sent_with_the_choice(client: Client) -> None:
    log = "the rank hangs in line 12 of a log\n" * 60
    html = client.get("/issues/", {"q": log, "has_fix": "true"}).content.decode()
    assert 'value="has_fix=&amp;has_workaround=true&amp;curated="' in html or "has_workaround=true&curated=" in html
    params = {"q": log, "has_fix": "true", "change": "has_fix=&has_workaround=true&curated="}
    result = client.get("/issues/", params).context["result"]
    assert (result.asked.wanted("has_fix"), result.asked.wanted("has_workaround")) == ((), ("true",))


def test_nothing_is_offered_while_a_filter_is_not_understood(client: Client) -> None:
    assert 'class="quick"' not in client.get("/issues/?state=banana").content.decode()
