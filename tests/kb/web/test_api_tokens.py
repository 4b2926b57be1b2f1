"""The pages of one's own API tokens: made, listed, revoked, expired. What they open is tested with the API."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from config.accounts.models import ApiToken
from config.accounts.tasks import forget_expired_tokens
from config.accounts.tokens import MOST_TOKENS, make_token
from labeling.api.scopes import Scope
from tests.kb.web.people import confirm_password, is_framed, logged_in, make_user
from tests.kb.web.reading import read

pytestmark = pytest.mark.django_db

LIST, NEW = "/account/tokens/", "/account/tokens/new/"
SENT = {"name": "Night run", "scopes": ["labeling:read"], "days": "30"}


@pytest.fixture
def ada() -> Client:
    """Somebody who has just given the password once more."""
    make_user()
    client = logged_in()
    confirm_password(client, NEW)
    return client


def secret_in(html: str) -> str:
    """The token that the page shows."""
    start = html.index("fbk_")
    return html[start : start + 68]


class TestMaking:
    def test_asks_for_the_password_again(self) -> None:
        make_user()
        for response in (logged_in().get(NEW), logged_in().post(NEW, SENT)):
            assert response.headers["Location"].startswith("/account/reauthenticate/")
        assert not ApiToken.objects.exists()

    def test_shows_the_token_once_and_keeps_a_hash(self, ada: Client) -> None:
        response = ada.post(NEW, SENT)
        assert is_framed(response)
        assert "no-store" in response.headers["Cache-Control"]
        secret = secret_in(response.content.decode())
        token = ApiToken.objects.get()
        assert secret not in str(vars(token))
        assert secret not in ada.get(LIST).content.decode()
        assert (token.name, token.scopes, token.last_used) == ("Night run", ["labeling:read"], None)
        assert timedelta(days=29) < token.expiry - timezone.now() <= timedelta(days=30)

    def test_is_told_by_mail_without_the_token(self, ada: Client) -> None:
        secret = secret_in(ada.post(NEW, SENT).content.decode())
        assert "Night run" in mail.outbox[-1].body
        assert secret[:15] not in mail.outbox[-1].body

    @pytest.mark.parametrize(
        "wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["labeling:all"]}, {"days": "3650"}, {"days": ""}]
    )
    def test_needs_a_name_a_scope_and_an_end(self, ada: Client, wrong: dict[str, Any]) -> None:
        assert is_framed(ada.post(NEW, SENT | wrong))
        assert not ApiToken.objects.exists()

    def test_stops_at_a_number_that_nobody_can_look_after(self, ada: Client) -> None:
        for _ in range(MOST_TOKENS):
            ada.post(NEW, SENT)
        response = ada.post(NEW, SENT)
        assert response.status_code == 409
        assert "Revoke one" in read(response).words
        assert ApiToken.objects.count() == MOST_TOKENS

    @pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["everything"]}, {"expiry": None}, {"name": ""}])
    def test_postgres_keeps_none_without_an_end_a_name_or_a_known_scope(self, wrong: dict[str, Any]) -> None:
        right = {"name": "a", "scopes": [Scope.READ], "expiry": timedelta(days=1)}
        with pytest.raises(IntegrityError), transaction.atomic():
            ApiToken.objects.create(user=make_user(), **(right | wrong))


class TestList:
    def test_says_what_a_token_may_do_until_when_and_when_it_was_used(self, ada: Client) -> None:
        ada.post(NEW, SENT)
        page = read(ada.get(LIST)).words
        assert "Night run" in page
        assert "Read projects, rounds and the votes that you may see" in page
        assert "never used" in page
        ApiToken.objects.update(last_used=timezone.now())
        assert "last used" in read(ada.get(LIST)).words

    def test_is_empty_in_words(self, ada: Client) -> None:
        assert "No token yet" in read(ada.get(LIST)).words

    def test_says_which_have_expired_until_they_are_forgotten(self, ada: Client) -> None:
        ada.post(NEW, SENT)
        expire()
        assert "expired" in read(ada.get(LIST)).words
        forget_expired_tokens()
        assert ApiToken.objects.exists()
        expire(days_ago=31)
        forget_expired_tokens()
        assert not ApiToken.objects.exists()

    def test_revokes_ones_own_only(self, ada: Client) -> None:
        mine, _ = make_token(user=make_user("bob"), name="Bob's", scopes=[Scope.READ], days=7)
        ada.post(NEW, SENT)
        for token in ApiToken.objects.all():
            ada.post(LIST, {"token": token.token_key})
        assert ApiToken.objects.get() == mine

    def test_is_gone_with_the_account(self, ada: Client) -> None:
        ada.post(NEW, SENT)
        ada.post("/account/delete/")
        assert not ApiToken.objects.exists()


def expire(days_ago: int = 0) -> None:
    """Have every token end so many days ago."""
    end = timezone.now() - timedelta(days=days_ago, seconds=1)
    ApiToken.objects.update(created=end - timedelta(days=1), expiry=end)
