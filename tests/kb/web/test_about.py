"""The page about the data: counts with their source, whom to trust how far, what is open, and how to cite."""

import datetime as dt
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Study
from kb.selectors import overview
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("starter")
class TestPage:
    def test_names_every_study_with_its_trust_note(self, client: Client) -> None:
        words = visit(client, "/about/").words
        for study in Study.objects.all():
            assert study.title in words
            assert " ".join(study.trust_note.split()) in words

    def test_explains_all_four_kinds_of_sources(self, client: Client) -> None:
        words = visit(client, "/about/").words
        for kind in ("curated", "consensus of a labeling round", "imported from a study", "suggested by a rule"):
            assert kind in words

    def test_a_number_beside_a_link_is_what_the_link_shows(self, client: Client) -> None:
        for url, text in visit(client, "/about/").links.items():
            if url.startswith("/issues/") and re.fullmatch(r"\s*[\d,]+\s*", text):
                shown = visit(client, url).words
                assert re.search(rf"\b{text.strip()} issues?\b", shown) or "No issue matches" in shown, url

    def test_gives_a_citation_and_the_licences(self, client: Client) -> None:
        words = visit(client, "/about/").words
        assert "@misc{faultbook," in words
        assert "Apache License 2.0" in words

    def test_takes_at_most_12_queries(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(12):
            client.get("/about/")


class TestNumbers:
    def test_labels_and_issues_are_counted_by_source_the_most_trusted_first(self) -> None:
        study = make_study()
        imported = make_source("a-study", kind="study", study=study)
        hang, crash = make_node("hang"), make_node("crash")
        issue = make_issue()
        make_label(issue, hang, imported)
        make_label(issue, hang)
        make_label(issue, crash)
        make_label(make_issue(kind="pull_request"), hang)
        counted = [(row.source.slug, row.labels, row.issues) for row in overview.quality().sources]
        assert counted == [("curated", 3, 1), ("a-study", 1, 1)]

    def test_gaps_are_counted_among_described_issues_only(self) -> None:
        make_issue(1)
        make_issue(2, summary="It fails.")
        full = make_issue(
            3,
            summary="It fails.",
            resolution="Mended.",
            workaround="None needed.",
            opened_at=dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        )
        make_label(full, make_node("race", axis=make_axis("root_cause")))
        make_label(full, make_node("guard", axis=make_axis("fix_pattern")))
        full.fixes.add(make_fix())
        assert overview.quality().gaps == overview.Gaps(
            curated=2, no_cause=1, no_pattern=1, no_resolution=1, no_workaround=1, no_fix=1, no_opening_date=1
        )


def test_an_empty_house_is_described_honestly(client: Client) -> None:
    words = visit(client, "/about/").words
    assert "Nobody holds a label yet" in words
    assert "nothing was mirrored yet" in words


@pytest.mark.parametrize("name", ["agreement", "faq", "cookbook"])
def test_a_page_of_the_docs_has_only_links_that_lead_somewhere(client: Client, name: str) -> None:
    page = visit(client, f"/about/{name}/")
    assert "](" not in page.words
    assert [url for url in page.links if url.endswith(".md") or ".md#" in url] == []
    for url in page.links:
        if url.startswith("/about/"):
            assert client.get(url).status_code == 200, url


def test_the_docs_lead_to_the_sites_own_pages(client: Client) -> None:
    links = visit(client, "/about/faq/").links
    assert {"/issues/reported/", "/about/agreement/", "/api/docs/", "/codebook/"} <= set(links)
