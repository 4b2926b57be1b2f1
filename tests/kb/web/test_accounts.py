"""The account pages: which there are, how they look, and what having an account changes on all other pages."""

from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import allauth
import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings as configured
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from config.accounts.urls import github_urlpatterns, provider_urlpatterns, urlpatterns
from kb.models import Issue
from tests.kb.web.people import confirm_password, is_framed, is_in, log_in, logged_in, make_user
from tests.kb.web.reading import read

pytestmark = pytest.mark.django_db

OURS = Path(configured.BASE_DIR) / "templates"
THEIRS = Path(allauth.__file__).parent / "templates"
# Templates of allauth's for what Faultbook does not offer, and those that only its own templates use.
UNREACHED = (
    "*/base_*.html",
    "*/snippets/*",
    "mfa/*/base.html",
    "*phone*",
    "*webauthn*",
    "*passkey*",
    "*login_code*",
    "*password_reset_code*",
    "account/confirm_*_code.html",
    "account/email_change.html",
    "mfa/trust.html",
    "socialaccount/login_redirect.html",
)
OPEN = (
    "login/",
    "signup/",
    "inactive/",
    "email/sent/",
    "password/reset/",
    "password/reset/sent/",
    "password/reset/done/",
)
CLOSED = ("", "email/", "password/change/", "2fa/", "sessions/", "tokens/", "reauthenticate/")
ASKED_AGAIN = ("2fa/app/on/", "2fa/codes/new/", "tokens/new/")


class TestTemplates:
    def test_none_of_allauths_own_can_be_reached(self) -> None:
        rooms = ("account", "mfa", "socialaccount", "usersessions")
        theirs = {str(path.relative_to(THEIRS)) for room in rooms for path in (THEIRS / room).rglob("*.*")}
        missing = {name for name in theirs if not (OURS / name).exists()}
        assert {name for name in missing if not any(fnmatch(name, pattern) for pattern in UNREACHED)} == set()

    def test_every_route_answers_with_a_template_of_ours(self) -> None:
        views = [
            getattr(route.callback, "view_class", None)
            for route in [*urlpatterns, *provider_urlpatterns, *github_urlpatterns]
        ]
        names = {view.template_name for view in views if view is not None}
        assert len(names) > 20
        for name in names:
            assert (OURS / name).exists(), name


class TestPages:
    @pytest.mark.parametrize("path", OPEN)
    def test_open_ones_are_ours(self, client: Client, path: str) -> None:
        response = client.get(f"/account/{path}")
        assert response.status_code == 200
        assert is_framed(response)
        assert "no-store" in response.headers["Cache-Control"]

    @pytest.mark.parametrize("path", [*CLOSED, *ASKED_AGAIN])
    def test_others_lead_to_the_log_in_and_back(self, client: Client, path: str) -> None:
        response = client.get(f"/account/{path}")
        assert response.status_code == 302
        target = urlsplit(response.headers["Location"])
        assert (target.path, parse_qs(target.query)) == ("/account/login/", {"next": [f"/account/{path}"]})

    @pytest.mark.parametrize("path", [*CLOSED, "logout/"])
    def test_whoever_is_in_sees_them(self, path: str) -> None:
        make_user()
        response = logged_in().get(f"/account/{path}")
        assert response.status_code == 200
        assert is_framed(response)
        assert "no-store" in response.headers["Cache-Control"]

    @pytest.mark.parametrize("path", ASKED_AGAIN)
    def test_what_could_lock_out_asks_for_the_password_again(self, path: str) -> None:
        make_user()
        client = logged_in()
        confirm_password(client, f"/account/{path}")
        assert is_framed(client.get(f"/account/{path}"))

    def test_a_link_that_is_not_valid_says_so(self, client: Client) -> None:
        for path in ("email/confirm/no-such-key/", "password/reset/1-no-such-key/"):
            response = client.get(f"/account/{path}")
            assert is_framed(response)
            assert "This link does not work" in read(response).words

    def test_what_is_not_used_does_not_exist(self, client: Client) -> None:
        for path in (
            "login/code/",
            "login/code/confirm/",
            "phone/verify/",
            "2fa/webauthn/",
            "2fa/trust/",
            "github/login/",
            "oidc/login/",
            "connections/",
        ):
            assert client.get(f"/account/{path}").status_code == 404, path

    def test_answer_with_pages_also_to_programs(self, client: Client) -> None:
        response = client.get("/account/login/", headers={"accept": "application/json"})
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"

    def test_the_account_page_says_whom_to_ask_for_closing_it(self, settings: Settings) -> None:
        make_user()
        settings.CONTACT_EMAIL = "lead@example.org"
        page = read(logged_in().get("/account/"))
        assert page.links["mailto:lead@example.org"] == "lead@example.org"
        for path in ("/account/email/", "/account/password/change/", "/account/2fa/", "/account/sessions/"):
            assert path in page.links

    def test_the_head_of_every_page_leads_to_the_log_in(self, client: Client) -> None:
        assert read(client.get("/")).links["/account/login/"] == "Log in"


