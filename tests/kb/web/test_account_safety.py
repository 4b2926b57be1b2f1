"""What keeps an account safe: the second factor, and the list of sessions."""

import time
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config.accounts.tasks import forget_ended_sessions
from tests.kb.web.people import PASSWORD, confirm_password, is_in, log_in, logged_in, mailed_path, make_user, totp
from tests.kb.web.reading import read

pytestmark = pytest.mark.django_db
NEW = "nine lamps in a row"


class TestSecondFactor:
    @pytest.fixture(autouse=True)
    def _the_clock_stands_still(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """No code runs out between being shown and being sent."""
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now)

    def set_up(self) -> str:
        """Turn the app on for somebody, and return its key."""
        client = logged_in()
        confirm_password(client, "/account/2fa/app/on/")
        page = read(client.get("/account/2fa/app/on/"))
        secret: str = client.session["mfa.totp.secret"]
        assert f"Key: {secret}" in page.words
        assert "This code is not right" in read(client.post("/account/2fa/app/on/", {"code": "no"})).words
        assert client.post("/account/2fa/app/on/", {"code": totp(secret)}).status_code == 302
        return secret

    def test_the_log_says_who_came_in_how_and_what_went_wrong_from_where(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        user = make_user()
        secret = self.set_up()
        caplog.clear()
        client = Client(REMOTE_ADDR="192.0.2.7")
        with caplog.at_level("INFO", "config.accounts"):
            log_in(client, password="seven lamps in a hurry")
            log_in(client)
            client.post("/account/2fa/authenticate/", {"code": "000000"})
            client.post("/account/2fa/authenticate/", {"code": totp(secret)})
        assert caplog.messages == [
            "A wrong password came from 192.0.2.7",
            f"A wrong code for account {user.pk} came from 192.0.2.7",
            f"Account {user.pk} logged in by password, mfa",
        ]

    def test_is_asked_for_after_the_password_and_takes_a_code_once(self) -> None:
        make_user()
        secret = self.set_up()
        client, thief = Client(), Client()
        for one in (client, thief):
            assert log_in(one, next="/map/").headers["Location"] == "/account/2fa/authenticate/"
        assert not is_in(client)
        code = totp(secret)
        assert "This code is not right" in read(client.post("/account/2fa/authenticate/", {"code": "1"})).words
        assert client.post("/account/2fa/authenticate/", {"code": code}).headers["Location"] == "/map/"
        assert is_in(client)
        thief.post("/account/2fa/authenticate/", {"code": code})
        assert not is_in(thief)

    def test_stands_before_the_admin_too(self, client: Client) -> None:
        make_user(is_staff=True, is_superuser=True)
        self.set_up()
        log_in(client, next="/admin/")
        assert client.get("/admin/").status_code == 302

    def test_a_recovery_code_stands_in_once(self) -> None:
        user = make_user()
        self.set_up()
        codes = Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()
        for attempt, expected in enumerate((True, False)):
            client = Client()
            log_in(client)
            client.post("/account/2fa/authenticate/", {"code": codes[0]})
            assert is_in(client) == expected, attempt

    def test_recovery_codes_are_shown_downloaded_and_made_anew(self) -> None:
        user = make_user()
        self.set_up()
        client = Client()
        log_in(client)
        client.post("/account/2fa/authenticate/", {"code": totp(Authenticator.objects.get(type="totp").data["secret"])})
        confirm_password(client, "/account/2fa/codes/")
        codes = Authenticator.objects.get(user=user, type="recovery_codes").wrap().get_unused_codes()
        assert len(codes) == 10
        assert all(code in read(client.get("/account/2fa/codes/")).words for code in codes)
        assert client.get("/account/2fa/codes/download/").content.decode().split() == codes
        client.post("/account/2fa/codes/new/")
        assert codes[0] not in read(client.get("/account/2fa/codes/")).words

    def test_is_asked_for_after_a_reset_too(self) -> None:
        make_user()
        self.set_up()
        client = Client()
        client.post("/account/password/reset/", {"email": "ada@example.org"})
        form = client.get(mailed_path(), follow=True).request["PATH_INFO"]
        client.post(form, {"password1": NEW, "password2": NEW})
        assert not is_in(client)
        assert log_in(client, password=NEW).headers["Location"] == "/account/2fa/authenticate/"
        assert not is_in(client)

    def test_is_turned_off_again(self, client: Client) -> None:
        make_user()
        secret = self.set_up()
        log_in(client)
        client.post("/account/2fa/authenticate/", {"code": totp(secret)})
        confirm_password(client, "/account/2fa/app/off/")
        assert client.post("/account/2fa/app/off/").status_code == 302
        assert not Authenticator.objects.exists()


class TestStaff:
    @pytest.fixture(autouse=True)
    def _needs_a_second_factor(self, settings: Settings) -> None:
        settings.STAFF_SECOND_FACTOR = True

    @pytest.fixture
    def staff(self) -> Client:
        """The browser of staff without a second factor."""
        make_user("root", is_staff=True, is_superuser=True)
        return logged_in("root")

    @pytest.mark.parametrize("path", ["/admin/", "/admin/auth/user/", "/labeling/oversight/", "/labeling/new/", "/"])
    def test_without_one_is_led_to_set_it_up(self, staff: Client, path: str) -> None:
        response = staff.get(path, follow=True)
        assert response.redirect_chain[0] == ("/account/2fa/app/on/", 302)
        assert response.status_code == 200
        assert "Staff of this site need a second factor" in read(response).words

    def test_without_one_changes_nothing(self, staff: Client) -> None:
        form = {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
        assert staff.post("/admin/auth/user/add/", form).headers["Location"] == "/account/2fa/app/on/"
        assert not User.objects.filter(username="eve").exists()

    def test_gets_in_with_one(self, staff: Client) -> None:
        confirm_password(staff, "/account/2fa/app/on/")
        staff.get("/account/2fa/app/on/")
        staff.post("/account/2fa/app/on/", {"code": totp(staff.session["mfa.totp.secret"])})
        assert staff.get("/admin/").status_code == 200

    def test_recovery_codes_alone_are_none(self, staff: Client) -> None:
        Authenticator.objects.create(user=User.objects.get(), type="recovery_codes", data={"seed": "seed"})
        assert staff.get("/admin/").status_code == 302

    def test_others_and_readers_are_not_asked(self, client: Client) -> None:
        make_user()
        for one in (client, logged_in()):
            assert one.get("/about/").status_code == 200
        assert "Cookie" not in client.get("/about/").headers.get("Vary", "")

    def test_is_not_asked_unless_it_is_required(self, staff: Client, settings: Settings) -> None:
        settings.STAFF_SECOND_FACTOR = False
        assert staff.get("/admin/").status_code == 200


class TestSessions:
    def test_the_list_ends_all_others(self) -> None:
        make_user()
        here, there = logged_in(), logged_in()
        page = read(here.get("/account/sessions/"))
        assert page.words.count("Since ") == 2
        assert page.words.count("this one") == 1
        assert "2 are active" in read(here.get("/account/")).words
        assert "All other sessions have ended" in read(here.post("/account/sessions/", follow=True)).words
        assert is_in(here)
        assert not is_in(there)

    def test_nobody_elses_session_is_ended_or_shown(self) -> None:
        make_user()
        make_user("bob")
        ada, bob = logged_in(), logged_in("bob")
        assert read(ada.get("/account/sessions/")).words.count("Since ") == 1
        ada.post("/account/sessions/")
        assert is_in(bob)

    def test_ended_ones_are_forgotten_with_where_they_were_opened(self) -> None:
        make_user()
        here, there, expired = logged_in(), logged_in(), logged_in()
        there.post("/account/logout/")
        old = Session.objects.filter(pk=expired.session.session_key)
        old.update(expire_date=timezone.now() - timedelta(days=1))
        forget_ended_sessions()
        assert [row.session_key for row in UserSession.objects.all()] == [here.session.session_key]
        assert not old.exists()


def test_a_session_has_a_new_key_once_somebody_logs_in(client: Client) -> None:
    make_user()
    session = client.session
    session["before"] = "a stranger knows this key"
    session.save()
    known = session.session_key
    log_in(client)
    assert is_in(client)
    assert client.session.session_key != known
    assert not Session.objects.filter(pk=known).exists()
