"""The search page: what it says about what it found, its facets, and that it never guesses in silence."""

import json
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Kind, RepositoryAlias
from tests.engines import PutIssuesIn
from tests.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)
from tests.web.reading import visit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = "<script>alert(1)</script>"


@pytest.fixture
def hangs() -> None:
    """Three hangs, two of them in DeepSpeed, one with a cause and a fix."""
    hang = make_node("hang", name="Hang", aliases=["stuck"])
    race = make_node("race", axis=make_axis("root_cause"), name="Race")
    guard = make_node("guard", axis=make_axis("fix_pattern"), name="Add a guard")
    vllm = make_repository("vllm-project/vllm", "vllm")
    first = make_issue(1, heading="Training hangs in ZeRO-3", summary="All ranks wait for ever.", state="closed")
    second = make_issue(2, title="Hangs at the first step", body="The job hangs after the banner.", state="open")
    third = make_issue(3, repository=vllm, title="Server hangs under load")
    for issue in (first, second, third):
        make_label(issue, hang)
    make_label(first, race)
    make_label(first, guard)
    first.fixes.add(make_fix(4, additions=3, deletions=2))


@pytest.mark.usefixtures("hangs")
class TestRows:
    def test_show_symptom_cause_fix_and_the_fix_itself(self, client: Client) -> None:
        page = visit(client, "/issues/?q=zero3")
        assert "Training hangs in ZeRO-3" in page.words
        for text in ("Hang", "Race", "Add a guard", "deepspeedai/DeepSpeed#4", "small", "closed", "curated"):
            assert text in page.words
        assert "https://github.com/deepspeedai/DeepSpeed/pull/4" in page.links

    def test_say_what_is_not_stated_and_who_has_not_described_it(self, client: Client) -> None:
        page = visit(client, "/issues/?q=banner")
        assert "not described yet" in page.words
        assert "not stated" in page.words

    def test_mark_the_words_that_were_found(self, client: Client) -> None:
        html = client.get("/issues/?q=hanging").content.decode()
        assert "<mark>hangs</mark> after the banner" in html

    def test_link_the_original(self, client: Client) -> None:
        page = visit(client, "/issues/?q=banner")
        assert "DeepSpeed#2" in page.links["https://github.com/deepspeedai/DeepSpeed/issues/2"]

    def test_mark_who_holds_the_labels(self, client: Client) -> None:
        study = make_study("p9", code="P9")
        source = make_source("p9", kind="study", confidence="low", study=study)
        make_label(make_issue(5, title="A gizmo"), make_node("x", axis=make_axis(scheme="p9", study=study)), source)
        assert "P9 , confidence low" in visit(client, "/issues/?q=gizmo").words


