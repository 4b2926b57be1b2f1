"""Error pages, and what holds for every page: a strict content policy and nothing inline."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from config.telemetry.requests import SEEN, Seen, note
from kb.models import Issue
from kb.web import errors
from tests.kb.web.reading import read, visit

PAGES = (
    "/",
    "/issues/",
    "/issues/?q=hang",
    "/about/",
    "/codebook/",
    "/playbooks/",
    "/studies/",
    "/explore/charts/symptom-cause/",
    "/no-such-page",
)


@pytest.mark.usefixtures("db")
class TestErrorPages:
    def test_a_missing_page_offers_a_search(self, client: Client) -> None:
        page = visit(client, "/no-such-page", status=404)
        assert "There is nothing at this address" in page.words
        assert page.inputs == {"q": ""}

    def test_a_missing_page_asks_the_database_nothing(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(0):
            client.get("/no-such-page")

    @pytest.mark.parametrize(
        "path", ["codebook/house/symptom/%00", "playbooks/%00", "issues/github.com/a/b/%00", "issues/a/b/c%00/1/cite"]
    )
    def test_an_address_that_the_database_cannot_hold_is_a_missing_page(self, client: Client, path: str) -> None:
        assert client.get(f"/{path}").status_code == 404

    def test_a_broken_request_is_answered_kindly(self, rf: RequestFactory) -> None:
        response = errors.bad_request(rf.get("/"), exception=SuspiciousOperation())
        assert response.status_code == 400
        assert "This request cannot be read" in read(response).words

    def test_a_closed_page_says_that_it_is_closed(self, rf: RequestFactory) -> None:
        response = errors.permission_denied(rf.get("/"), exception=PermissionDenied())
        assert response.status_code == 403
        page = read(response)
        assert "no access to this page It needs rights that you do not have" in page.words
        assert "/account/login/?next=/" in page.links

    def test_a_closed_page_is_in_the_log_with_who_asked(self, client: Client, caplog: pytest.LogCaptureFixture) -> None:
        user = User.objects.create_user("ada")
        client.force_login(user)
        seen = Seen("a-request-1", status=403)
        environ: dict[str, Any] = {SEEN: seen}
        with caplog.at_level("INFO", logger="faultbook.access"):
            assert client.get("/wanted/", **environ).status_code == 403
            note(seen, "GET", "/wanted/")
        line = caplog.records[-1].__dict__
        assert (line["method"], line["route"], line["status"], line["user"]) == ("GET", "wanted", 403, user.pk)

    def test_a_closed_page_says_why_where_it_is_known(self, rf: RequestFactory) -> None:
        response = errors.permission_denied(
            rf.get("/"), exception=PermissionDenied("You label here, so <this> is kept.")
        )
        assert "You label here, so <this> is kept." in read(response).words

    def test_the_client_really_gets_them(self, client: Client) -> None:
        client.raise_request_exception = False
        response = client.get("/", headers={"host": "evil.example"})
        assert response.status_code == 400
        assert "This request cannot be read" in response.content.decode()


def test_our_own_fault_needs_neither_database_nor_manifest(rf: RequestFactory) -> None:
    response = errors.server_error(rf.get("/"))
    page = read(response)
    assert response.status_code == 500
    assert "Something failed on our side" in page.words
    assert not page.inline


@pytest.mark.usefixtures("starter")
class TestEveryPage:
    @pytest.fixture
    def urls(self) -> list[str]:
        issue = Issue.objects.earliest("pk").get_absolute_url()
        return [*PAGES, issue, f"{issue}/cite", "/codebook/house/symptom/hang"]

    def test_has_a_strict_content_policy_and_nothing_inline(self, client: Client, urls: list[str]) -> None:
        for url in urls:
            response = client.get(url)
            policy = response.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy, url
            assert "unsafe" not in policy, url
            assert not read(response).inline, url

    def test_has_the_frame_that_keyboards_and_readers_need(self, client: Client, urls: list[str]) -> None:
        for url in urls:
            html = client.get(url).content.decode()
            assert '<html lang="en">' in html, url
            assert html.index('href="#content"') < html.index("<header"), url
            assert html.count("<h1") == 1, url
            assert html.count("<main") == 1, url
            assert 'name="viewport"' in html, url

    def test_answers_no_writing(self, client: Client, urls: list[str]) -> None:
        for url in urls[:4]:
            # A text too long for an address is sent to the search, which answers it as any other.
            assert client.post(url).status_code == (200 if url.partition("?")[0] == "/issues/" else 405), url
