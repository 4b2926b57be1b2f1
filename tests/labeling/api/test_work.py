"""Labeling by program: from the next issue to a receipt, with the refusals of the services in words."""

import json
from typing import Any

import pytest
from django.test import Client

from labeling.models import Draft, Member, Pass, Role, Round, Vote
from labeling.services.rounds import close_round
from tests.labeling.factories import cast, make_member, make_open_round, make_project, take
from tests.labeling.own_questions import HOURS, WORDS, at_work

pytestmark = pytest.mark.django_db
JSON = "application/json"
BALLOT: dict[str, Any] = {
    "choices": {"symptom": {"codes": ["hang"]}, "issue_type": {"codes": ["bug"]}},
    "confidence": 3,
    "note": "Rank 3 never comes.",
    "evidence": [{"part": "body", "start": 0, "end": 6, "axis": "symptom"}],
}


class Program:
    """A member's program: a session, and JSON."""

    def __init__(self, member: Member, round_: Round) -> None:
        self.client = Client()
        self.client.force_login(member.user)
        self.base = f"/api/v1/labeling/projects/{round_.project.slug}/rounds/{round_.number}/"

    def ask(self, verb: str, path: str, body: Any = None) -> Any:
        """The answer to a request."""
        return self.client.generic(verb, self.base + path, *as_json(body))


def as_json(body: Any) -> tuple[str, str]:
    return ("" if body is None else json.dumps(body), JSON)


@pytest.fixture
def round_() -> Round:
    return make_open_round(annotators=2, issues=2, votes_wanted=2)[0]


@pytest.fixture
def program(round_: Round) -> Program:
    member = Member.objects.filter(project=round_.project, roles__contains=[Role.ANNOTATOR]).earliest("pk")
    return Program(member, round_)


def test_from_the_next_issue_to_a_receipt(program: Program) -> None:
    place = program.ask("POST", "next/").json()
    assert place["item"]["position"] == 1
    assert place["item"]["snapshot"]["body"] == "Rank 3 waits for ever."
    assert place["reserved_until"]
    answer = program.ask("POST", "issues/1/vote/", BALLOT)
    assert answer.status_code == 201
    vote = Vote.objects.get(receipt=answer.json()["receipt"])
    assert vote.evidence.get().quote == "Rank 3"
    assert answer.json()["choices"]["symptom"] == {
        "codes": ["hang"], "is_undecidable": False, "text": "",
    }  # fmt: skip
    assert program.ask("POST", "next/").json()["item"]["position"] == 2


def test_a_ballot_that_is_sent_again_gives_the_same_vote(program: Program) -> None:
    program.ask("POST", "next/")
    # An axis that there is not, a note with blanks, reasons against no rule: what is kept is what counts.
    stray = {"part": "body", "start": 0, "end": 4, "axis": "unknown"}
    ballot = BALLOT | {"note": " Rank 3. ", "evidence": [*BALLOT["evidence"], stray], "rule_reasons": {"9": " So. "}}
    first = program.ask("POST", "issues/1/vote/", ballot)
    again = program.ask("POST", "issues/1/vote/", ballot)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert Vote.objects.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"note": "Another."},
        {"confidence": 1},
        {"evidence": []},
        {"choices": BALLOT["choices"] | {"symptom": {"codes": ["crash"]}}},
        {"choices": BALLOT["choices"] | {"symptom": {"is_undecidable": True}}},
        {"choices": {}},
        {"rule_reasons": {"9": "So."}},
    ],
)
def test_another_ballot_on_the_same_issue_is_a_conflict(program: Program, other: dict[str, Any]) -> None:
    program.ask("POST", "next/")
    first = program.ask("POST", "issues/1/vote/", BALLOT).json()
    answer = program.ask("POST", "issues/1/vote/", BALLOT | other)
    assert (answer.status_code, answer["Content-Type"]) == (409, "application/problem+json")
    assert "You have voted on this issue" in answer.json()["detail"]
    assert program.ask("GET", "issues/1/vote/").json() == first


def test_nothing_left_is_no_error(program: Program) -> None:
    for position in (1, 2):
        program.ask("POST", "next/")
        program.ask("POST", f"issues/{position}/vote/", BALLOT)
    assert program.ask("POST", "next/").status_code == 204


