"""How the API speaks HTTP: errors, methods, validators, rates, other origins."""

import re
from typing import Any
from unittest import mock

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from pytest_django import Settings

from kb.http import rates as counting
from kb.http.problem_types import PROBLEM_TYPES
from tests.kb.api.conftest import Reader
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


def limit(settings: Settings, rate: str | None) -> None:
    """Allow so many requests."""
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": {"anon": rate}}


def problem(response: Any) -> Any:
    """The error, after checking that it has the one shape."""
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    body = response.json()
    assert {"type", "title", "status", "detail"} <= set(body) <= {"type", "title", "status", "detail", "errors"}
    assert body["type"] in ("about:blank", *(kind.path for kind in PROBLEM_TYPES.values()))
    assert body["status"] == response.status_code
    assert body["detail"]
    return body


class TestErrors:
    @pytest.mark.urls("tests.kb.api.failing_urls")
    @pytest.mark.parametrize(
        ("method", "path", "accept", "status"),
        [
            ("get", "/api/v1/issues/?sort=up", "*/*", 400),
            ("get", "/api/v1/issues/?sort=newest&sort=discussed", "*/*", 400),
            ("get", "/api/v1/?x=1", "*/*", 400),
            ("get", "/api/v1/issues/1/", "*/*", 404),
            ("get", "/api/v1/nodes/house/symptom/no-such/", "*/*", 404),
            ("get", "/api/v1/issues/?page=9", "*/*", 404),
            ("get", "/api/v1/issue/", "*/*", 404),
            ("get", "/api/v1/issue", "*/*", 404),
            ("get", "/api/v2/issues/", "*/*", 404),
            ("get", "/api/%00", "*/*", 404),
            ("get", "/api/v1/nodes/house/symptom/%00/", "*/*", 404),
            ("post", "/api/v1/nothing/", "*/*", 404),
            ("post", "/api/v1/issues/", "*/*", 405),
            ("delete", "/api/v1/issues/1/", "*/*", 405),
            ("patch", "/api/v1/openapi.json", "*/*", 405),
            ("get", "/api/v1/issues/", "text/html", 406),
            ("get", "/api/v1/nothing/", "text/html", 406),
            ("get", "/api/v1/broken/", "*/*", 500),
        ],
    )
    def test_all_have_one_shape(self, method: str, path: str, accept: str, status: int) -> None:
        client = Client(raise_request_exception=False)
        response = getattr(client, method)(path, headers={"accept": accept})
        assert response.status_code == status
        assert problem(response)["title"]

    @pytest.mark.urls("tests.kb.api.failing_urls")
    def test_a_fault_of_ours_tells_nothing_about_itself(self, caplog: pytest.LogCaptureFixture) -> None:
        response = Client(raise_request_exception=False).get("/api/v1/broken/")
        assert "secret" not in response.content.decode()
        assert "a secret detail" in caplog.text

    def test_too_many_requests_have_it_too(self, client: Client, settings: Settings) -> None:
        limit(settings, "1/min")
        client.get("/api/v1/")
        assert problem(client.get("/api/v1/"))["status"] == 429

    @pytest.mark.parametrize(
        ("name", "hint"),
        [("symptoms", "symptom"), ("Framework", "framework"), ("pagesize", "page_size"), ("zzz", "Known are: cause, ")],
    )
    def test_an_unknown_parameter_is_refused_with_the_nearest_names(self, read: Reader, name: str, hint: str) -> None:
        (fault,) = read("issues/", expect=400, **{name: "1"})["errors"]
        assert fault["parameter"] == name
        assert hint in fault["detail"]

    def test_every_fault_of_a_request_is_named_at_once(self, read: Reader) -> None:
        faults = read("issues/", expect=400, state="ajar", year="x")["errors"]
        assert {fault["parameter"] for fault in faults} == {"state", "year"}


class TestMethods:
    @pytest.mark.parametrize("path", ["", "issues/", "nodes/", "openapi.json"])
    def test_options_names_the_methods(self, client: Client, path: str) -> None:
        response = client.options(f"/api/v1/{path}")
        assert response.status_code == 204
        assert response.headers["Allow"] == "GET, HEAD, OPTIONS"

    def test_a_refused_method_is_told_which_are_allowed(self, client: Client) -> None:
        assert client.put("/api/v1/issues/").headers["Allow"] == "GET, HEAD, OPTIONS"

    def test_head_is_get_without_the_body(self, client: Client) -> None:
        make_issue(1)
        got, head = client.get("/api/v1/issues/"), client.head("/api/v1/issues/")
        assert head.content == b""
        for name in ("ETag", "Content-Type", "Content-Length", "Vary", "Cache-Control"):
            assert head.headers[name] == got.headers[name]

    def test_a_forgotten_slash_is_added_and_the_search_kept(self, client: Client) -> None:
        response = client.get("/api/v1/issues?q=hang")
        assert (response.status_code, response.headers["Location"]) == (301, "/api/v1/issues/?q=hang")

    def test_the_bare_address_leads_to_the_present_version(self, client: Client) -> None:
        assert client.get("/api/").headers["Location"] == "/api/v1/"


