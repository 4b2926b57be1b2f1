"""A page that is the same for all readers is made once, and again as soon as a row has changed that it may show."""

import gzip
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import psycopg
import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import Error, connection
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve

from config.front.crowds import CROWDED
from config.front.express import CROWD_SECONDS, EXPRESS, NOTE_KEPT, PERSONAL
from config.front.pages import PAGES, KeptPages
from kb.models import Framework, MissedSearch, SearchHost
from kb.web.parameters import drop_unread

pytestmark = pytest.mark.django_db(transaction=True)


class Site:
    """Behind the middleware: a home page that counts how often it was made."""

    def __init__(self, answer: Callable[[int], HttpResponse] = lambda made: HttpResponse(f"made {made}")) -> None:
        self.made = 0
        self._answer = answer
        self._kept = KeptPages(self._make)

    def _make(self, request: HttpRequest) -> HttpResponse:
        self.made += 1
        request.resolver_match = resolve(request.path)
        self._kept.process_view(request, None, None, None)
        return self._answer(self.made)

    def ask(
        self,
        path: str = "/",
        headers: Mapping[str, str] | None = None,
        *,
        crowded: bool = False,
        front: Mapping[str, object] | None = None,
    ) -> HttpResponse:
        request = RequestFactory().get(path, headers=headers)
        request.META.update(front or {})
        request.META[CROWDED] = lambda: crowded
        response = self._kept(request)
        assert isinstance(response, HttpResponse)
        return response


def test_a_page_is_made_once() -> None:
    site = Site()
    assert [site.ask().content for _ in range(3)] == [b"made 1"] * 3


def test_a_row_that_changes_makes_it_anew() -> None:
    site = Site()
    site.ask()
    Framework.objects.create(slug="new", name="New")
    assert site.ask().content == b"made 2"


@contextmanager
def other_session() -> Iterator[psycopg.Connection]:
    parameters = connection.get_connection_params()
    known = {name: parameters[name] for name in ("dbname", "user", "host", "port", "password") if parameters.get(name)}
    with psycopg.connect(**known) as other:
        yield other


@pytest.mark.parametrize("ended", ["commit", "rollback"])
def test_while_a_change_is_under_way_nothing_made_is_trusted_afterwards(ended: str) -> None:
    site = Site()
    with other_session() as other:
        other.execute("INSERT INTO kb_framework (slug, name, homepage, description) VALUES ('n', 'N', '', '')")
        assert [site.ask().content for _ in range(2)] == [b"made 1", b"made 2"]
        assert site.ask(crowded=True).content == b"made 2"
        getattr(other, ended)()
    assert [site.ask().content for _ in range(2)] == [b"made 3"] * 2


def test_what_is_written_all_the_time_makes_no_page_anew() -> None:
    site = Site()
    site.ask()
    MissedSearch.objects.create(words="hang", first_on="2026-11-27", last_on="2026-11-27")
    host = SearchHost.objects.create(key="one")
    SearchHost.objects.filter(pk=host.pk).update(seen_at=Now(), problem="")
    User.objects.create_user("ada")
    with other_session() as other:
        other.execute("SELECT pg_current_xact_id()")
        assert site.ask().content == b"made 1"


def test_an_index_that_is_one_further_makes_it_anew() -> None:
    host = SearchHost.objects.create(key="one")
    site = Site()
    site.ask()
    SearchHost.objects.filter(pk=host.pk).update(settled=1)
    assert site.ask().content == b"made 2"


def test_each_table_of_the_knowledge_base_counts_unless_it_is_named_as_one_that_no_page_shows() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'page_changes'")
        counting = {name for (name,) in cursor.fetchall()}
    tables = {model._meta.db_table for model in apps.get_app_config("kb").get_models(include_auto_created=True)}
    assert tables - counting == {
        "kb_searchchange", "kb_searchbuild", "kb_missedsearch", "kb_diagnosisjob", "kb_diagnosisupload", "kb_webhook",
        "kb_webhookdelivery", "kb_faulttouch", "kb_faultchange",
    }  # fmt: skip


def test_who_says_who_asks_gets_a_page_of_their_own() -> None:
    site = Site()
    for header in PERSONAL:
        site.ask(headers={header: "x"})
    assert site.made == len(PERSONAL)
    assert site.ask().content == f"made {len(PERSONAL) + 1}".encode()


def test_what_is_not_listed_is_made_each_time() -> None:
    site = Site()
    assert [site.ask("/diagnose/").content for _ in range(2)] == [b"made 1", b"made 2"]


