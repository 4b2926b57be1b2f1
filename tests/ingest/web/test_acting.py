"""What staff may do about mirrors from their pages, and that nobody else may."""

from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ingest.models import Cursor, Delivery, KeywordList, LeftOut, Mirror
from ingest.sync.wakeups import waker
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored, staff
from tests.kb.web.reading import read, visit
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
MIRROR = "/status/github.com/octo/engine/"


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> Mock:
    told = Mock()
    monkeypatch.setattr(waker, "wake", told)
    return told


@pytest.fixture
def mirror() -> Mirror:
    words = KeywordList.objects.create(name="about-llms", words=["prefill"])
    return make_mirror(mirror={"keywords": words})


def press(client: Client, what: str) -> str:
    response = client.post(f"{MIRROR}do", {"what": what}, follow=True)
    assert response.redirect_chain == [(MIRROR, 302)]
    return read(response).words


def test_pausing_and_resuming(mirror: Mirror) -> None:
    client = staff()
    assert "Turned off" in press(client, "pause")
    assert not Mirror.objects.get().is_on
    assert "Turned on" in press(client, "resume")
    assert Mirror.objects.get().is_on
    assert Cursor.objects.filter(due_at__lte=timezone.now()).exists()


def test_asking_now_what_is_new(mirror: Mirror) -> None:
    press(staff(), "sync")
    assert Cursor.objects.filter(due_at__lte=timezone.now()).exists()


def test_looking_at_every_issue_again(mirror: Mirror) -> None:
    Cursor.objects.update(swept_up_to=90)
    press(staff(), "sweep")
    cursor = Cursor.objects.get()
    assert cursor.sweep_asked_at is not None
    assert cursor.swept_up_to == 0


def test_reading_everything_again_sorts_anew_what_was_left_out(mirror: Mirror) -> None:
    make_left_out(mirror, 7)
    make_left_out(mirror, 8, overruled_at=timezone.now())
    Cursor.objects.update(updated_at=timezone.now(), next_url="https://example.org/", probe_etag="x", expected=5)
    press(staff(), "again")
    cursor = Cursor.objects.get()
    assert (cursor.updated_at, cursor.next_url, cursor.probe_etag, cursor.expected) == (None, "", "", None)
    assert not cursor.is_complete
    assert [one.ref for one in LeftOut.objects.all()] == ["8"]


def test_an_unknown_button_is_not_found(mirror: Mirror) -> None:
    assert staff().post(f"{MIRROR}do", {"what": "destroy"}).status_code == 404


def test_keeping_after_all_what_was_left_out(mirror: Mirror, told: Mock) -> None:
    make_left_out(mirror, 7)
    client = staff()
    assert "Keep" in visit(client, f"{MIRROR}left-out/").words
    response = client.post(f"{MIRROR}keep", {"ref": "7"}, follow=True)
    assert "Number 7 is mirrored from now on." in read(response).words
    kept = LeftOut.objects.get()
    assert kept.overruled_at is not None
    assert kept.overruled_by is not None
    assert kept.overruled_by.username == "boss"
    asked = Delivery.objects.get()
    assert (asked.event, asked.host, asked.repository, asked.ref) == ("asked", "github.com", "octo/engine", "7")
    told.assert_called_once_with()


def test_keeping_what_was_not_left_out_is_not_found(mirror: Mirror) -> None:
    assert staff().post(f"{MIRROR}keep", {"ref": "7"}).status_code == 404


def test_reading_one_issue_anew_from_its_page(mirror: Mirror) -> None:
    issue = make_mirrored(mirror, 7)
    client = staff()
    assert b"Fetch again from GitHub" in client.get(issue.get_absolute_url()).content
    response = client.post(reverse("issue-read-anew", args=(issue.pk,)), follow=True)
    assert "will be read again within a minute" in read(response).words
    assert response.redirect_chain == [(issue.get_absolute_url(), 302)]
    assert Delivery.objects.get().ref == "7"


def test_an_issue_that_is_not_mirrored_cannot_be_read_anew(mirror: Mirror) -> None:
    client = staff()
    assert client.post(reverse("issue-read-anew", args=(make_issue(5).pk,))).status_code == 404
    Mirror.objects.update(is_on=False)
    issue = make_mirrored(mirror, 7)
    assert client.post(reverse("issue-read-anew", args=(issue.pk,))).status_code == 404
    assert not Delivery.objects.exists()


def test_only_staff_who_look_after_mirrors_may(mirror: Mirror) -> None:
    issue, _ = make_mirrored(mirror, 7), make_left_out(mirror, 8)
    reader, helper = Client(), Client()
    reader.force_login(User.objects.create_user("reader"))
    helper.force_login(User.objects.create_user("helper", is_staff=True))
    for client in (Client(), reader, helper):
        assert client.post(f"{MIRROR}do", {"what": "pause"}).status_code == 403
        assert client.post(f"{MIRROR}keep", {"ref": "8"}).status_code == 403
        assert client.post(reverse("issue-read-anew", args=(issue.pk,))).status_code == 403
        assert b"Pause" not in client.get(MIRROR).content
    assert Mirror.objects.get().is_on
    assert not Delivery.objects.exists()


def test_nothing_is_done_without_the_token_of_the_page(mirror: Mirror) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("boss"))
    assert client.post(f"{MIRROR}do", {"what": "pause"}).status_code == 403
    assert client.get(f"{MIRROR}do").status_code == 405
