"""The page of priorities: published orders, the survey's numbers, who is too few, what is left out, and the files."""

import csv
import io
import json
from itertools import count

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Node, SurveyAnswer
from kb.priorities.published import published
from kb.services.priorities import Person, exclude_answer, send_answer
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_node

pytestmark = pytest.mark.django_db
PAGE = "/explore/priorities/"
_people = count(1)


def answer(
    *bugs: str, role: str = "developer", experience: str = "over_3", questions: tuple[str, ...] = ()
) -> SurveyAnswer:
    rankings = {"C": bugs, "A": questions} if questions else {"C": bugs}
    return send_answer(person=Person(token=str(next(_people))), role=role, experience=experience, rankings=rankings)


@pytest.fixture
def themes() -> dict[str, Node]:
    """All themes, named by their codes."""
    axis = make_axis("theme")
    codes = [f"A.{n}" for n in range(1, 5)] + [f"B.{n}" for n in range(1, 5)] + [f"C.{n}" for n in range(1, 11)]
    return {code: make_node(code, axis=axis, name=f"Theme {code}", position=n) for n, code in enumerate(codes)}


@pytest.fixture
def answers(themes: dict[str, Node]) -> list[SurveyAnswer]:
    """Six developers who all but one agree, and three novice users."""
    developers = [answer("C.2", "C.1", "C.3", "C.4", "C.7", questions=("A.3", "A.1", "A.2")) for _ in range(5)]
    developers.append(answer("C.10", "C.2", questions=("A.4",)))
    return [*developers, *(answer("C.1", role="user", experience="under_1") for _ in range(3))]


