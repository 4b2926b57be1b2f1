"""Sides compared: the address is the comparison, and every number is what its click finds."""

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from kb.models import Node
from tests.kb.web.reading import visit
from tests.kb.web.test_charts import found_by, words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_repository

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
PATH = "/explore/compare/"
MOST_QUERIES = 14
# Issues by framework and symptom.
NUMBERS = {("deepspeed", "hang"): 40, ("deepspeed", "crash"): 10, ("vllm", "hang"): 10, ("vllm", "crash"): 40}
SMALLER = {("peft", "hang"): 6, ("trl", "crash"): 3}


@pytest.fixture(scope="module", autouse=True)
def _issues(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Made once: no test here changes them."""
    with django_db_blocker.unblock(), transaction.atomic():
        make_issues()
        yield
        transaction.set_rollback(True)


def make_issues() -> None:
    symptoms = {code: make_node(code) for code in ("hang", "crash")}
    races = {code: make_node(f"why-{code}", axis=make_axis("root_cause")) for code in symptoms}
    parts = [make_node(code, axis=make_axis("component")) for code in ("zero", "pipe")]
    for (slug, code), number in (NUMBERS | SMALLER).items():
        repository = make_repository(f"{slug}/{slug}", slug)
        for place in range(number):
            label(repository.pk, symptoms[code], races[code], *parts[: 1 + (place == 0)])


def label(repository: int, *nodes: Node) -> None:
    issue = make_issue(repository_id=repository, opened_at=f"{2020 + len(nodes)}-05-01T00:00Z")
    for node in nodes:
        make_label(issue, node)


def page(client: Client, query: str = "", status: int = 200) -> "Response":
    response = client.get(PATH + query)
    assert response.status_code == status
    return response


def test_the_address_is_the_comparison_in_few_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(MOST_QUERIES):
        response = page(client, "?side=deepspeed&side=vllm")
    text = words(response)
    assert "Deepspeed &gt; Vllm" in text
    assert "2 of 2 symptoms differ" in text
    assert response.context["permalink"] == "http://testserver/explore/compare/?side=deepspeed,vllm"
    again = page(client, "?side=deepspeed,vllm")
    assert again.context["drawn"] == response.context["drawn"]
    assert 'style="' not in response.content.decode()


@pytest.mark.parametrize("query", ["?side=deepspeed,vllm", "?by=year&side=2023,2024", "?side=peft,vllm&rows=cause"])
def test_every_number_is_what_its_click_finds(client: Client, query: str, search_index: PutIssuesIn) -> None:
    search_index()
    records = page(client, query).context["drawn"].records
    assert records
    for record in records:
        assert found_by(record["query"]) == record["issues"], record


def test_small_samples_are_marked_last_or_left_out_of_the_figure_but_in_the_files(client: Client) -> None:
    response = page(client, "?side=trl,peft,vllm")
    drawn = response.context["drawn"]
    assert [side.code for side in response.context["drawn"].table.columns] == ["vllm", "peft", "differ"]
    vllm, peft = drawn.figure["data"]
    assert "small sample (n = 6)" in peft["name"]
    assert (vllm["marker"]["symbol"], peft["marker"]["symbol"]) == ("circle", "square-open")
    assert any("Trl (n = 3)" in note for note in drawn.notes)
    rows = list(csv.DictReader(io.StringIO(page(client, "?side=trl,peft,vllm&format=csv").content.decode())))
    assert {(row["framework"], row["small_sample"]) for row in rows} == {
        ("vllm", "False"), ("peft", "True"), ("trl", "True"),
    }  # fmt: skip


def test_too_few_for_a_comparison_are_one_line(client: Client) -> None:
    response = page(client, "?side=trl,vllm")
    assert "Too few to compare" in words(response)
    assert "compare-figure" not in response.content.decode()


def test_issues_on_several_sides_are_on_none(client: Client) -> None:
    response = page(client, "?by=component&side=zero,pipe")
    assert "Left out, with several of these components: 6 issues" in " ".join(response.context["drawn"].notes)


def test_the_page_says_what_is_counted_and_how_to_cite_it(client: Client) -> None:
    text = words(page(client, "?side=deepspeed,vllm"))
    for part in ("n = 100 issues", "Not a random sample", "codebook", "95 %", "Link and cite", "Based on the house"):
        assert part in text
    document = page(client, "?side=deepspeed,vllm&format=json").json()
    assert document["finding"] in text.replace("&gt;", ">")
    assert document["counted"] == {"issues": 100, "of": 100}


def test_without_scripts_it_is_a_list_of_which_several_can_be_chosen(client: Client) -> None:
    html = page(client).content.decode()
    assert "multiple" in html
    assert "Deepspeed (50)" in html
    assert "plotly.min.js" not in html
    assert visit(client, PATH).inline == []


def test_what_the_filters_leave_nothing_of_is_named_and_not_drawn(client: Client) -> None:
    drawn = page(client, "?framework=deepspeed,vllm&side=deepspeed,vllm,peft").context["drawn"]
    assert any("Peft (n = 0)" in note for note in drawn.notes)
    assert len(drawn.figure["data"]) == 2


def test_one_side_asks_for_another(client: Client) -> None:
    assert "Choose at least two." in words(page(client, "?side=vllm"))


@pytest.mark.parametrize(
    ("query", "says"), [("?side=vlm,deepspeed", "vllm"), ("?state=opne&side=vllm,peft", "opne"), ("?side=%00", "")]
)
def test_what_is_not_known_is_said(client: Client, query: str, says: str) -> None:
    assert says in words(page(client, query, status=400))


def test_switches_and_filters_keep_the_rest_of_the_address(client: Client) -> None:
    response = page(client, "?side=deepspeed,vllm&rows=cause&state=open,closed,unknown")
    urls = [url for switch in response.context["switches"] for _, url, _ in switch.choices]
    assert "?state=open,closed,unknown&rows=symptom&side=deepspeed,vllm" in urls
    assert "?state=open,closed,unknown&rows=cause&by=year" in urls
    assert '<input type="hidden" name="side" value="deepspeed,vllm">' in response.content.decode()
