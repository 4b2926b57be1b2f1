"""In a crowd, what everybody is answered alike is computed once a second; nobody gets what was meant for another."""

from collections.abc import Mapping

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from config.front.crowds import CROWDED, CrowdCache


class Page:
    """A view that counts its calls and answers with these headers."""

    def __init__(self, **headers: str) -> None:
        self.calls = 0
        self._headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def __call__(self, _request: HttpRequest) -> HttpResponse:
        self.calls += 1
        return HttpResponse(f"call {self.calls}", headers=self._headers)


def request(*, crowded: bool = True, headers: Mapping[str, str] | None = None) -> HttpRequest:
    asked = RequestFactory().get("/", headers=headers)
    asked.META[CROWDED] = lambda: crowded
    return asked


def ask(page: Page, *requests: HttpRequest) -> list[bytes]:
    cached = CrowdCache(page)
    answers = [cached(asked) for asked in requests]
    return [answer.content for answer in answers if isinstance(answer, HttpResponse)]


def ask_twice(page: Page, *, crowded: bool = True, headers: Mapping[str, str] | None = None) -> list[bytes]:
    return ask(page, *(request(crowded=crowded, headers=headers) for _ in range(2)))


def test_a_crowd_is_answered_from_the_cache() -> None:
    assert ask_twice(Page()) == [b"call 1", b"call 1"]


def test_without_a_crowd_every_request_is_computed() -> None:
    assert ask_twice(Page(), crowded=False) == [b"call 1", b"call 2"]


def test_an_answer_is_kept_for_those_who_came_while_it_was_computed() -> None:
    crowd = iter([False, True, True])
    first = request()
    first.META[CROWDED] = lambda: next(crowd)
    assert ask(Page(), first, request()) == [b"call 1", b"call 1"]


@pytest.mark.parametrize(
    "header", ["Cookie", "Authorization", "If-None-Match", "If-Modified-Since", "Range", "Cache-Control"]
)
def test_who_says_who_asks_or_what_is_known_is_answered_anew(header: str) -> None:
    assert ask_twice(Page(), headers={header: "no-cache"}) == [b"call 1", b"call 2"]


@pytest.mark.parametrize("said", ["no-store", "private", "max-age=0", "no-cache"])
def test_an_answer_that_is_not_for_caches_is_not_kept(said: str) -> None:
    assert ask_twice(Page(Cache_Control=said)) == [b"call 1", b"call 2"]


def test_what_may_be_kept_for_long_is_kept_for_a_second_too() -> None:
    response = CrowdCache(Page(Cache_Control="public, max-age=60"))(request())
    assert isinstance(response, HttpResponse)
    assert response["Cache-Control"] == "public, max-age=1"


def test_answers_that_differ_by_a_header_are_kept_apart() -> None:
    asked = [request(), request(headers={"HX-Request": "true"})] * 2
    assert ask(Page(Vary="HX-Request"), *asked) == [b"call 1", b"call 2", b"call 1", b"call 2"]