def rows_of(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"{PAGE}results.csv{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.mark.usefixtures("themes")
class TestPublishedOrders:
    def test_stand_with_their_people_trust_and_place(self, client: Client) -> None:
        words = visit(client, PAGE).words
        for who in ("Developers", "Developers and users", "Novice users", "Experienced users"):
            assert who in words
        assert "primary" in words
        assert "Interviews with 11 users and 8 developers." in words
        assert "Section IV-C-1, question type" in words

    def test_are_chosen_by_whose_they_are(self, client: Client) -> None:
        words = visit(client, f"{PAGE}?role=user&experience=under_1").words
        assert "Novice users" in words
        assert "Experienced users" not in words
        assert "2 published orders of other people are not shown here" in words

    def test_what_interviewees_would_add_stands_under_its_group(self, client: Client) -> None:
        words = visit(client, f"{PAGE}?group=B").words
        for name in ("Operator portability", "Memory alignment", "Performance profiling", "Training visualization"):
            assert name in words
        assert "Thread safety" not in words

    def test_only_one_group_when_asked(self, client: Client) -> None:
        words = visit(client, f"{PAGE}?group=A").words
        assert "Theme A.1" in words
        assert "Theme C.1" not in words

    @pytest.mark.parametrize("query", ["?role=boss", "?experience=ages", "?group=D"])
    @pytest.mark.parametrize("file", ["", "results.csv", "results.json"])
    def test_what_there_is_not_is_refused(self, client: Client, query: str, file: str) -> None:
        assert client.get(f"{PAGE}{file}{query}").status_code == 400


class TestSurvey:
    @pytest.mark.usefixtures("themes")
    def test_without_answers_nothing_is_made_up(self, client: Client) -> None:
        words = visit(client, PAGE).words
        assert "0 answers that count" in words
        assert "too few to say" in words
        assert "Mean rank survey" not in words

    @pytest.mark.usefixtures("answers")
    def test_shows_mean_ranks_agreement_and_how_far_it_follows_the_study(self, client: Client) -> None:
        words = visit(client, f"{PAGE}?role=developer&group=C").words
        assert "9 answers that count" in words
        assert "Developers, n = 6: their rankings agree" in words
        # C.2: five times 1st, once 2nd; C.1: five times 2nd, once among the eight left.
        assert "1.2 (1.0 to 1.6) 6 of 6" in words
        assert "2.8 (1.0 to 4.7) 5 of 6" in words
        assert "Developers in the study, developers here (n = 6): Kendall’s τ b = 0." in words

    @pytest.mark.usefixtures("answers")
    def test_fewer_than_five_are_too_few_to_say_on_the_page_and_in_files(self, client: Client) -> None:
        query = "?role=user&experience=under_1&group=C"
        assert "n = 3: too few to say" in visit(client, PAGE + query).words
        assert {(row["raters"], row["mean_rank"], row["placed_by"]) for row in rows_of(client, query)} == {
            ("3", "", "")
        }
        told = client.get(f"{PAGE}results.json{query}").json()["groups"]["C"]
        assert (told["raters"], told["mean_ranks"], told["agreement"]) == (3, None, None)

    def test_answers_left_out_are_counted_and_said(self, client: Client, answers: list[SurveyAnswer]) -> None:
        before = visit(client, PAGE).words
        exclude_answer(answer=answers[0], because="Sent by a program.")
        words = visit(client, PAGE).words
        assert "9 answers that count" in before
        assert "8 answers that count; 1 more was excluded by staff" in words
        assert "Developers here (n = 5)" in words or "developers here (n = 5)" in words
        exclude_answer(answer=answers[0], because=" ")
        assert "9 answers that count" in visit(client, PAGE).words

    def test_what_is_remembered_changes_with_answers_and_themes(
        self, client: Client, answers: list[SurveyAnswer], themes: dict[str, Node]
    ) -> None:
        def ranks() -> dict[str, str]:
            return {row["theme"]: row["mean_rank"] for row in rows_of(client, "?role=developer&group=C")}

        first = ranks()
        assert ranks() == first
        answers[1].delete()
        fewer = ranks()
        assert fewer != first
        Node.objects.filter(pk=themes["C.1"].pk).update(status=Node.Status.RETIRED)
        assert ranks().keys() == first.keys() - {"C.1"}

    @pytest.mark.usefixtures("answers")
    def test_takes_few_statements(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_max_num_queries(4):
            page = visit(client, PAGE)
        with django_assert_max_num_queries(3):
            client.get(PAGE)
        assert page.inline == []

    def test_without_a_codebook_says_how_to_get_it(self, client: Client) -> None:
        assert "load_codebook" in visit(client, PAGE).words
        assert rows_of(client) == []


@pytest.mark.usefixtures("answers")
class TestFiles:
    def test_csv_has_a_row_for_each_theme_and_a_column_for_each_order(self, client: Client) -> None:
        rows = rows_of(client)
        assert [row["theme"] for row in rows][:2] == ["A.1", "A.2"]
        assert len(rows) == 18
        (best,) = (row for row in rows if row["theme"] == "A.3")
        assert best["published:developers-questions"] == "1st"
        assert float(best["mean_rank_low"]) <= float(best["mean_rank"]) <= float(best["mean_rank_high"])

    def test_json_says_how_it_was_made(self, client: Client) -> None:
        told = client.get(f"{PAGE}results.json?role=developer").json()
        assert told["audience"] == {"role": "developer", "experience": None}
        assert (told["answers"], told["excluded_answers"]) == (9, 0)
        assert told["groups"]["C"]["agreement"]["raters"] == 6
        orders = {order["slug"]: order for order in told["published"]["orders"]}
        assert orders.keys() == {order.slug for order in published().orders}
        assert orders["developers-bugs"]["survey_tau_b"]["raters"] == 6
        assert orders["novice-users-bugs"]["survey_tau_b"] is None
        assert "ties" in told["treatment"]
        assert json.dumps(told)

    def test_a_name_that_a_spreadsheet_would_compute_is_quoted(self, client: Client, themes: dict[str, Node]) -> None:
        Node.objects.filter(pk=themes["A.1"].pk).update(name="=1+1")
        assert rows_of(client)[0]["name"] == "'=1+1"


class TestAdmin:
    def test_staff_leave_an_answer_out_with_a_reason_and_see_not_whose_it_is(
        self, client: Client, answers: list[SurveyAnswer]
    ) -> None:
        client.force_login(User.objects.create_superuser("ada"))
        address = f"/admin/kb/surveyanswer/{answers[0].pk}/change/"
        page = client.get(address).content.decode()
        assert "Theme C.2" in page
        assert answers[0].token_digest not in page
        places = {"places-TOTAL_FORMS": "0", "places-INITIAL_FORMS": "0"}
        client.post(address, {"excluded_because": "Sent by a program.", **places})
        changed = SurveyAnswer.objects.get(pk=answers[0].pk)
        assert changed.excluded_because == "Sent by a program."
        assert changed.excluded_at
        assert client.post(f"/admin/kb/surveyanswer/{answers[0].pk}/delete/").status_code == 403
