"""The labeling API by token: what each scope opens, what none opens, and what makes a token void."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config.accounts.models import ApiToken
from config.accounts.tokens import make_token
from labeling.api.scopes import Scope
from labeling.models import Member, Role, Round, Vote
from tests.labeling.api.test_work import BALLOT, JSON
from tests.labeling.factories import make_open_round

pytestmark = pytest.mark.django_db
PROJECTS = "/api/v1/labeling/projects/"


@pytest.fixture
def round_() -> Round:
    return make_open_round(annotators=2, issues=2, votes_wanted=2)[0]


@pytest.fixture
def member(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.ANNOTATOR]).earliest("pk")


def program(member: Member, *scopes: Scope) -> Client:
    """A member's program with a token, and no cookie; a form's missing CSRF token would be noticed."""
    _, secret = make_token(user=member.user, name="Script", scopes=scopes or list(Scope), days=7)
    return with_token(secret)


def with_token(secret: str) -> Client:
    return Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {secret}"})


def base(round_: Round) -> str:
    return f"{PROJECTS}{round_.project.slug}/rounds/{round_.number}/"


class TestScopes:
    def test_voting_goes_from_the_next_issue_to_a_receipt(self, member: Member, round_: Round) -> None:
        script = program(member, Scope.VOTE)
        assert script.post(f"{base(round_)}next/").json()["item"]["position"] == 1
        answer = script.post(f"{base(round_)}issues/1/vote/", json.dumps(BALLOT), content_type=JSON)
        assert answer.status_code == 201
        assert Vote.objects.get(receipt=answer.json()["receipt"]).slot.member == member

    def test_reading_does_not_vote(self, member: Member, round_: Round) -> None:
        script = program(member, Scope.READ)
        assert script.get(f"{base(round_)}issues/1/").status_code == 200
        answer = script.post(f"{base(round_)}next/")
        assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
        assert "labeling:vote" in answer.json()["detail"]

    def test_voting_does_not_read(self, member: Member, round_: Round) -> None:
        script = program(member, Scope.VOTE)
        for path in (PROJECTS, f"{base(round_)}issues/1/votes/", f"{base(round_)}agreement/"):
            answer = script.get(path)
            assert answer.status_code == 403
            assert "labeling:read" in answer.json()["detail"]

    def test_what_is_no_voting_is_not_for_tokens(self, member: Member, round_: Round) -> None:
        """A codebook is changed by people."""
        path = f"{PROJECTS}{round_.project.slug}/proposals/1/"
        answer = program(member).patch(path, json.dumps({"reason": "So."}), content_type=JSON)
        assert answer.status_code == 403
        assert "not for tokens" in answer.json()["detail"]


class TestAccess:
    def test_a_token_opens_no_page(self, member: Member, round_: Round) -> None:
        script = program(member)
        slug = round_.project.slug
        for path in ("/labeling/", f"/labeling/{slug}/", "/account/", "/account/tokens/", "/admin/"):
            answer = script.get(path)
            assert (answer.status_code, "/login/" in answer.headers["Location"]) == (302, True), path

    def test_a_token_starts_no_session(self, member: Member) -> None:
        script = program(member)
        assert script.get(PROJECTS).status_code == 200
        assert not script.cookies

    def test_a_token_counts_before_a_session_beside_it(self, member: Member) -> None:
        client = with_token("fbk_" + "0" * 64)
        client.force_login(member.user)
        assert client.get(PROJECTS).status_code == 401

    @pytest.mark.parametrize(
        "header", ["Bearer", "Bearer a b", "Bearer fbk_0000", "Bearer " + "é" * 68, "Token fbk_1", "Basic YTpi"]
    )
    def test_what_is_no_token_is_told_so(self, header: str) -> None:
        answer = Client(headers={"authorization": header}).get(PROJECTS)
        assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
        assert "Bearer" in answer.headers["WWW-Authenticate"]

    def test_is_counted_by_the_token(self, member: Member, settings: Settings) -> None:
        settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": {"anon": "2/min"}}
        script = program(member)
        assert [script.get(PROJECTS).status_code for _ in range(3)] == [200, 200, 429]
        client = Client()
        client.force_login(member.user)
        assert client.get(PROJECTS).status_code == 200

    def test_whoever_guesses_at_tokens_must_wait(self, settings: Settings) -> None:
        settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": {"anon": "2/min"}}
        stranger = with_token("fbk_" + "0" * 64)
        answers = [stranger.get(PROJECTS) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [401, 401, 429]
        assert int(answers[-1].headers["Retry-After"]) > 0


class TestVoid:
    def test_once_it_expires(self, member: Member) -> None:
        script = program(member)
        end = timezone.now() - timedelta(seconds=1)
        ApiToken.objects.update(created=end - timedelta(days=1), expiry=end)
        assert script.get(PROJECTS).status_code == 401
        assert ApiToken.objects.exists()

    def test_once_it_is_revoked(self, member: Member) -> None:
        script = program(member)
        ApiToken.objects.get().delete()
        assert script.get(PROJECTS).status_code == 401

    def test_once_the_account_is_closed(self, member: Member) -> None:
        script = program(member)
        member.user.is_active = False
        member.user.save()
        assert script.get(PROJECTS).status_code == 401

    def test_for_staff_without_the_second_factor_that_they_need(self, member: Member, settings: Settings) -> None:
        script = program(member)
        settings.STAFF_SECOND_FACTOR, member.user.is_staff = True, True
        member.user.save()
        assert script.get(PROJECTS).status_code == 401

    def test_in_a_project_that_its_owner_has_left(self, member: Member, round_: Round) -> None:
        script = program(member)
        Member.objects.filter(pk=member.pk).update(left_at=timezone.now())
        assert script.get(f"{PROJECTS}{round_.project.slug}/").status_code == 404


def test_its_last_use_is_noted(member: Member) -> None:
    script = program(member)
    script.get(PROJECTS)
    used: Any = ApiToken.objects.get().last_used
    assert timezone.now() - used < timedelta(minutes=1)
    script.get(PROJECTS)
    assert ApiToken.objects.get().last_used == used