@pytest.mark.usefixtures("starter")
class TestPublicPages:
    @pytest.fixture
    def paths(self) -> list[str]:
        issue = Issue.objects.earliest("pk").get_absolute_url()
        return [
            "/",
            "/issues/?q=hang",
            issue,
            "/codebook/",
            "/playbooks/",
            "/studies/",
            "/explore/charts/",
            "/about/",
            "/nothing",
        ]

    def test_set_no_cookie_and_do_not_vary_by_it(self, client: Client, paths: list[str]) -> None:
        for path in paths:
            response = client.get(path)
            assert not response.cookies, path
            assert "cookie" not in response.headers.get("Vary", "").lower(), path
            assert "Cache-Control" not in response.headers, path

    def test_other_cookies_open_no_session(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        client.cookies["csrftoken"] = "a" * 32
        with django_assert_num_queries(0):
            assert "cookie" not in client.get("/nothing").headers.get("Vary", "").lower()

    def test_are_private_for_whoever_is_in_and_name_them(self, paths: list[str]) -> None:
        make_user()
        client = logged_in()
        for path in paths:
            response = client.get(path)
            assert "Cookie" in response.headers["Vary"], path
            assert response.headers["Cache-Control"] == "private", path
            assert "/account/" in read(response).links, path

    def test_cost_two_more_queries_for_whoever_is_in(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make_user()
        client = logged_in()
        with django_assert_num_queries(2):
            client.get("/nothing")

    def test_the_api_and_the_feed_stay_public(self) -> None:
        make_user()
        client = logged_in()
        for path in ("/api/v1/issues/", "/issues/feed.atom"):
            response = client.get(path)
            assert response.status_code == 200
            assert "Cookie" not in response.headers.get("Vary", ""), path


class TestAdmin:
    def test_has_no_log_in_of_its_own(self, client: Client) -> None:
        response = client.get("/admin/", follow=True)
        assert response.redirect_chain[-1][0] == "/account/login/?next=%2Fadmin%2F"

    def test_staff_get_in_before_mail_works(self, client: Client, settings: Settings) -> None:
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        make_user("root", verified=False, is_staff=True, is_superuser=True)
        assert log_in(client, "root", next="/admin/").headers["Location"] == "/admin/"
        assert client.get("/admin/").status_code == 200

    def test_others_are_told_that_it_is_not_for_them(self) -> None:
        make_user()
        response = logged_in().get("/admin/", follow=True)
        assert response.status_code == 403
        assert "You have no access to this page" in read(response).words

    def test_shows_no_secret_of_a_second_factor(self) -> None:
        user = make_user("root", is_staff=True, is_superuser=True)
        factor = Authenticator.objects.create(user=user, type="recovery_codes", data={"seed": "a-secret-seed"})
        page = logged_in("root").get(f"/admin/mfa/authenticator/{factor.pk}/change/").content.decode()
        assert "root" in page
        assert "a-secret-seed" not in page


def test_a_form_from_elsewhere_is_refused_kindly() -> None:
    response = Client(enforce_csrf_checks=True).post("/account/login/", {"login": "ada", "password": "x"})
    assert response.status_code == 403
    assert "This form is out of date" in read(response).words


def test_logging_out_takes_the_session_and_its_cookie_away() -> None:
    make_user()
    client = logged_in()
    key = client.session.session_key
    assert client.post("/account/logout/").headers["Location"] == "/"
    assert (client.cookies["sessionid"].value, client.cookies["sessionid"]["max-age"]) == ("", 0)
    assert not is_in(client)
    assert not Session.objects.filter(pk=key).exists()
