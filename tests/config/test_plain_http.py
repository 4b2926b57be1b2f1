"""Over plain http browsers are led to https, and programs are refused."""

import pytest
from django.test import Client, override_settings


@pytest.fixture(autouse=True)
def _as_in_production() -> object:
    with override_settings(
        SECURE_SSL_REDIRECT=True, SECURE_REDIRECT_EXEMPT=["^api/", "^mcp", "^metrics", "^ingest/github/"]
    ):
        yield


@pytest.mark.parametrize(
    "path", ["/api/v1/", "/api/v1/labeling/projects/", "/mcp", "/metrics", "/ingest/github/webhook"]
)
def test_a_token_that_was_sent_in_the_clear_is_not_led_on(client: Client, path: str) -> None:
    response = client.get(path, headers={"authorization": "Bearer fbk_secret"})
    assert response.status_code == 403
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "revoke it" in response.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/about/", "/api/v1/issues/", "/account/login/"])
def test_nothing_answers_to_trace(client: Client, path: str) -> None:
    assert client.trace(path, secure=True).status_code == 405


def test_pages_are_led_to_https_and_the_api_answers_there(client: Client) -> None:
    assert client.get("/about/").headers["Location"] == "https://testserver/about/"
    assert client.get("/api/v1/nothing", secure=True).status_code == 404