class TestValidators:
    @pytest.mark.parametrize("path", ["issues/", "", "openapi.yaml"])
    def test_an_unchanged_answer_costs_no_body(self, client: Client, path: str) -> None:
        first = client.get(f"/api/v1/{path}")
        again = client.get(f"/api/v1/{path}", headers={"if-none-match": f'"x", {first.headers["ETag"]}'})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("ETag", "Vary", "Cache-Control", "RateLimit-Limit"):
            assert name in again.headers

    def test_a_weakened_validator_still_counts(self, client: Client) -> None:
        etag = client.get("/api/v1/issues/").headers["ETag"]
        assert client.get("/api/v1/issues/", headers={"if-none-match": f"W/{etag}"}).status_code == 304
        assert client.head("/api/v1/issues/", headers={"if-none-match": "*"}).status_code == 304

    def test_a_changed_row_changes_it(self, client: Client) -> None:
        issue = make_issue(1)
        path = f"/api/v1/issues/{issue.pk}/"
        etag = client.get(path).headers["ETag"]
        issue.fixed_version = "0.13"
        issue.save()
        assert client.get(path, headers={"if-none-match": etag}).status_code == 200

    def test_answers_vary_by_what_they_are_negotiated_on(self, client: Client) -> None:
        varies = client.get("/api/v1/issues/").headers["Vary"].lower().split(", ")
        assert set(varies) == {"accept", "accept-encoding", "origin"}


class TestRates:
    def test_headers_tell_what_is_left(self, client: Client, settings: Settings) -> None:
        limit(settings, "3/hour")
        left = [client.get("/api/v1/").headers["RateLimit-Remaining"] for _ in range(3)]
        refused = client.get("/api/v1/")
        assert left == ["2", "1", "0"]
        assert refused.headers["RateLimit-Limit"] == "3"
        assert 0 < int(refused.headers["Retry-After"]) <= 3600
        assert refused.headers["RateLimit-Reset"] == refused.headers["Retry-After"]

    def test_each_client_has_its_own_share(self, client: Client, settings: Settings) -> None:
        limit(settings, "1/hour")
        assert client.get("/api/v1/", REMOTE_ADDR="192.0.2.1").status_code == 200
        assert client.get("/api/v1/", REMOTE_ADDR="192.0.2.2").status_code == 200

    def test_a_forwarded_address_counts_only_behind_a_known_proxy(self, client: Client, settings: Settings) -> None:
        limit(settings, "1/hour")
        client.get("/api/v1/")
        pretending = {"x-forwarded-for": "198.51.100.7"}
        assert client.get("/api/v1/", headers=pretending).status_code == 429
        settings.NUM_PROXIES = 1
        assert client.get("/api/v1/", headers=pretending).status_code == 200

    @pytest.mark.parametrize(
        ("rates", "left", "may_read"),
        [
            ({"anon": "9/hour", "search": "1/hour"}, "0", True),
            ({"anon": "1/hour", "search": "9/hour"}, "0", False),
            ({"anon": "9/hour", "search": "2/day"}, "1", True),
            ({"anon": None, "search": "3/hour"}, "2", True),
        ],
    )
    def test_a_search_counts_as_reading_too_in_one_round_trip(
        self, client: Client, settings: Settings, rates: dict[str, str | None], left: str, may_read: bool
    ) -> None:
        settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_THROTTLE_RATES": rates}
        with mock.patch.object(counting, "counters", wraps=cache) as counters:
            answer = client.get("/api/v1/search/?q=hang")
        assert (answer.status_code, answer.headers["RateLimit-Remaining"]) == (200, left)
        assert counters.count.call_count == 1
        assert client.get("/api/v1/search/?q=hang").status_code == (429 if left == "0" else 200)
        assert client.get("/api/v1/").status_code == (200 if may_read else 429)

    def test_no_rate_means_no_limit(self, client: Client, settings: Settings) -> None:
        limit(settings, None)
        assert "RateLimit-Limit" not in client.get("/api/v1/").headers


class TestOtherOrigins:
    def test_any_page_may_read_and_see_the_headers(self, client: Client) -> None:
        response = client.get("/api/v1/issues/", headers={"origin": "https://example.org"})
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        exposed = response.headers["Access-Control-Expose-Headers"]
        assert all(name in exposed for name in ("ETag", "RateLimit-Remaining", "Retry-After"))

    def test_a_page_may_send_its_validator_but_never_write(self, client: Client) -> None:
        asked = {"origin": "https://example.org", "access-control-request-method": "GET"}
        response = client.options(
            "/api/v1/issues/", headers={**asked, "access-control-request-headers": "if-none-match"}
        )
        assert "if-none-match" in response.headers["Access-Control-Allow-Headers"]
        assert response.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"

    def test_pages_of_the_site_are_not_opened(self, client: Client) -> None:
        response = client.get("/healthz", headers={"origin": "https://example.org"})
        assert "Access-Control-Allow-Origin" not in response.headers


@override_settings(LOCAL=False)
def test_the_documentation_page_runs_files_only(client: Client) -> None:
    html = client.get("/api/docs/").content.decode()
    assert "<style" not in html
    assert html.count("<script") == len(re.findall(r"<script (?:defer\s+)?src=", html))
    assert 'data-description="/api/v1/openapi.json"' in html
