"""Mirrors in the admin: added by address, switched, read again; runs, deliveries and what was left out are there."""

from unittest.mock import Mock

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ingest.models import Cursor, Delivery, KeywordList, LeftOut, Mirror
from ingest.services.deliveries import ask_reading
from ingest.sync.wakeups import waker
from kb.models import Framework
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored, make_run, staff
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ADD = "admin:ingest_mirror_add"
LIST = "admin:ingest_mirror_changelist"


@pytest.fixture
def boss(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(waker, "wake", Mock())
    return staff()


def add(boss: Client, url: str, **more: object) -> str:
    form = {"url": url, "interval_minutes": 30, "framework": "", "keywords": "", "backfill_from": ""}
    return boss.post(reverse(ADD), form | more, follow=True).content.decode()


def choose(boss: Client, action: str, mirror: Mirror) -> str:
    form = {"action": action, "_selected_action": mirror.pk}
    return boss.post(reverse(LIST), form, follow=True).content.decode()


def test_a_repository_is_added_by_its_address(boss: Client) -> None:
    framework = Framework.objects.create(slug="engine", name="Engine")
    words = KeywordList.objects.create(name="words", words=["prefill"])
    add(boss, "https://github.com/octo/engine/issues", framework=framework.pk, keywords=words.pk)
    mirror = Mirror.objects.get()
    assert str(mirror) == "octo/engine"
    assert mirror.repository.framework == framework
    assert (mirror.interval_minutes, mirror.keywords, mirror.is_on) == (30, words, True)
    assert Cursor.objects.get().mirror == mirror


@pytest.mark.parametrize("url", ["https://github.com/octo", "https://example.org/a/b", "not an address"])
def test_an_address_of_no_repository_is_refused_in_words(boss: Client, url: str) -> None:
    page = add(boss, url)
    assert "errorlist" in page
    assert not Mirror.objects.exists()


def test_a_repository_is_not_added_twice(boss: Client) -> None:
    make_mirror()
    assert "octo/engine is mirrored already." in add(boss, "https://github.com/Octo/Engine")
    assert Mirror.objects.count() == 1


def test_other_words_have_everything_read_again(boss: Client) -> None:
    mirror = make_mirror()
    words = KeywordList.objects.create(name="words", words=["prefill"])
    form = {"is_on": "on", "interval_minutes": 15, "backfill_from": "", "keywords": words.pk}
    boss.post(reverse("admin:ingest_mirror_change", args=(mirror.pk,)), form)
    assert not Cursor.objects.get().is_complete
    Cursor.objects.update(is_complete=True)
    boss.post(reverse("admin:ingest_mirror_change", args=(mirror.pk,)), form | {"interval_minutes": 20})
    assert Cursor.objects.get().is_complete


def test_actions_pause_and_resume(boss: Client) -> None:
    mirror = make_mirror()
    assert "Turned off" in choose(boss, "pause", mirror)
    assert not Mirror.objects.get().is_on
    assert "Turned on" in choose(boss, "resume", mirror)
    assert Mirror.objects.get().is_on


def test_actions_begin_a_run_a_sweep_and_a_whole_reading(boss: Client) -> None:
    mirror = make_mirror()
    choose(boss, "sync_now", mirror)
    assert Cursor.objects.filter(due_at__lte=timezone.now()).exists()
    choose(boss, "sweep_now", mirror)
    assert Cursor.objects.filter(sweep_asked_at__isnull=False).exists()
    choose(boss, "read_again", mirror)
    assert not Cursor.objects.get().is_complete


def test_a_mirror_is_never_deleted(boss: Client) -> None:
    mirror = make_mirror()
    assert boss.post(reverse("admin:ingest_mirror_delete", args=(mirror.pk,)), {"post": "yes"}).status_code == 403


def test_what_was_left_out_is_kept_after_all(boss: Client) -> None:
    left_out = make_left_out(make_mirror(), 7)
    form = {"action": "keep", "_selected_action": left_out.pk}
    boss.post(reverse("admin:ingest_leftout_changelist"), form)
    assert LeftOut.objects.get().overruled_at is not None
    assert Delivery.objects.get().ref == "7"


@pytest.mark.parametrize("page", ["mirror", "syncrun", "leftout", "delivery", "keywordlist"])
def test_every_list_opens_and_finds(boss: Client, page: str) -> None:
    mirror = make_mirror()
    make_run(mirror, status="failed", problem="It was down.")
    make_left_out(mirror, 7)
    ask_reading(repository=mirror.repository, ref="7")
    KeywordList.objects.create(name="words", words=["prefill"])
    for query in ({}, {"q": "7"}):
        assert boss.get(reverse(f"admin:ingest_{page}_changelist"), query).status_code == 200


def test_words_are_edited_one_on_each_line(boss: Client) -> None:
    words = KeywordList.objects.create(name="words", words=["prefill", "kv cache"])
    address = reverse("admin:ingest_keywordlist_change", args=(words.pk,))
    assert b"prefill\nkv cache" in boss.get(address).content
    boss.post(address, {"name": "words", "note": "", "words": "prefill\n\n decode \n"})
    words.refresh_from_db()
    assert words.words == ["prefill", "decode"]


def test_a_mirrored_issues_page_has_it_read_anew(boss: Client) -> None:
    issue = make_mirrored(make_mirror(), 7)
    address = reverse("admin:kb_issue_change", args=(issue.pk,))
    assert b"Fetch again from GitHub" in boss.get(address).content
    response = boss.post(reverse("issue-read-anew", args=(issue.pk,)), {"admin": "1"})
    assert response.headers["Location"] == address
    assert b"Fetch again" not in boss.get(reverse("admin:kb_issue_change", args=(make_issue(5).pk,))).content
