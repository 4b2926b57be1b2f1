"""The survey: one answer for each person, changed and withdrawn by whoever sent it, kept to rules, and private."""

import re
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.core import signing
from django.core.cache import cache
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from kb.http.rates import network_of
from kb.models import Node, SurveyAnswer, SurveyPlace
from kb.services.priorities import MOST_A_DAY, Person, exclude_answer, send_answer
from kb.web.explore import survey_person
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_node

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
PAGE, WITHDRAW = "/explore/priorities/survey/", "/explore/priorities/survey/withdraw/"
BUGS = {"C_1": "C.2", "C_2": "C.1"}
FEWEST = {"role": "user", "experience": "over_3", **BUGS}


@pytest.fixture(autouse=True)
def themes() -> dict[str, Node]:
    """Two questions, a requirement and three bugs, and one that is retired."""
    axis = make_axis("theme")
    codes = ("A.1", "A.2", "B.1", "C.1", "C.2", "C.3")
    nodes = {code: make_node(code, axis=axis, name=f"Theme {code}", position=n) for n, code in enumerate(codes)}
    nodes["C.4"] = make_node("C.4", axis=axis, status=Node.Status.RETIRED)
    nodes["C.1.i"] = make_node("C.1.i", axis=axis, parent=nodes["C.1"])
    return nodes


def ticket_of(client: Client) -> str:
    return visit(client, PAGE).inputs["ticket"]


def send(client: Client, ticket: str | None = None, **fields: str) -> "Response":
    return client.post(PAGE, {"ticket": ticket or ticket_of(client), **FEWEST, **fields})


def words_of(response: "Response") -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def ranked(group: str = "C") -> list[str]:
    """The one answer's ranking."""
    places = SurveyPlace.objects.filter(answer=SurveyAnswer.objects.get(), group=group)
    return list(places.order_by("rank").values_list("node__code", flat=True))


class TestAnswering:
    def test_an_answer_is_kept_and_thanked_for(self, client: Client) -> None:
        response = client.post(
            PAGE, {"ticket": ticket_of(client), **FEWEST, "A_1": "A.2", "A_2": "A.1", "B_1": "B.1"}, follow=True
        )
        assert "your answer counts" in words_of(response)
        answer = SurveyAnswer.objects.get()
        assert (answer.role, answer.experience, answer.user) == ("user", "over_3", None)
        assert (ranked("C"), ranked("A"), ranked("B")) == (["C.2", "C.1"], ["A.2", "A.1"], ["B.1"])

    def test_places_left_empty_are_closed_up(self, client: Client) -> None:
        send(client, C_1="", C_2="C.3", C_3="C.1")
        assert ranked() == ["C.3", "C.1"]

    def test_the_same_browser_sees_and_changes_its_answer(self, client: Client) -> None:
        send(client)
        page = client.get(PAGE).content.decode()
        assert 'value="C.2" selected' in page
        assert "Change my answer" in page
        send(client, C_1="C.3", C_2="", role="both")
        assert ranked() == ["C.3"]
        assert SurveyAnswer.objects.get().role == "both"

    def test_a_form_sent_twice_is_one_answer(self) -> None:
        ticket = ticket_of(Client())
        send(Client(), ticket)
        send(Client(), ticket, C_1="C.3")
        assert ranked() == ["C.3", "C.1"]

    def test_other_browsers_are_other_people(self) -> None:
        send(Client())
        send(Client())
        assert SurveyAnswer.objects.count() == 2

    def test_withdrawn_it_is_gone_and_so_is_the_cookie(self, client: Client) -> None:
        send(client)
        response = client.post(WITHDRAW)
        assert response.cookies[survey_person.COOKIE]["max-age"] == 0
        assert "Your answer is deleted" in visit(client, response["Location"]).words
        assert not SurveyAnswer.objects.exists()
        assert not SurveyPlace.objects.exists()
        assert "no answer of yours" in words_of(client.post(WITHDRAW, follow=True))

    def test_nobody_withdraws_or_changes_that_of_another_one(self) -> None:
        send(Client())
        Client().post(WITHDRAW)
        send(Client(), C_1="C.3")
        assert SurveyAnswer.objects.count() == 2


