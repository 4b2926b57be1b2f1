"""Pages by number and by cursor."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from kb.api.keyset import after, require_total_order, with_keys
from kb.models import Issue
from tests.kb.api.conftest import Reader
from tests.support.factories import make_fix, make_issue, make_node

pytestmark = pytest.mark.django_db


def walk(client: Client, **params: str) -> Iterator[Any]:
    """Every page, following `next` from the first one."""
    url: str | None = "/api/v1/issues/"
    while url:
        page = client.get(url, params).json()
        yield page
        url, params = page["next"], {}


def refs(pages: Iterator[Any]) -> list[str]:
    return [issue["ref"] for page in pages for issue in page["results"]]


@pytest.fixture
def _issues() -> None:
    """Eleven issues in whose order every kind of tie and gap occurs."""
    for i in range(11):
        opened = dt.datetime(2024, 1, 1 + i // 2, 12, 0, 0, 123456 + i, tzinfo=dt.UTC) if i % 3 else None
        make_issue(
            i + 1,
            title="hang " * (1 + i % 3),
            summary="Described." if i % 2 else "",
            opened_at=opened,
            closed_at=opened + dt.timedelta(days=i % 4, microseconds=i) if opened else None,
            comment_count=i % 4 or None,
        )


@pytest.mark.usefixtures("_issues")
class TestNumberedPages:
    def test_pages_follow_one_another_without_gap_or_repetition(self, client: Client) -> None:
        pages = list(walk(client, page="1", page_size="4"))
        assert [len(page["results"]) for page in pages] == [4, 4, 3]
        assert len(set(refs(iter(pages)))) == 11
        assert {page["count"] for page in pages} == {11}

    def test_links_keep_the_search(self, read: Reader) -> None:
        page = read("issues/", page="2", page_size="3", q="hang", fields="ref")
        assert page["next"] == "http://testserver/api/v1/issues/?fields=ref&page=3&page_size=3&q=hang"
        assert "page=1" in page["previous"]

    def test_a_page_beyond_the_last_is_not_found(self, read: Reader) -> None:
        assert read("issues/", page="3", expect=404)["detail"] == "There is no page 3: the last one is 2."

    @pytest.mark.parametrize("value", ["0", "-1", "x", "", "1.5", "²", "101"])
    def test_a_wrong_page_size_is_refused(self, read: Reader, value: str) -> None:
        (fault,) = read("issues/", page_size=value, expect=400)["errors"]
        assert fault == {"parameter": "page_size", "detail": "Give a whole number from 1 to 100."}


@pytest.mark.usefixtures("_issues")
class TestCursors:
    @pytest.mark.parametrize(
        ("sort", "words"),
        [(sort, words) for sort in ("newest", "discussed", "quickest") for words in ("", "hang")]
        + [("relevance", "hang")],
    )
    @pytest.mark.parametrize("size", ["1", "3", "100"])
    def test_they_give_the_same_order_as_numbers(self, client: Client, sort: str, words: str, size: str) -> None:
        numbered = refs(walk(client, page="1", sort=sort, q=words))
        assert refs(walk(client, cursor="", sort=sort, q=words, page_size=size)) == numbered
        assert len(numbered) == 11

    def test_without_words_and_order_they_go_by_id(self, client: Client) -> None:
        ids = [issue["id"] for page in walk(client, cursor="", page_size="4") for issue in page["results"]]
        assert ids == sorted(Issue.objects.values_list("pk", flat=True))

    def test_without_words_they_reach_everything_however_much_there_is(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("kb.search.service.MOST_REACHABLE", 5)
        monkeypatch.setattr("kb.api.search_pages.MOST_REACHABLE", 5)
        assert len(refs(walk(client, page="1", page_size="2"))) == 5
        assert len(refs(walk(client, cursor="", q="hang", page_size="2"))) == 5
        assert len(refs(walk(client, cursor="", q="state:unknown", page_size="2"))) == 11

    def test_a_filter_and_facets_go_along(self, client: Client) -> None:
        pages = list(walk(client, cursor="", curated="true", facets="true", page_size="2"))
        assert [len(page["results"]) for page in pages] == [2, 2, 1]
        for page in pages:
            (curated,) = (value for group in page["facets"] if group["key"] == "framework" for value in group["values"])
            assert (page["count"], curated["count"]) == (5, 5)

    def test_rows_added_meanwhile_neither_repeat_nor_hide_others(self, client: Client) -> None:
        before = refs(walk(client, cursor="", sort="newest"))
        pages = walk(client, cursor="", sort="newest", page_size="4")
        seen = [issue["ref"] for issue in next(pages)["results"]]
        for i in range(5):
            make_issue(100 + i, opened_at=dt.datetime(2025, 1, 1, tzinfo=dt.UTC))
        assert seen + refs(pages) == before

    def test_rows_deleted_meanwhile_hide_no_others(self, client: Client) -> None:
        before = refs(walk(client, cursor="", sort="newest"))
        pages = walk(client, cursor="", sort="newest", page_size="4")
        seen = [issue["ref"] for issue in next(pages)["results"]]
        Issue.objects.get(ref=seen[-1]).delete()
        assert seen + refs(pages) == before

    def test_the_last_page_has_no_next_and_none_has_a_previous(self, client: Client) -> None:
        *others, last = walk(client, cursor="", page_size="5")
        assert last["next"] is None
        assert {page["previous"] for page in (*others, last)} == {None}

    def test_page_and_cursor_exclude_each_other(self, read: Reader) -> None:
        (fault,) = read("issues/", page="1", cursor="", expect=400)["errors"]
        assert fault == {"parameter": "cursor", "detail": "Use either “page” or “cursor”, not both."}

    @pytest.mark.parametrize("cursor", ["x", "eyJ4IjoxfQ:1:abc", "\x00", "é" * 50])
    def test_a_cursor_that_we_did_not_give_is_refused(self, read: Reader, cursor: str) -> None:
        assert "empty “cursor=”" in read("issues/", cursor=cursor, expect=400)["errors"][0]["detail"]

    def test_a_cursor_belongs_to_its_search_and_list(self, client: Client, read: Reader) -> None:
        cursor = read("issues/", cursor="", page_size="2")["next"].split("cursor=")[1].split("&")[0]
        for path in ("issues/?sort=newest&", "issues/?q=hang&", "nodes/?"):
            assert client.get(f"/api/v1/{path}cursor={cursor}").status_code == 400

    def test_page_size_and_fields_may_change_on_the_way(self, client: Client, read: Reader) -> None:
        following = read("issues/", cursor="", page_size="2")["next"]
        page = client.get(following.replace("page_size=2", "page_size=3") + "&fields=ref").json()
        assert [list(issue) for issue in page["results"]] == [["ref"]] * 3


class TestOtherLists:
    def test_every_list_has_cursors(self, client: Client) -> None:
        for i in range(3):
            make_fix(i + 1, merged_on=dt.date(2024, 1, 1) if i else None)
            make_node(f"node-{i}")
        for name in ("fixes", "nodes"):
            whole = client.get(f"/api/v1/{name}/").json()["results"]
            page = client.get(f"/api/v1/{name}/", {"cursor": "", "page_size": "2"}).json()
            rest = client.get(page["next"]).json()
            assert page["results"] + rest["results"] == whole


def test_a_key_that_was_made_for_another_order_is_refused() -> None:
    with pytest.raises(ValueError, match="another order"):
        after(with_keys(Issue.objects.order_by("opened_at", "pk")), ["no date", 1])


@pytest.mark.parametrize("order", [(), ("opened_at",), ("pk", "opened_at")])
def test_an_order_with_ties_cannot_be_paged(order: tuple[str, ...]) -> None:
    with pytest.raises(ImproperlyConfigured, match="primary key"):
        require_total_order(Issue.objects.order_by(*order))
