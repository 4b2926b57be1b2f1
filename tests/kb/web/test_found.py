"""What search engines and browsers are given to find the site by."""

import datetime as dt
import json
import re
from xml.etree import ElementTree

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from kb.http.problem_types import PROBLEM_TYPES
from kb.web import sitemap
from tests.support.factories import make_issue, make_study

pytestmark = pytest.mark.django_db
SITE = "https://faults.example.org"
LOC, LASTMOD = (f"{{{sitemap.NAMESPACE}}}{name}" for name in ("loc", "lastmod"))


@pytest.fixture(autouse=True)
def _site(settings: Settings) -> None:
    settings.SITE_URL = SITE


def read(client: Client, address: str) -> ElementTree.Element:
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/xml; charset=utf-8"
    return ElementTree.fromstring(response.content)  # noqa: S314 - our own


def addresses(tree: ElementTree.Element) -> list[str]:
    return [found.text or "" for found in tree.iter(LOC)]


class TestSitemap:
    def test_robots_name_it(self, client: Client) -> None:
        assert f"Sitemap: {SITE}/sitemap.xml" in client.get("/robots.txt").content.decode().splitlines()

    def test_every_issue_that_stands_is_in_one_part(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sitemap, "PART", 2)
        issues = [make_issue(number) for number in range(1, 4)]
        make_issue(4, kind="pull_request")
        parts = addresses(read(client, "/sitemap.xml"))
        assert parts == [f"{SITE}/sitemap-pages.xml", f"{SITE}/sitemap-issues-1.xml", f"{SITE}/sitemap-issues-2.xml"]
        listed = [each for part in parts[1:] for each in addresses(read(client, part.removeprefix(SITE)))]
        assert listed == [SITE + issue.get_absolute_url() for issue in issues]
        assert client.get("/sitemap-issues-3.xml").status_code == 404

    def test_a_part_costs_one_query(self, client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        for number in range(1, 6):
            make_issue(number, opened_at=dt.datetime(2026, 1, number, tzinfo=dt.UTC))
        with django_assert_num_queries(1):
            assert list(read(client, "/sitemap-issues-1.xml").iter(LASTMOD))


class TestJsonLd:
    def test_a_described_issue_is_an_article_that_no_text_ends(self, client: Client) -> None:
        issue = make_issue(1, summary="It hangs </script><script>alert(1)</script>", heading="A hang")
        found = json_ld(client, issue.get_absolute_url())
        assert (found["@type"], found["headline"], found["isBasedOn"]) == ("TechArticle", "A hang", issue.url)
        assert found["description"] == issue.summary

    def test_a_report_that_nobody_described_says_nothing(self, client: Client) -> None:
        assert "ld+json" not in client.get(make_issue(1).get_absolute_url()).content.decode()

    def test_a_study_is_a_data_set(self, client: Client) -> None:
        study = make_study()
        found = json_ld(client, study.get_absolute_url())
        assert (found["@type"], found["name"]) == ("Dataset", study.title)


def json_ld(client: Client, address: str) -> dict[str, str]:
    """What the page says of itself, which is in one element."""
    page = client.get(address).content.decode()
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    found: dict[str, str] = json.loads(text)
    return found


def test_a_browser_can_search_from_its_address_bar(client: Client) -> None:
    assert 'href="/opensearch.xml"' in client.get("/about/").content.decode()
    tree = ElementTree.fromstring(client.get("/opensearch.xml").content)  # noqa: S314 - our own
    templates = [each.attrib["template"] for each in tree.iter("{http://a9.com/-/spec/opensearch/1.1/}Url")]
    assert f"{SITE}/issues/?q={{searchTerms}}" in templates


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_every_kind_of_error_has_a_page(
    client: Client, slug: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        page = client.get(f"/problems/{slug}")
    assert page.status_code == 200
    assert PROBLEM_TYPES[slug].do.replace("`", "") in page.content.decode().replace("<code>", "").replace(
        "</code>", ""
    ).replace("`", "")


def test_another_kind_has_none(client: Client) -> None:
    assert client.get("/problems/none").status_code == 404
