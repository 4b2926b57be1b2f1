"""The search page: facets, chips, pages, and long texts."""

import json
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_issue,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


class TestFacets:
    @pytest.mark.usefixtures("hangs")
    def test_are_links_that_work_without_scripts(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs")
        assert "?q=hangs&framework=vllm" in page.links
        narrowed = visit(client, "/issues/?q=hangs&framework=vllm")
        assert "1 issue with this word" in narrowed.words

    @pytest.mark.usefixtures("hangs")
    def test_keep_the_other_values_of_a_chosen_group(self, client: Client) -> None:
        assert "?framework=vllm,deepspeed" in visit(client, "/issues/?framework=vllm").links

    @pytest.mark.usefixtures("starter")
    def test_show_ten_values_and_the_rest_behind_a_click(self, client: Client) -> None:
        html = client.get("/issues/").content.decode()
        symptoms = html.split('id="facet-symptom"')[1].split('id="facet-cause"')[0]
        assert len(re.findall('id="first-symptom-', symptoms)) <= 10
        assert re.search(r"<summary>Show all \d+</summary>", symptoms)
        assert 'class="form-control form-control-sm facet-box"' in symptoms

    @pytest.mark.usefixtures("starter")
    def test_show_what_lies_below_a_choice(self, client: Client) -> None:
        html = client.get("/issues/?symptom=hang").content.decode()
        assert re.search(r'depth-1"><a id="first-symptom-hang-collective"', html)

    @pytest.mark.usefixtures("hangs")
    def test_choices_are_chips_that_can_be_taken_away(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs&symptom=hang&framework=deepspeed,vllm&page=2")
        assert "Symptom: Hang" in page.words
        assert "?q=hangs&framework=deepspeed,vllm" in page.links
        assert "?q=hangs&symptom=hang&framework=vllm" in page.links
        assert "Clear all filters" in page.links["/issues/?q=hangs"]

    @pytest.mark.usefixtures("hangs")
    def test_filters_in_the_box_are_chips_and_facets_like_any_other(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs+symptom:stuck+-is:open&framework=deepspeed")
        assert "1 issue with this word" in page.words
        assert page.inputs["q"] == "hangs symptom:stuck -is:open"
        assert "Symptom: Hang" in page.words
        assert "State: not Open" in page.words
        assert "Symptom: Hang" in page.links["?q=hangs%20-is%3Aopen&framework=deepspeed"]
        assert "State: not Open" in page.links["?q=hangs%20symptom%3Astuck&framework=deepspeed"]
        assert "Clear all filters" in page.links["/issues/?q=hangs"]
        assert "?q=hangs+symptom%3Astuck+-is%3Aopen&framework=deepspeed,vllm" in page.links

    @pytest.mark.usefixtures("hangs")
    def test_what_the_box_and_the_address_both_ask_for_is_one_chip(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs+symptom:stuck&symptom=hang")
        assert page.words.count("Symptom: Hang") == 1
        assert "Symptom: Hang" in page.links["?q=hangs"]

    @pytest.mark.usefixtures("hangs")
    def test_a_new_search_from_the_box_keeps_them(self, client: Client) -> None:
        assert visit(client, "/issues/?symptom=hang&sort=newest").inputs | {"q": ""} == {
            "q": "",
            "symptom": "hang",
            "sort": "newest",
        }


class TestPages:
    def test_hold_20_and_repeat_nothing(self, client: Client) -> None:
        for number in range(1, 31):
            make_issue(number, title=f"Fault {number:03}")
        pages = [set(re.findall(r"Fault \d{3}", visit(client, f"/issues/?page={n}").words)) for n in (1, 2)]
        assert [len(titles) for titles in pages] == [20, 10]
        assert not pages[0] & pages[1]

    def test_keep_the_search_in_their_addresses(self, client: Client) -> None:
        for number in range(1, 31):
            make_issue(number, title="Fault")
        assert "?q=fault&sort=newest&page=2" in visit(client, "/issues/?q=fault&sort=newest").links

    @pytest.mark.usefixtures("hangs")
    def test_name_the_same_search_in_the_api(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs&framework=vllm&page=1")
        url = next(url for url, text in page.links.items() if "API" in text and "?" in url)
        assert url == "/api/v1/issues/?q=hangs&framework=vllm"
        assert json.loads(client.get(url).content)["count"] == 1


@pytest.mark.usefixtures("starter")
class TestLongTexts:
    """A pasted log of hundreds of lines: whatever narrows the search is a button of its form."""

    LOG = "the rank hangs in line 12 of a log\n" * 300

    def test_do_not_make_the_page_many_times_as_long(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = len(client.get("/issues/", {"q": self.LOG}).content)
        assert page < len(client.get("/issues/?q=hang").content) + 12 * len(self.LOG)

    def test_are_narrowed_by_buttons_that_keep_what_was_chosen(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        html = client.get("/issues/", {"q": self.LOG, "framework": "vllm"}).content.decode()
        assert 'form="search-form" name="change" value="framework=vllm,deepspeed"' in html
        assert 'form="search-form" name="change" value="framework=" aria-current="true"' in html
        assert 'value="sort=newest"' in html

    @pytest.mark.parametrize(
        ("change", "then"),
        [
            ("framework=", {}),
            ("framework=vllm,deepspeed", {"framework": "vllm,deepspeed"}),
            ("sort=newest", {"framework": "vllm", "sort": "newest"}),
        ],
    )
    def test_lead_from_a_button_to_the_changed_search(self, client: Client, change: str, then: dict[str, str]) -> None:
        response = client.get("/issues/", {"q": "one\nhang", "framework": "vllm", "page": "2", "change": change})
        assert response.context["result"].asked.params.dict() == {"q": "one\nhang", **then}
        assert dict(response.context["kept"]) == then


@pytest.mark.usefixtures("hangs")
class TestHtmx:
    def test_gets_the_results_alone_and_what_changes_around_them(self, client: Client) -> None:
        html = client.get("/issues/?q=server", headers=HTMX).content.decode()
        assert "<html" not in html
        assert 'id="results"' in html
        assert "<title>" in html
        assert re.search(r'id="kept"[^>]*hx-swap-oob="true"', html, re.DOTALL)
        assert 'name="q"' not in html

    def test_going_back_gets_the_whole_page(self, client: Client) -> None:
        html = client.get("/issues/", headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()
        assert "<html" in html

    def test_caches_keep_both_answers_apart(self, client: Client) -> None:
        assert "HX-Request" in client.get("/issues/").headers["Vary"]


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(
    "url",
    [
        "/issues/",
        "/issues/?q=hang+in+ZeRO-3",
        "/issues/?q=hang+banana&framework=deepspeed&symptom=hang,crash&state=closed",
        "/issues/?q=qqqq&framework=deepspeed&symptom=hang&state=closed&has_fix=true",
    ],
)
def test_takes_few_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, search_index: PutIssuesIn, url: str
) -> None:
    """What the answer panel counts, it counts once for all readers; "hang in ZeRO-3" has to be counted three times."""
    search_index()
    with django_assert_max_num_queries(18 if "ZeRO-3" in url else 12):
        client.get(url)
    with django_assert_max_num_queries(12 if "has_fix" in url else 1):
        client.get(url)