@pytest.mark.parametrize("path", ["/static/css/base.css", "/api/v1/issues/"])
def test_the_cache_is_not_asked_for_files_and_the_api(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(key: str) -> None:
        raise AssertionError(key)

    monkeypatch.setattr(cache, "get", asked)
    assert KeptPages(lambda _: HttpResponse("file"))(RequestFactory().get(path)).status_code == 200


@pytest.mark.parametrize("control", ["no-store", "private", "max-age=0"])
def test_a_page_that_says_how_long_it_may_be_kept_is_not_kept_here(control: str) -> None:
    site = Site(lambda made: HttpResponse(str(made), headers={"Cache-Control": control}))
    assert [site.ask().content for _ in range(2)] == [b"1", b"2"]


def test_a_page_that_sets_a_cookie_is_for_one_reader() -> None:
    def with_cookie(made: int) -> HttpResponse:
        response = HttpResponse(str(made))
        response.set_cookie("who", "ada")
        return response

    site = Site(with_cookie)
    assert [site.ask().content for _ in range(2)] == [b"1", b"2"]


@pytest.mark.parametrize("status", [301, 404, 500, 503])
def test_only_pages_that_are_there_are_kept(status: int) -> None:
    site = Site(lambda made: HttpResponse(str(made), status=status))
    assert [site.ask().content for _ in range(2)] == [b"1", b"2"]


def test_addresses_hosts_and_packings_are_kept_apart() -> None:
    site = Site()
    asked = [
        ("/issues/", {}),
        ("/issues/?q=1", {}),
        ("/", {}),
        ("/", {"Host": "other"}),
        ("/", {"Accept-Encoding": "gzip"}),
    ]
    assert len({site.ask(path, headers).content for path, headers in asked}) == 5
    assert site.ask().content == b"made 3"


def test_parameters_that_a_page_does_not_read_make_no_other_page() -> None:
    site = Site()
    assert site.ask("/codebook/?open=all").content == b"made 1"
    assert site.ask("/codebook/?open=all&utm_source=mail&x=%00").content == b"made 1"
    assert site.ask("/codebook/?open=all&q=hang").content == b"made 2"


@pytest.mark.parametrize("given", ["q=caf%C3%A9&x=1", "x=1&q=cafÃ©"])
def test_what_a_page_reads_is_left_as_it_was_sent(given: str) -> None:
    """As WSGI has it: a browser's way to send a letter, and a program's."""
    request = RequestFactory().get("/codebook/")
    request.META["QUERY_STRING"] = given
    drop_unread(request)
    assert request.GET.dict() == {"q": "café"}


def test_a_page_does_not_learn_what_it_does_not_read(client: Client) -> None:
    assert b"stranger" not in client.get("/?stranger=here").content


def test_what_only_looks_like_a_packing_leaves_nothing_for_those_who_take_it() -> None:
    site = Site()
    made = [site.ask(headers={"Accept-Encoding": takes}).content for takes in ("notgzip", "gzip", "br", "gzip, br")]
    assert made == [b"made 1", b"made 2", b"made 1", b"made 2"]


def test_a_browser_that_has_it_is_told_so() -> None:
    site = Site()
    first = site.ask()
    again = site.ask(headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert first["Cache-Control"] == "no-cache"


def test_the_same_text_has_the_same_tag_however_it_is_packed() -> None:
    def packed(made: int) -> HttpResponse:
        return HttpResponse(gzip.compress(b"text", mtime=made), headers={"Content-Encoding": "gzip"})

    site = Site(packed)
    first = site.ask(headers={"Accept-Encoding": "gzip"})["ETag"]
    Framework.objects.create(slug="new", name="New")
    assert site.ask(headers={"Accept-Encoding": "gzip"})["ETag"] == first
    assert site.made == 2


def test_a_crowd_may_get_the_page_of_a_moment_ago() -> None:
    site = Site()
    site.ask()
    Framework.objects.create(slug="new", name="New")
    assert site.ask(crowded=True).content == b"made 1"
    assert site.ask().content == b"made 2"


def test_by_the_express_lane_a_page_comes_as_it_is_kept_and_only_one_that_is_current_may_go_on_that_way() -> None:
    site, noted = Site(), []  # type: tuple[Site, list[float]]
    front: dict[str, object] = {NOTE_KEPT: noted.append}
    site.ask(front=front)
    assert site.ask(front=front | {EXPRESS: True}).content == b"made 1"
    assert [round(seconds) for seconds in noted] == [CROWD_SECONDS] * 2
    Framework.objects.create(slug="new", name="New")
    assert site.ask(front=front | {EXPRESS: True}).content == b"made 1"
    assert len(noted) == 2
    assert site.ask(front=front).content == b"made 2"


@pytest.mark.parametrize(("age", "seconds"), [(4, 6), (20, 10), (55, 5)])
def test_how_long_a_page_is_good_depends_on_its_age(age: int, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    site, noted = Site(), []  # type: tuple[Site, list[float]]
    site.ask()
    later = time.time() + age
    monkeypatch.setattr(time, "time", lambda: later)
    assert site.ask(front={NOTE_KEPT: noted.append}).content == b"made 1"
    assert [round(each) for each in noted] == [seconds]


def test_without_the_database_the_site_answers_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise Error

    site = Site()
    site.ask()
    monkeypatch.setattr(connection, "cursor", gone)
    assert [site.ask().content for _ in range(2)] == [b"made 2", b"made 3"]


def test_every_page_that_is_listed_exists() -> None:
    assert set(get_resolver().reverse_dict) >= PAGES


def test_a_reader_with_an_account_neither_leaves_nor_gets_a_kept_page(
    client: Client, django_user_model: type[User]
) -> None:
    client.force_login(django_user_model.objects.create_user("ada"))
    assert "ada" in client.get("/").content.decode()
    anonymous = Client()
    assert [("ada" in anonymous.get("/").content.decode(), "ETag" in anonymous.get("/")) for _ in range(2)] == [
        (False, True),
        (False, True),
    ]
    assert "ada" in client.get("/").content.decode()