class TestAccounts:
    def test_an_account_has_one_answer_wherever_it_is_logged_in(self) -> None:
        ada = User.objects.create_user("ada")
        for first in ("C.3", "C.2"):
            browser = Client()
            browser.force_login(ada)
            response = send(browser, C_1=first)
            assert survey_person.COOKIE not in response.cookies
        assert SurveyAnswer.objects.get().user == ada
        assert ranked() == ["C.2", "C.1"]

    def test_an_answer_given_before_logging_in_becomes_the_accounts(self, client: Client) -> None:
        send(client)
        ada = User.objects.create_user("ada")
        client.force_login(ada)
        send(client, C_1="C.3")
        assert SurveyAnswer.objects.get().user == ada
        assert ranked() == ["C.3", "C.1"]

    def test_two_answers_of_one_person_become_one(self, client: Client) -> None:
        ada = User.objects.create_user("ada")
        elsewhere = Client()
        elsewhere.force_login(ada)
        send(elsewhere)
        send(client)
        client.force_login(ada)
        send(client, C_1="C.3")
        assert SurveyAnswer.objects.get().user == ada

    def test_who_logs_in_at_anothers_browser_leaves_the_others_answer_alone(self, client: Client) -> None:
        client.force_login(User.objects.create_user("ada"))
        client.cookies[survey_person.COOKIE] = signing.dumps("token", salt=survey_person.SALT)
        send(client)
        client.force_login(User.objects.create_user("ben"))
        send(client)
        assert SurveyAnswer.objects.count() == 2

    def test_an_answer_goes_with_its_account(self) -> None:
        ada = User.objects.create_user("ada")
        send_answer(person=Person(user_id=ada.pk), role="user", experience="over_3", rankings={"C": ("C.1",)})
        ada.delete()
        assert not SurveyAnswer.objects.exists()


class TestMistakes:
    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"C_1": "", "C_2": ""}, "Choose at least the one to fix first."),
            ({"C_3": "C.2"}, "“Theme C.2” is your 1st already. Choose another one here, or nothing."),
            ({"A_1": "A.9"}, "This theme is not offered (any more). Choose another one."),
            ({"C_2": "C.4"}, "This theme is not offered (any more). Choose another one."),
            ({"C_2": "C.1.i"}, "This theme is not offered (any more). Choose another one."),
            ({"C_2": "A.1"}, "This theme is not offered (any more). Choose another one."),
            ({"role": ""}, "Say whether you use such frameworks, develop them, or both."),
            ({"experience": "ages"}, "not one of the available choices"),
            ({"website": "https://example.org"}, "This box is there to catch programs. Empty it and send again."),
        ],
    )
    def test_are_said_beside_what_was_chosen(self, client: Client, changed: dict[str, str], said: str) -> None:
        response = send(client, **{"B_1": "B.1", **changed})
        page = response.content.decode()
        assert response.status_code == 200
        assert said in words_of(response)
        assert 'value="B.1" selected' in page
        assert 'role="alert"' in page
        for link in re.findall(r'<a href="#([^"]+)">', page)[1:]:
            assert f'id="{link}"' in page
        assert not SurveyAnswer.objects.exists()

    @pytest.mark.parametrize(
        "ticket", ["", "made-up", signing.dumps("token", salt="other")], ids=["none", "made up", "for something else"]
    )
    def test_a_form_without_a_good_ticket_is_shown_again_with_one(self, client: Client, ticket: str) -> None:
        response = client.post(PAGE, {"ticket": ticket, **FEWEST})
        assert response.status_code == 200
        assert "look it over and send it again" in words_of(response)
        again = re.search(r'name="ticket" value="([^"]+)"', response.content.decode())
        assert again
        assert send(client, again[1]).status_code == 302

    def test_a_form_must_come_from_the_page(self) -> None:
        strict = Client(enforce_csrf_checks=True)
        assert strict.post(PAGE, {"ticket": ticket_of(strict), **FEWEST}).status_code == 403
        assert strict.post(WITHDRAW).status_code == 403

    def test_a_theme_retired_while_somebody_chooses_is_refused_kindly(
        self, client: Client, themes: dict[str, Node]
    ) -> None:
        ticket = ticket_of(client)
        Node.objects.filter(pk=themes["C.2"].pk).update(status=Node.Status.RETIRED)
        response = send(client, ticket)
        assert response.status_code == 200
        assert "not offered (any more)" in words_of(response)

    def test_withdrawing_is_never_a_link(self, client: Client) -> None:
        assert client.get(WITHDRAW).status_code == 405


