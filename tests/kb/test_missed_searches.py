"""Searches that found nothing close: what is counted of them, what is not, and when it is forgotten."""

import datetime as dt

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from kb.core.secrets import mask
from kb.models import MissedSearch
from kb.services import missed_searches
from kb.services.missed_searches import KEPT_DAYS, count_missed, forget_old, normalised
from kb.tasks import forget_old_missed_searches
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue
from tests.support.made_up import BASE62, drawn

pytestmark = pytest.mark.django_db
WORDS = "zeppelin refuses tokens"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("  Loss is\tNaN ", "loss is nan"),
        ("卡住不动", "卡住不动"),
        ("nan", ""),
        ("why " * 40, ""),
        ("token ghp_" + drawn(BASE62, 36), ""),
        ("mail ada@analytical-engines.com about it", ""),
        ("hangs on 10.20.30.40", ""),
        ("cannot open /home/ada/train.py", ""),
        (mask("token ghp_" + drawn(BASE62, 36)).text, ""),
    ],
)
def test_words_are_folded_and_what_is_private_or_long_is_not_counted(text: str, counted: str) -> None:
    assert normalised(text) == counted


def test_the_same_words_are_one_row_and_count_once_in_a_while() -> None:
    count_missed(text="Loss is NaN")
    count_missed(text="loss  is nan")
    assert MissedSearch.objects.get().searches == 1
    cache.clear()
    count_missed(text="loss is nan")
    row = MissedSearch.objects.get()
    assert (row.searches, row.first_on, row.last_on) == (2, timezone.localdate(), timezone.localdate())


def test_a_site_may_switch_it_off(settings: Settings) -> None:
    settings.COUNT_MISSED_SEARCHES = False
    count_missed(text=WORDS)
    assert not MissedSearch.objects.exists()


def test_only_so_many_are_kept_the_most_searched_for_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missed_searches, "MOST_KEPT", 2)
    day = timezone.localdate() - dt.timedelta(days=3)
    MissedSearch.objects.create(words="asked often", searches=5, first_on=day, last_on=day)
    MissedSearch.objects.create(words="asked once", first_on=day, last_on=day)
    count_missed(text=WORDS)
    assert set(MissedSearch.objects.values_list("words", flat=True)) == {"asked often", WORDS}


def test_what_nobody_repeats_is_forgotten() -> None:
    today = timezone.localdate()
    old = today - dt.timedelta(days=KEPT_DAYS + 1)
    MissedSearch.objects.create(words="long ago", first_on=old, last_on=old)
    MissedSearch.objects.create(words="still asked", first_on=old, last_on=today)
    forget_old_missed_searches()
    assert MissedSearch.objects.get().words == "still asked"
    assert forget_old() == 0


class TestSearchPage:
    @pytest.fixture(autouse=True)
    def _issues(self, search_index: PutIssuesIn) -> None:
        for number in range(1, 8):
            make_issue(number, title=f"Training hangs at step {number}", body="NCCL watchdog timeout on all ranks")
        search_index()

    @pytest.mark.parametrize("method", ["get", "post"])
    def test_a_search_that_finds_nothing_close_is_counted(self, client: Client, method: str) -> None:
        getattr(client, method)("/issues/", {"q": "Zeppelin  refuses tokens"})
        row = MissedSearch.objects.get()
        assert row.words == WORDS
        columns = {field.name for field in MissedSearch._meta.get_fields()}
        assert columns == {"id", "words", "searches", "first_on", "last_on", "is_hidden"}

    @pytest.mark.parametrize(
        ("params", "headers"),
        [
            ({"q": "training hangs nccl watchdog timeout"}, {}),
            ({"q": WORDS}, {"HX-Request": "true"}),
            ({"q": f"{WORDS} nosuch:filter state:ajar"}, {}),
            ({"q": "#99"}, {}),
            ({"q": ""}, {}),
        ],
    )
    def test_nothing_else_is(self, client: Client, params: dict[str, str], headers: dict[str, str]) -> None:
        client.get("/issues/", params, headers=headers)
        assert list(MissedSearch.objects.values_list("words", flat=True)) == []

    def test_a_pasted_secret_is_stored_nowhere(self, client: Client) -> None:
        client.get("/issues/", {"q": "zeppelin refuses ghp_" + drawn(BASE62, 36)})
        assert not MissedSearch.objects.exists()
