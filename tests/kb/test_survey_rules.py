"""What Postgres and the service refuse of the survey: rankings that are none, second answers, and races."""

import datetime as dt
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from kb.models import Node, SurveyAnswer, SurveyPlace
from kb.priorities.rankings import RankingRefusedError
from kb.services.priorities import Person, send_answer
from tests.support.factories import make_axis, make_node

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def themes() -> dict[str, Node]:
    """A question and three bugs, one that is retired, and one that stands below another."""
    axis = make_axis("theme")
    nodes = {code: make_node(code, axis=axis) for code in ("A.1", "C.1", "C.2", "C.3")}
    nodes["C.4"] = make_node("C.4", axis=axis, status=Node.Status.RETIRED)
    nodes["C.1.i"] = make_node("C.1.i", axis=axis, parent=nodes["C.1"])
    return nodes


def place(answer: SurveyAnswer, node: Node, rank: int, group: str = "C") -> SurveyPlace:
    return SurveyPlace(answer=answer, node=node, rank=rank, group=group)


class TestWhatPostgresRefuses:
    @pytest.fixture
    def answer(self) -> SurveyAnswer:
        return SurveyAnswer.objects.create(role="user", experience="over_3", token_digest="a" * 64)

    @pytest.mark.parametrize(
        "places",
        [
            [("C.1", 1, "C"), ("C.1", 2, "C")],
            [("C.1", 1, "C"), ("C.2", 1, "C")],
            [("C.1", 2, "C")],
            [("C.1", 1, "C"), ("C.2", 3, "C")],
            [("C.1", 0, "C")],
            [("C.1", 6, "C")],
            [("C.1", 1, "A")],
            [("C.4", 1, "C")],
            [("C.1.i", 1, "C")],
        ],
    )
    def test_rankings_that_are_none(
        self, answer: SurveyAnswer, themes: dict[str, Node], places: list[tuple[str, int, str]]
    ) -> None:
        with pytest.raises(IntegrityError), transaction.atomic():
            SurveyPlace.objects.bulk_create(place(answer, themes[code], rank, group) for code, rank, group in places)

    def test_themes_of_other_axes(self, answer: SurveyAnswer) -> None:
        node = make_node("C.1", axis=make_axis("symptom"))
        with pytest.raises(IntegrityError), transaction.atomic():
            SurveyPlace.objects.bulk_create([place(answer, node, 1)])

    @pytest.mark.parametrize(
        "fields",
        [
            {"token_digest": ""},
            {"token_digest": "a" * 64},
            {"role": "boss"},
            {"experience": "ages"},
            {"excluded_because": "no time"},
            {"excluded_at": dt.datetime(2026, 11, 1, tzinfo=dt.UTC)},
        ],
    )
    @pytest.mark.usefixtures("answer")
    def test_answers_that_are_none(self, fields: dict[str, Any]) -> None:
        good = {"role": "user", "experience": "over_3", "token_digest": "b" * 64}
        with pytest.raises(IntegrityError), transaction.atomic():
            SurveyAnswer.objects.create(**good | fields)

    def test_a_second_answer_of_an_account(self) -> None:
        ada = User.objects.create_user("ada")
        SurveyAnswer.objects.create(role="user", experience="over_3", user=ada)
        with pytest.raises(IntegrityError), transaction.atomic():
            SurveyAnswer.objects.create(role="user", experience="over_3", user=ada)


@pytest.mark.django_db(transaction=True)
class TestTheSameMoment:
    def test_a_double_click_is_one_answer(self) -> None:
        together = Barrier(4)

        def send_one(code: str) -> None:
            together.wait()
            try:
                send_answer(person=Person(token="t"), role="user", experience="over_3", rankings={"C": (code,)})
            finally:
                connection.close()

        threads = [Thread(target=send_one, args=(f"C.{number % 3 + 1}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert SurveyAnswer.objects.count() == 1
        assert SurveyPlace.objects.count() == 1


class TestService:
    @pytest.mark.parametrize(
        "rankings", [{}, {"A": ("A.1",)}, {"C": ()}, {"C": ("C.1", "C.1")}, {"C": ("C.4",)}, {"C": ("C.99",)}]
    )
    def test_refuses_what_is_no_ranking(self, rankings: dict[str, tuple[str, ...]]) -> None:
        with pytest.raises(RankingRefusedError):
            send_answer(person=Person(token="t"), role="user", experience="over_3", rankings=rankings)
        assert not SurveyAnswer.objects.exists()