class TestLimits:
    def test_a_network_that_sent_enough_waits_with_its_answer_kept(self, client: Client) -> None:
        for _ in range(MOST_A_DAY):
            assert send(client).status_code == 302
        response = Client(REMOTE_ADDR="127.0.0.9").post(PAGE, {"ticket": ticket_of(Client()), **FEWEST})
        assert response.status_code == 429
        assert "Too many answers came from your network today" in words_of(response)
        assert 'value="C.2" selected' in response.content.decode()
        assert SurveyAnswer.objects.count() == 1
        assert Client(REMOTE_ADDR="10.0.0.1").post(PAGE, {"ticket": ticket_of(Client()), **FEWEST}).status_code == 302
        assert client.post(WITHDRAW).status_code == 302

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("203.0.113.7", "203.0.113.250"),
            ("2001:db8:1::1", "2001:db8:1:ffff::9"),
            ("203.0.113.7", "::ffff:203.0.113.8"),
        ],
    )
    def test_neighbours_are_one_network(self, one: str, other: str) -> None:
        assert network_of(one) == network_of(other)
        assert network_of(one) not in (network_of("203.0.114.7"), network_of("2001:db8:2::1"))

    def test_no_address_is_kept_anywhere(self) -> None:
        address = "203.0.113.77"
        Client(REMOTE_ADDR=address).post(PAGE, {"ticket": ticket_of(Client()), **FEWEST})
        keys = [key.decode() for key in cache._shared._cache.get_client().keys("*survey*")]  # type: ignore[attr-defined]
        assert keys
        assert [key for key in keys if "203" in key.split(":")[-1] and "203.0" in key] == []
        with connection.cursor() as cursor:
            cursor.execute("SELECT a::text FROM kb_surveyanswer a")
            assert "203.0" not in cursor.fetchone()[0]

    def test_the_cookie_is_out_of_reach_of_scripts_and_other_pages(self, client: Client, settings: Settings) -> None:
        settings.SESSION_COOKIE_SECURE = True
        cookie = send(client).cookies[survey_person.COOKIE]
        assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")
        assert cookie["path"] == "/explore/priorities/"
        assert SurveyAnswer.objects.get().token_digest not in cookie.value

    def test_no_cookie_is_set_before_somebody_answers(self, client: Client) -> None:
        client.get(PAGE)
        assert survey_person.COOKIE not in client.cookies


class TestPage:
    def test_takes_few_statements(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        send(client)
        with django_assert_max_num_queries(3):
            page = visit(client, PAGE)
        assert page.inline == []
        assert "thrown away after a day" in page.words

    def test_is_kept_by_no_cache(self, client: Client) -> None:
        assert "no-store" in client.get(PAGE)["Cache-Control"]

    def test_whose_answer_is_left_out_reads_why(self, client: Client) -> None:
        send(client)
        exclude_answer(answer=SurveyAnswer.objects.get(), because="The same was sent 40 times.")
        assert "The same was sent 40 times." in visit(client, PAGE).words