class TestReasons:
    def test_mark_folded_words_as_they_were_written(self, client: Client) -> None:
        make_issue(9, title="A", body="A run with ZeRO-3 stops, and stage_3 does too.")
        html = client.get("/issues/?q=zero+stage+3+stops").content.decode()
        assert "with <mark>ZeRO-3</mark> <mark>stops</mark>" in html

    @pytest.mark.usefixtures("hangs")
    def test_say_which_words_stand_in_the_title_and_which_elsewhere(self, client: Client) -> None:
        words = visit(client, "/issues/?q=banner+first+step").words
        assert "all 3 words in the title: first, step in the text: banner" in words

    @pytest.mark.usefixtures("hangs")
    def test_count_words_only_where_there_are_several(self, client: Client) -> None:
        assert "Why: both words in the title:" in visit(client, "/issues/?q=first+step").words
        assert "Why: in the text: banner" in visit(client, "/issues/?q=banner").words

    @pytest.mark.usefixtures("hangs")
    def test_say_that_words_may_be_missing(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(7, title="A spare banner of its own")
        search_index()
        assert "at least 2 of 3 words in the title: server, load" in visit(client, "/issues/?q=server+load+spare").words

    def test_name_the_other_word_for_the_same(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(1, title="Training gets stuck at the barrier")
        make_issue(2, title="Training hangs at the start")
        search_index()
        assert (
            "in the title: barrier, training “stuck” for hang"
            in visit(client, "/issues/?q=barrier+training+hang").words
        )


class TestTwins:
    def test_reports_with_one_title_in_one_framework_are_one_result(self, client: Client) -> None:
        vllm = make_repository("vllm-project/vllm", "vllm")
        for number in (1, 2):
            make_issue(number, title="[Bug] Server hangs under load")
        make_issue(3, repository=vllm, title="[Bug] Server hangs under load")
        html = client.get("/issues/?q=server+hangs").content.decode()
        assert html.count('class="result-title"') == 2
        page = visit(client, "/issues/?q=server+hangs")
        assert "Also reported as DeepSpeed#1" in page.words
        assert "/issues/github.com/deepspeedai/DeepSpeed/1" in page.links
        assert "3 issues with both words" in page.words

    def test_short_titles_are_alike_by_chance(self, client: Client) -> None:
        for number in (1, 2):
            make_issue(number, title="Server hangs")
        assert "Also reported" not in visit(client, "/issues/?q=server").words


class TestTotals:
    @pytest.mark.usefixtures("hangs")
    def test_say_that_all_words_were_found(self, client: Client) -> None:
        assert "1 issue with both words" in visit(client, "/issues/?q=server+load").words
        assert "1 issue with this word" in visit(client, "/issues/?q=load").words
        assert "1 issue with the phrase" in visit(client, "/issues/?q=%22under+load%22").words

    @pytest.mark.usefixtures("hangs")
    def test_say_how_many_words_were_found(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(7, title="A banana", body="in the warehouse")
        search_index()
        words = visit(client, "/issues/?q=server+load+banana").words
        assert "1 issue with at least 2 of your 3 words" in words
        assert "2 issues with either of your words" in visit(client, "/issues/?q=server+banana").words

    @pytest.mark.usefixtures("hangs")
    def test_do_not_count_words_that_no_issue_has(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        assert "1 issue with both words" in visit(client, "/issues/?q=server+load").words
        assert "1 issue with all the other words" in visit(client, "/issues/?q=server+load+xylophone").words
        assert "1 issue with the other word" in visit(client, "/issues/?q=load+xylophone").words

    @pytest.mark.usefixtures("hangs")
    def test_do_not_call_a_stop_word_unknown_without_an_index(self, client: Client) -> None:
        assert "No issue has" not in visit(client, "/issues/?q=load+in+the+server").words

    @pytest.mark.usefixtures("hangs")
    def test_leave_pull_requests_out_unless_asked(self, client: Client) -> None:
        make_issue(8, title="Server hangs no more", kind=Kind.PULL_REQUEST)
        assert "1 issue with this word" in visit(client, "/issues/?q=server").words
        assert "pull request" in visit(client, "/issues/?q=server&kind=pull_request").words

    @pytest.mark.usefixtures("starter")
    def test_every_facet_count_is_what_its_link_shows(self, client: Client) -> None:
        html = client.get("/issues/?q=hang").content.decode()
        values = re.findall(r'id="first-[^"]+" href="([^"]+)"><span.*?class="count">([\d,]+)<', html)
        assert len(values) > 20
        for url, count in values[::6]:
            shown = visit(client, "/issues/" + url.replace("&amp;", "&")).words
            assert re.search(rf"\b{count} issues? with this word", shown), url


@pytest.mark.usefixtures("starter")
class TestWhatIsClose:
    """With the index, which alone knows how often words occur and what they weigh."""

    def test_a_misspelt_word_is_mended_and_named(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, "/issues/?q=dedlock+in+ZeRO-3")
        assert re.search(r"Showing results for deadlocks? \(nothing has “dedlock”\)", page.words)
        assert "search index is not ready" not in page.words

    def test_words_that_nothing_has_are_named_as_they_were_typed(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        search_index()
        assert "No issue has “Xyzzyplugh”." in visit(client, "/issues/?q=hang+Xyzzyplugh").words

    def test_nothing_close_is_said_so(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, "/issues/?q=recipe+for+sourdough+bread+with+rye+and+fresh+memory+of+summer")
        assert "Nothing close was found. These share some words." in page.words
        assert "Paste an error or a log instead" in page.links["#q"]

    def test_what_is_close_is_not_doubted(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        assert "Nothing close" not in visit(client, "/issues/?q=Mixtral+under+ZeRO-3+hangs").words

    def test_without_the_index_the_simpler_search_says_so(self, client: Client) -> None:
        assert "search index is not ready" in visit(client, "/issues/?q=hang").words

    @pytest.mark.usefixtures("search_in_postgres")
    def test_a_chosen_simpler_search_is_no_stand_in(self, client: Client) -> None:
        assert "search index is not ready" not in visit(client, "/issues/?q=hang").words


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


class TestMistakes:
    def test_a_wrong_value_is_named_and_nothing_is_guessed(self, client: Client) -> None:
        make_issue(1)
        page = visit(client, "/issues/?state=opne")
        assert "A filter was not understood" in page.words
        assert "opne" in page.words
        assert "Nothing was searched" in page.words
        assert "?" in page.links

    def test_an_unknown_filter_in_the_box_is_named_with_the_nearest(self, client: Client) -> None:
        make_node("hang")
        page = visit(client, "/issues/?q=symtom:hang+symptom:hnag")
        assert "Nearest: “symptom:”" in page.words
        assert "is not a symptom here. Nearest: Hang (hang)" in page.words
        assert "Nothing was searched" in page.words

    def test_a_filter_behind_a_paste_says_that_it_does_not_count(self, client: Client) -> None:
        assert "all of it was searched as text" in visit(client, "/issues/?q=one%0Atwo+symptom:hang").words

    def test_a_wrong_order_is_named(self, client: Client) -> None:
        assert "Unknown order" in visit(client, "/issues/?sort=upwards").words

    def test_a_page_beyond_the_last_is_the_last(self, client: Client) -> None:
        make_issue(1, title="Only one")
        assert "Only one" in visit(client, "/issues/?page=99").words
        assert "Only one" in visit(client, "/issues/?page=x").words

    def test_a_text_over_100000_characters_is_cut_and_says_so(self, client: Client) -> None:
        page = visit(client, f"/issues/?q={'word+' * 30_000}")
        assert "only its beginning was searched" in page.words
        assert len(page.inputs["q"]) <= 100_000

    def test_an_address_that_is_too_long_to_be_taken_apart_is_refused(self, client: Client) -> None:
        response = client.get("/issues/?q=" + "%22" * 1_000_000)
        assert response.status_code == 400
        assert "too large" in response.content.decode()

    def test_zero_bytes_and_broken_quotes_do_no_harm(self, client: Client) -> None:
        for q in ("a%00b", '"', "---", "%F0%9F", "()&|!:*'\\"):
            visit(client, f"/issues/?q={q}")

    @pytest.mark.usefixtures("hangs")
    def test_nothing_found_offers_each_filter_less_with_its_count(self, client: Client) -> None:
        page = visit(client, "/issues/?q=hangs&framework=vllm&state=open")
        assert "No issue matches" in page.words
        assert "without “Framework” : 1 issue" in page.words
        assert "?q=hangs&state=open" in page.links

    @pytest.mark.usefixtures("hangs")
    def test_nothing_found_offers_no_filter_at_all_and_fewer_words(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        search_index()
        page = visit(client, "/issues/?q=server+load+step&framework=vllm&state=open")
        assert "without any filter : 1 issue" in page.words
        assert "?q=server%20load%20step" in page.links
        page = visit(client, "/issues/?q=server+load+step&framework=deepspeed")
        assert "with any of your 3 words : 1 issue" in page.words
        [loose] = [url for url in page.links if "match=any" in url]
        assert "Hangs at the first step" in visit(client, f"/issues/{loose}").words

    def test_nothing_found_leads_to_the_box_and_to_drafts(self, client: Client) -> None:
        page = visit(client, "/issues/?q=banana")
        assert "Paste an error or a log instead" in page.links["#q"]
        assert "/issues/reported/?title=banana" in page.links

    @pytest.mark.parametrize("url", [f"/issues/?q={XSS}", f"/issues/?framework={XSS}", f"/issues/?q=a&sort={XSS}"])
    def test_what_was_typed_comes_back_as_text(self, client: Client, url: str) -> None:
        assert XSS not in client.get(url).content.decode()

    def test_mirrored_texts_come_out_as_text(self, client: Client) -> None:
        make_issue(1, title=f"Boom {XSS}", body=f"Boom <img src=x onerror=alert(1)> {XSS} \ue000boom")
        html = client.get("/issues/?q=boom").content.decode()
        assert XSS not in html
        assert "onerror=alert(1)>" not in html
        assert "&lt;" in html


class TestReferences:
    def test_an_exact_name_leads_to_the_issue(self, client: Client) -> None:
        issue = make_issue(5030)
        for q in ("DeepSpeed%235030", "deepspeedai/DeepSpeed%235030", issue.url):
            response = client.get(f"/issues/?q={q}")
            assert (response.status_code, response.headers["Location"]) == (302, issue.get_absolute_url())

    def test_an_old_name_leads_to_the_issue_too(self, client: Client) -> None:
        issue = make_issue(5030)
        RepositoryAlias.objects.create(repository=issue.repository, host="github.com", full_name="microsoft/DeepSpeed")
        response = client.get("/issues/?q=https://github.com/microsoft/DeepSpeed/issues/5030")
        assert response.headers["Location"] == issue.get_absolute_url()

    def test_an_unknown_name_says_so_and_offers_to_search_its_words(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        make_issue(1, title="As in DeepSpeed#99")
        search_index()
        page = visit(client, "/issues/?q=DeepSpeed%2399")
        assert "DeepSpeed#99 is not known here. No issue matches." in page.words
        assert page.links["?q=%22DeepSpeed%2399%22"] == "as words of a text"

    def test_while_typing_nobody_is_carried_away(self, client: Client) -> None:
        issue = make_issue(503, heading="A fault in an optimizer")
        page = visit(client, "/issues/?q=DeepSpeed%23503", headers=HTMX)
        assert "Go to DeepSpeed#503" in page.links[issue.get_absolute_url()]


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
def test_takes_at_most_12_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, search_index: PutIssuesIn, url: str
) -> None:
    search_index()
    with django_assert_max_num_queries(12):
        client.get(url)
