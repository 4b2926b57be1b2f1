"""Answers are compressed where that is safe: texts that may be stored, for programs that say they take it."""

import gzip
import sys

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from config.compression import Compression

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"what is said again and again, " * 100
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


def answered(response: HttpResponseBase, **headers: str) -> HttpResponseBase:
    """The response as it leaves the server."""
    request = RequestFactory().get("/", headers={**GZIP, **headers})
    return Compression(lambda _: response).process_response(request, response)


@pytest.mark.parametrize(
    "kind",
    [
        "text/html; charset=utf-8", "text/css", "text/csv", "text/javascript", "application/json", "image/svg+xml",
        "application/problem+json", "application/x-ndjson", "application/atom+xml; charset=utf-8", "application/yaml",
        "application/vnd.oai.openapi+json", "font/ttf",
    ],
)  # fmt: skip
def test_a_text_is_compressed(kind: str) -> None:
    response = answered(HttpResponse(TEXT, content_type=kind))
    assert response["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response["Vary"]
    assert gzip.decompress(b"".join(response)) == TEXT


@pytest.mark.parametrize(
    "kind", ["image/png", "application/zip", "application/gzip", "font/woff2", "application/octet-stream", ""]
)
def test_what_is_compressed_already_is_left_as_it_is(kind: str) -> None:
    response = HttpResponse(TEXT)
    response["Content-Type"] = kind
    assert b"".join(answered(response)) == TEXT


@pytest.mark.parametrize("control", ["no-store", "max-age=0, no-cache, no-store, must-revalidate, private"])
def test_what_may_not_be_stored_may_hold_a_secret(control: str) -> None:
    response = HttpResponse(TEXT, headers={"Cache-Control": control})
    assert b"".join(answered(response)) == TEXT


def test_a_part_of_a_file_keeps_its_bytes() -> None:
    assert b"".join(answered(HttpResponse(TEXT, status=206))) == TEXT


@pytest.mark.parametrize("accepted", ["", "identity", "br"])
def test_who_does_not_take_it_gets_the_text(accepted: str) -> None:
    response = answered(HttpResponse(TEXT), **{"Accept-Encoding": accepted})
    assert b"".join(response) == TEXT
    assert "Accept-Encoding" in response["Vary"]


def test_a_stream_stays_a_stream() -> None:
    response = answered(StreamingHttpResponse(iter([TEXT, TEXT]), content_type="application/x-ndjson"))
    assert response.streaming
    assert gzip.decompress(b"".join(response)) == TEXT * 2


def test_the_length_of_an_answer_varies() -> None:
    lengths = {len(b"".join(answered(HttpResponse(TEXT)))) for _ in range(40)}
    assert len(lengths) > 5


def test_an_etag_is_weak_when_the_bytes_differ() -> None:
    response = answered(HttpResponse(TEXT, headers={"ETag": '"abc"'}))
    assert response["ETag"] == 'W/"abc"'


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/issues/", "/about/", "/api/v1/openapi.json"])
def test_pages_and_the_api_are_compressed(client: Client, path: str) -> None:
    response = client.get(path, headers=GZIP)
    assert response["Content-Encoding"] == "gzip"
    assert len(gzip.decompress(response.content)) > 2 * len(response.content)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/account/login/", "/diagnose/"])
def test_pages_for_one_person_are_not(client: Client, path: str) -> None:
    assert "Content-Encoding" not in client.get(path, headers=GZIP)


class TestZstandard:
    def answered(self, path: str, accepted: str) -> HttpResponseBase:
        response = HttpResponse(TEXT, content_type="application/json", headers={"ETag": '"a"'})
        request = RequestFactory().get(path, headers={"Accept-Encoding": accepted})
        return Compression(lambda _: response).process_response(request, response)

    def test_is_for_the_public_api(self) -> None:
        response = self.answered("/api/v1/issues/", "gzip, zstd")
        assert (response["Content-Encoding"], response["ETag"]) == ("zstd", 'W/"a"')
        assert "Accept-Encoding" in response["Vary"]
        assert zstd.decompress(b"".join(response)) == TEXT

    @pytest.mark.parametrize("path", ["/issues/", "/api/v1/labeling/projects/"])
    def test_is_not_for_what_may_hold_a_secret(self, path: str) -> None:
        assert self.answered(path, "gzip, zstd")["Content-Encoding"] == "gzip"

    @pytest.mark.parametrize("accepted", ["gzip", "gzip, zstd;q=0", "zstd; q=0.0, gzip"])
    def test_is_not_for_who_does_not_take_it(self, accepted: str) -> None:
        assert self.answered("/api/v1/issues/", accepted)["Content-Encoding"] == "gzip"
