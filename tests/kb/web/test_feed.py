"""Any search as an Atom feed."""

import datetime as dt
from xml.etree import ElementTree

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def hangs() -> None:
    """Two hangs, the second one newer and closed since."""
    make_issue(1, title="Old hang", opened_at=dt.datetime(2023, 1, 1, tzinfo=dt.UTC))
    make_issue(
        2,
        title="New hang <b>",
        body="It <script>hangs</script>",
        opened_at=dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        closed_at=dt.datetime(2024, 2, 1, tzinfo=dt.UTC),
    )
    make_issue(3, title="A crash")


def entries(response: HttpResponseBase) -> list[ElementTree.Element]:
    return ElementTree.fromstring(b"".join(response)).findall(f"{ATOM}entry")  # noqa: S314 - it is our own


def text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"{ATOM}{name}") or ""


@pytest.mark.usefixtures("hangs")
class TestFeed:
    def test_holds_what_the_search_finds_newest_first(self, client: Client) -> None:
        response = client.get("/issues/feed.atom?q=hang")
        assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
        assert [text(entry, "title") for entry in entries(response)] == ["New hang <b>", "Old hang"]

    def test_names_each_issue_by_its_own_address_for_ever(self, client: Client) -> None:
        entry = entries(client.get("/issues/feed.atom?q=hang"))[0]
        assert text(entry, "id") == "https://github.com/deepspeedai/DeepSpeed/issues/2"
        link = entry.find(f"{ATOM}link")
        assert link is not None
        assert link.get("href") == "http://testserver/issues/github.com/deepspeedai/DeepSpeed/2"

    def test_says_when_something_changed(self, client: Client) -> None:
        response = client.get("/issues/feed.atom?q=hang")
        assert text(entries(response)[0], "published").startswith("2024-01-01")
        assert text(entries(response)[0], "updated").startswith("2024-02-01")
        assert response.headers["Last-Modified"] == "Thu, 01 Feb 2024 00:00:00 GMT"

    def test_hands_out_mirrored_texts_as_text(self, client: Client) -> None:
        summary = text(entries(client.get("/issues/feed.atom?q=hang"))[0], "summary")
        assert "<script>" not in summary
        assert "&lt;script&gt;" in summary

    def test_takes_the_filters_of_the_page(self, client: Client) -> None:
        assert len(entries(client.get("/issues/feed.atom?q=hang+-is:closed&opened=2023"))) == 1

    def test_costs_nothing_while_nothing_changes(self, client: Client) -> None:
        for url in ("/issues/feed.atom?q=hang", "/issues/feed.atom?q=banana"):
            etag = client.get(url).headers["ETag"]
            assert client.get(url, headers={"If-None-Match": etag}).status_code == 304

    def test_says_which_filter_is_wrong(self, client: Client) -> None:
        response = client.get("/issues/feed.atom?state=opne")
        assert response.status_code == 400
        assert "opne" in response.content.decode()

    def test_takes_at_most_12_queries(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, search_index: PutIssuesIn
    ) -> None:
        search_index()
        with django_assert_max_num_queries(12):
            client.get("/issues/feed.atom?q=hang")


@pytest.mark.usefixtures("hangs")
class TestSearchPage:
    def test_names_its_feed(self, client: Client) -> None:
        url = "/issues/feed.atom?q=hang&state=closed"
        html = client.get("/issues/?q=hang&state=closed&sort=newest&page=1").content.decode()
        assert f'href="{url.replace("&", "&amp;")}"' in html.split("</head>")[0]
        assert url in visit(client, "/issues/?q=hang&state=closed").links

    def test_can_be_mailed(self, client: Client) -> None:
        links = visit(client, "/issues/?q=hang").links
        [mail] = [url for url in links if url.startswith("mailto:")]
        assert mail.endswith("body=http%3A//testserver/issues/%3Fq%3Dhang")

    def test_with_a_long_address_is_not_mailed(self, client: Client) -> None:
        links = visit(client, f"/issues/?q={'hang+' * 500}").links
        assert not [url for url in links if url.startswith("mailto:")]
