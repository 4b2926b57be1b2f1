"""Has this been reported? A draft's title and body, short ones in the address and long ones beside it."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.core.search.drafts import draft_text
from kb.search import search_draft
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ADDRESS = "/issues/reported/"
LOG = """### Your current environment

PyTorch version: 2.4.0
Is debug build: False
CUDA used to build PyTorch: 12.1
OS: Ubuntu 22.04
GCC version: 11.4.0

I start training as the manual says.

Traceback (most recent call last):
RuntimeError: CUDA error: an illegal memory access was encountered
"""


class TestDraftText:
    def test_is_the_title_the_telling_lines_and_the_first_words(self) -> None:
        title, error, prose = draft_text("It crashes", LOG).split("\n", 2)
        assert title == "It crashes"
        assert error == "RuntimeError: CUDA error: an illegal memory access was encountered"
        assert "I start training as the manual says." in prose

    def test_has_no_printed_out_environment(self) -> None:
        assert "PyTorch version" not in draft_text("It crashes", LOG)

    def test_of_nothing_is_nothing(self) -> None:
        assert draft_text(" ", "\n") == ""


class TestClosestIssues:
    def test_come_first(self, search_index: PutIssuesIn) -> None:
        known = make_issue(1, title="illegal memory access in the fused kernel", body="CUDA error while training")
        make_issue(2, title="Tokenizer is slow")
        search_index()
        assert search_draft("Training crashes", LOG).ids == (known.pk,)

    def test_nothing_in_a_draft_is_an_operator(self, search_index: PutIssuesIn) -> None:
        known = make_issue(1, title="Server hangs on windows when the state is open")
        search_index()
        assert search_draft("hangs -windows state:open framework:none", "").ids == (known.pk,)


class TestPage:
    def test_says_how_surely_it_is_the_same_fault(self, client: Client, search_index: PutIssuesIn) -> None:
        title, line = "DeepSpeed stops in the fused kernel", "RuntimeError: block_shape 128 does not divide 576"
        known = make_issue(1, title=title, body=line)
        for number in range(2, 9):
            make_issue(number, title=f"Something else {number}")
        search_index()
        page = client.get(ADDRESS, {"title": title, "body": line}).content.decode()
        assert f'<a href="{known.get_absolute_url()}">{known.short_name}: {title}</a>' in page
        assert "<strong>same fault, 0." in page

    def test_asks_for_a_draft(self, client: Client) -> None:
        page = visit(client, ADDRESS)
        assert {"title", "body"} <= set(page.inputs)
        assert "closest" not in page.links

    @pytest.mark.usefixtures("starter")
    def test_shows_the_closest_issues_and_why(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, f"{ADDRESS}?title=Mixtral+hangs+with+ZeRO-3&body=in-flight+parameters")
        assert "The closest known issues" in page.words
        assert "Mixtral under ZeRO-3 fails" in page.words
        assert "in the title: Mixtral, hangs" in page.words
        assert page.inputs["title"] == "Mixtral hangs with ZeRO-3"
        assert page.inputs["body"] == "in-flight parameters"
        assert "/issues/?q=Mixtral%20hangs%20with%20ZeRO-3" in page.links

    @pytest.mark.usefixtures("starter")
    def test_says_that_nothing_is_close(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        title = "recipe+for+sourdough+bread+with+rye+and+fresh+memory+of+summer"
        assert "Nothing close is known here" in visit(client, f"{ADDRESS}?title={title}").words

    def test_says_that_nothing_is_like_it(self, client: Client) -> None:
        assert "Nothing like it is known here" in visit(client, f"{ADDRESS}?title=banana").words

    def test_takes_a_long_body_beside_the_address(self, client: Client) -> None:
        make_issue(1, title="illegal memory access")
        response = client.post(ADDRESS, {"title": "illegal memory access", "body": "word " * 20_000})
        assert "illegal memory access" in response.content.decode().split("result-title")[1]

    def test_wants_the_token_that_its_form_holds(self) -> None:
        assert Client(enforce_csrf_checks=True).post(ADDRESS, {"title": "a"}).status_code == 403

    @pytest.mark.parametrize("text", ["\x00", '"', "<script>alert(1)</script>", "-" * 5_000, "```", "中文"])
    def test_any_text_is_text(self, client: Client, text: str) -> None:
        response = client.post(ADDRESS, {"title": text, "body": text})
        assert response.status_code == 200
        assert "<script>alert" not in response.content.decode()

    @pytest.mark.usefixtures("starter")
    def test_takes_at_most_12_queries(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, search_index: PutIssuesIn
    ) -> None:
        search_index()
        with django_assert_max_num_queries(12):
            client.get(f"{ADDRESS}?title=hang+in+ZeRO-3")


def test_another_format_of_the_search_page_is_refused_with_a_way_on(client: Client) -> None:
    refused = client.get("/issues/?q=hang&format=csv")
    assert refused.status_code == 400
    assert "/api/v1/issues/" in refused.content.decode()
