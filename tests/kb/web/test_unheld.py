"""The page of an issue that is not held: what a study, a fix or a record says of it, and nearest ones apart."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kb.models import RepositoryAlias
from tests.kb.web.reading import Page, visit
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_study,
)

pytestmark = pytest.mark.django_db
CITED = "/issues/github.com/deepspeedai/DeepSpeed/4036"
# Looking for it under old names and former addresses takes half of them.
MOST_QUERIES = 14


def page(client: Client, address: str = CITED) -> Page:
    return visit(client, address, status=404)


def test_a_study_that_cites_it_says_under_which_category(client: Client) -> None:
    study = make_study("p5-llm-challenges", code="P5")
    make_node("C.2.ii", axis=make_axis("theme", scheme=study.slug, study=study), name="Slow all the same")
    words = page(client).words
    assert "The study P5 cites it (reference 75) as an example of Slow all the same (C.2.ii)." in words
    assert "In the study’s published rows it has the theme C.2." in words


def test_rows_that_say_another_theme_than_the_paper_are_said_to(client: Client) -> None:
    words = page(client, "/issues/github.com/deepspeedai/DeepSpeed/5636").words
    assert "has the theme C.5, which is another one." in words


def test_an_old_name_of_its_repository_is_the_same_issue(client: Client) -> None:
    repository = make_repository()
    RepositoryAlias.objects.create(repository=repository, host="github.com", full_name="microsoft/DeepSpeed")
    assert "reference 75" in page(client, "/issues/github.com/microsoft/DeepSpeed/4036").words
    assert "reference 73" in page(client, "/issues/github.com/deepspeedai/DeepSpeed/6906").words


def test_a_pull_request_that_fixed_an_issue_leads_to_it(client: Client) -> None:
    issue = make_issue(7)
    issue.fixes.add(make_fix(99, url="https://github.com/deepspeedai/DeepSpeed/pull/99"))
    found = page(client, "/issues/github.com/deepspeedai/DeepSpeed/99")
    assert "It is the fix" in found.words
    assert issue.get_absolute_url() in found.links


def test_a_record_that_names_it_is_named(client: Client) -> None:
    naming = make_issue(7, related_urls=["https://github.com/deepspeedai/DeepSpeed/issues/99"])
    evidence = make_issue(
        8, evidence=[{"url": "https://github.com/deepspeedai/DeepSpeed/issues/99", "supports": "cause"}]
    )
    links = page(client, "/issues/github.com/deepspeedai/DeepSpeed/99").links
    assert {naming.get_absolute_url(), evidence.get_absolute_url()} <= set(links)


def test_held_ones_of_its_theme_stand_apart(client: Client) -> None:
    near = make_issue(7)
    make_label(near, make_node("C.2.ii", axis=make_axis("theme")))
    found = page(client)
    assert "Held issues of the same theme" in found.words
    assert near.get_absolute_url() in found.links


def test_of_one_that_nothing_names_that_is_said(client: Client) -> None:
    words = page(client, "/issues/github.com/someone/else/7").words
    assert "No fix, record or study that is held here names it either." in words


def test_takes_few_queries(client: Client) -> None:
    make_issue(7)
    with CaptureQueriesContext(connection) as queries:
        page(client)
    assert len(queries) <= MOST_QUERIES
