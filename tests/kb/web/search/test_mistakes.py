"""The search page guesses nothing in silence: wrong values, nothing found, names of issues."""

from urllib.parse import quote

import pytest
from django.test import Client

from kb.models import RepositoryAlias
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_issue,
    make_node,
    make_repository,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = "<script>alert(1)</script>"


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
        assert "without the filter “Framework” : 1 issue" in page.words
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

    @pytest.mark.parametrize("text", ["DeepSpeed#99", "deepspeed#99", "microsoft/DeepSpeed#99", "<DeepSpeed#99>."])
    def test_an_unknown_issue_leads_to_the_page_that_says_so(self, client: Client, text: str) -> None:
        repository = make_repository()
        RepositoryAlias.objects.create(repository=repository, host="github.com", full_name="microsoft/DeepSpeed")
        address = client.get("/issues/", {"q": text}).headers["Location"]
        unknown = visit(client, address, status=404)
        assert "Faultbook does not know this issue" in unknown.words
        assert "/issues/?q=%22DeepSpeed%2399%22" in unknown.links

    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("someone/else#7", "/issues/github.com/someone/else/7"),
            ("https://github.com/someone/else/pull/7#discussion_r1", "/issues/github.com/someone/else/7"),
            ("someone/else/issues/7", "/issues/github.com/someone/else/7"),
            ("mindspore/else#I71V26", "/issues/gitee.com/mindspore/else/I71V26"),
            ("https://faultbook.example/issues/github.com/someone/else/7", "/issues/github.com/someone/else/7"),
        ],
    )
    def test_an_issue_of_an_unknown_repository_does_too(self, client: Client, text: str, address: str) -> None:
        assert client.get("/issues/", {"q": text}).headers["Location"] == address

    def test_of_a_repository_and_its_fork_the_one_with_more_issues_is_meant(self, client: Client) -> None:
        make_issue(1)
        make_repository("rocm/DeepSpeed")
        assert client.get("/issues/?q=deepspeed%2399").headers["Location"].endswith("/deepspeedai/DeepSpeed/99")
        make_issue(2, repository=make_repository("rocm/DeepSpeed"))
        assert client.get("/issues/?q=deepspeed%2399").status_code == 200

    def test_a_name_that_no_repository_has_is_said_to_be_unknown(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        make_issue(1, title="Out of memory on GPU#99")
        search_index()
        page = visit(client, "/issues/?q=GPU%2399")
        assert "GPU#99 is not known here. No issue matches." in page.words
        assert page.links["?q=%22GPU%2399%22"] == "as words of a text"

    @pytest.mark.parametrize(
        "text", ["DeepSpeed #99", "issue DeepSpeed#99", "deepspeed#99 is slow", "slow: DeepSpeed#99"]
    )
    def test_one_that_is_named_beside_words_and_not_held_is_said_to_be_apart(
        self, client: Client, search_index: PutIssuesIn, text: str
    ) -> None:
        make_issue(1, title="DeepSpeed is slow")
        search_index()
        page = visit(client, f"/issues/?q={quote(text)}")
        assert "DeepSpeed#99 is not held here. The results only share words with the text." in page.words
        assert page.links["/issues/github.com/deepspeedai/DeepSpeed/99"] == "What is known of it"
        notices = client.get("/api/v1/search/", {"q": text}).json()["query"]["notices"]
        assert notices == ["DeepSpeed#99 is not held here. The results only share words with the text."]

    def test_one_that_is_named_beside_words_and_held_leads_to_it(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        issue = make_issue(99, heading="The step is slow")
        search_index()
        page = visit(client, "/issues/?q=why+is+DeepSpeed+%2399+slow")
        assert page.links[issue.get_absolute_url()].startswith("Go to DeepSpeed#99")

    @pytest.mark.parametrize("text", ["CUDA error #99", "GPU #3 hangs", "step deepspeed#99x"])
    def test_a_number_behind_the_name_of_no_repository_is_text(
        self, client: Client, search_index: PutIssuesIn, text: str
    ) -> None:
        make_issue(1, title="CUDA error: a GPU hangs in the step")
        search_index()
        assert "is not held here" not in visit(client, f"/issues/?q={quote(text)}").words

    def test_while_typing_nobody_is_carried_away(self, client: Client) -> None:
        issue = make_issue(503, heading="A fault in an optimizer")
        page = visit(client, "/issues/?q=DeepSpeed%23503", headers=HTMX)
        assert "Go to DeepSpeed#503" in page.links[issue.get_absolute_url()]