def test_a_ballot_that_is_not_whole_names_the_places(program: Program) -> None:
    program.ask("POST", "next/")
    answer = program.ask("POST", "issues/1/vote/", BALLOT | {"choices": {"symptom": {"codes": ["hang"]}}})
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert [one["place"] for one in answer.json()["errors"]] == ["axis:issue_type"]


def test_a_body_that_is_no_ballot_names_the_places(program: Program) -> None:
    answer = program.ask("POST", "issues/1/vote/", {"choices": {"symptom": {"codes": [["x"]]}}, "confidence": 9})
    assert answer.status_code == 400
    assert {one["place"] for one in answer.json()["errors"]} == {"choices.symptom.codes.0", "confidence"}


@pytest.mark.parametrize(
    "content",
    [
        {"note": "a\x00b"},
        {"note": "\ud800"},
        {"choices": {"a\x00": {"codes": []}}},
        {"choices": {"symptom": {"codes": ["\x00"]}}},
        {"rule_reasons": {"\x00": "because"}},
        {"rule_reasons": {"1": "\x00"}},
        {"choices": []},
        [],
        "text",
    ],
)  # fmt: skip
def test_a_draft_that_postgres_could_not_keep_is_refused(program: Program, content: Any) -> None:
    program.ask("POST", "next/")
    sent = {"content": content, "revision": 0}
    assert program.ask("PUT", "issues/1/draft/", sent).status_code == 400


def test_a_draft_is_kept_and_read(program: Program) -> None:
    program.ask("POST", "next/")
    saved = program.ask("PUT", "issues/1/draft/", {"content": {"note": "hm"}, "revision": 0, "active_seconds": 5})
    assert saved.json()["revision"] == 1
    assert program.ask("GET", "issues/1/draft/").json()["content"]["note"] == "hm"
    late = program.ask("PUT", "issues/1/draft/", {"content": {"note": "other tab"}, "revision": 0})
    assert late.status_code == 409
    assert "Another tab" in late.json()["detail"]
    assert Draft.objects.get().content["note"] == "hm"


def test_a_vote_is_taken_back_into_a_draft_that_can_be_sent_again(program: Program) -> None:
    program.ask("POST", "next/")
    program.ask("POST", "issues/1/vote/", BALLOT)
    draft = program.ask("DELETE", "issues/1/vote/").json()
    assert not Vote.objects.exists()
    assert program.ask("GET", "issues/1/vote/").status_code == 404
    assert program.ask("DELETE", "issues/1/vote/").status_code == 404
    assert program.ask("POST", "issues/1/vote/", draft["content"]).status_code == 201


def test_an_issue_is_passed_on_and_taken_again(program: Program) -> None:
    program.ask("POST", "next/")
    answer = program.ask("POST", "issues/1/pass/", {"kind": "flag", "reason": "Not about training."})
    assert answer.status_code == 201
    assert Pass.objects.get().kind == "flag"
    assert program.ask("POST", "next/").json()["item"]["position"] == 2
    assert program.ask("POST", "issues/1/take/").json()["item"]["position"] == 1


def test_a_refusal_is_a_conflict_in_plain_words(program: Program, round_: Round) -> None:
    close_round(lead=Member.objects.get(project=round_.project, roles__contains=[Role.LEAD]), round_=round_)
    answer = program.ask("POST", "next/")
    assert answer.status_code == 409
    assert answer.json()["detail"] == "The round “Main” is closed."


def test_who_writes_needs_the_csrf_token(program: Program) -> None:
    session = program.client.cookies["sessionid"].value
    careful = Client(enforce_csrf_checks=True)
    careful.cookies["sessionid"] = session
    assert careful.post(f"{program.base}next/", content_type=JSON).status_code == 403
    token = "a" * 32
    careful.cookies["csrftoken"] = token
    assert careful.post(f"{program.base}next/", headers={"X-CSRFToken": token}, content_type=JSON).status_code == 200


def test_a_body_beyond_all_measure_is_refused(program: Program) -> None:
    answer = program.ask("PUT", "issues/1/draft/", {"content": {"note": "x" * 3_000_000}, "revision": 0})
    assert answer.status_code == 413


def test_no_answer_may_be_kept_by_anybody(program: Program) -> None:
    answer = program.ask("GET", "")
    assert "no-store" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]
    assert "Access-Control-Allow-Origin" not in answer


def test_only_own_and_released_votes_are_listed(round_: Round) -> None:
    first, second = Member.objects.filter(project=round_.project, roles__contains=[Role.ANNOTATOR]).order_by("pk")
    cast(first, round_)
    cast(second, round_, note="a secret")
    program = Program(first, round_)
    assert [one["is_own"] for one in program.ask("GET", "issues/1/votes/").json()["results"]] == [True]
    close_round(lead=Member.objects.get(project=round_.project, roles__contains=[Role.LEAD]), round_=round_)
    votes = program.ask("GET", "issues/1/votes/").json()["results"]
    assert [(one["is_own"], one["note"], one["receipt"] is None) for one in votes] == [
        (True, "", False),
        (False, "a secret", True),
    ]


def test_a_list_of_votes_costs_the_same_whatever_its_length(django_assert_max_num_queries: Any) -> None:
    for issues in (2, 20):
        round_, (first, _) = make_open_round(issues=issues)
        for _ in range(issues):
            cast(first, round_)
        address = f"/api/v1/labeling/projects/{round_.project.slug}/votes/?page_size=100"
        client = Program(first, round_).client
        with django_assert_max_num_queries(12):
            assert client.get(address).json()["count"] == issues


@pytest.mark.parametrize("issues", [3, 12])
def test_labelling_an_issue_costs_the_same_however_many_there_are(
    issues: int, django_assert_max_num_queries: Any
) -> None:
    round_, (first, *_) = make_open_round(annotators=3, issues=issues, votes_wanted=3)
    program = Program(first, round_)
    program.ask("POST", "next/")
    # The first vote reads the codebook, which is kept at hand.
    program.ask("POST", "issues/1/vote/", BALLOT)
    with django_assert_max_num_queries(14):
        assert program.ask("POST", "next/").json()["item"]["position"] == 2
    with django_assert_max_num_queries(13):
        program.ask("PUT", "issues/2/draft/", {"content": BALLOT, "revision": 0})
    with django_assert_max_num_queries(24):
        assert program.ask("POST", "issues/2/vote/", BALLOT).status_code == 201


def test_an_observer_reads_and_does_not_label(round_: Round) -> None:
    program = Program(make_member(round_.project, Role.OBSERVER), round_)
    assert program.ask("GET", "issues/1/").status_code == 200
    assert program.ask("POST", "next/").status_code == 403


def test_strangers_and_other_teams_find_nothing(round_: Round, client: Client) -> None:
    other = Program(make_project(), round_)
    assert client.get(other.base).status_code == 401
    assert client.get(other.base)["WWW-Authenticate"].startswith("Session")
    assert other.ask("GET", "").status_code == 404


def test_the_agreement_of_a_round_is_told_from_what_the_reader_may_see(round_: Round) -> None:
    people = Member.objects.filter(project=round_.project, roles__contains=[Role.ANNOTATOR]).order_by("pk")
    for member in people:
        take(member, round_)
        cast(member, round_)
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    assert Program(lead, round_).ask("GET", "agreement/").json()[0]["votes"] == 2
    blind = Program(people[0], round_).ask("GET", "agreement/").json()
    assert blind[0]["votes"] == 1
    assert blind[0]["coefficients"][0]["value"] is None


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("round=99", "There is no round 99 here. Known are: 1."),
        ("own=maybe", "Choose one of: true, false."),
        ("round=1&round=2", "Given more than once, and only one value can be used: leave the others out."),
    ],
)
def test_a_list_of_votes_refuses_what_it_cannot_use(program: Program, round_: Round, query: str, said: str) -> None:
    answer = program.client.get(f"/api/v1/labeling/projects/{round_.project.slug}/votes/?{query}")
    assert answer.status_code == 400
    assert [error["detail"] for error in answer.json()["errors"]] == [said]


def test_a_number_and_a_text_are_given_and_read_as_they_were_typed() -> None:
    round_, member = at_work(HOURS, WORDS)
    program = Program(member, round_)
    program.ask("POST", "next/")
    choices = {"hours": {"text": "2.50"}, "lesson": {"text": "Test it."}}
    given = program.ask("POST", "issues/1/vote/", {"choices": choices, "confidence": 2}).json()["choices"]
    assert [given[axis]["text"] for axis in ("hours", "lesson")] == ["2.50", "Test it."]
