"""One's own proposal by program: read and changed while it is a draft, and standing once it is put to the vote."""

from typing import Any

import pytest
from django.test import Client

from labeling.models import Member, Proposal
from labeling.services.proposals import put_to_vote
from tests.labeling.test_proposals import STALL, Team
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return Team()


def ask(member: Member, proposal: Proposal, body: dict[str, Any] | None = None) -> Any:
    client = Client()
    client.force_login(member.user)
    url = f"/api/v1/labeling/projects/{member.project.slug}/proposals/{proposal.pk}/"
    return client.get(url) if body is None else client.patch(url, body, content_type="application/json")


def test_its_author_reads_and_changes_a_draft(team: Team) -> None:
    made, issue = team.propose(), make_issue()
    wording = {"code": "crawl", "name": "Crawl", "definition": "It goes on at a tenth.", "aliases": ["creep"]}
    body = {"reason": "So.", "rule": "majority", "nodes": ["crash"], "wording": [wording], "evidence": [issue.url]}
    answer = ask(team.first, made, body)
    assert answer.status_code == 200, answer.content
    assert answer.json() == ask(team.first, made).json()
    told = answer.json()
    assert (told["reason"], told["rule"], told["nodes"], told["evidence"]) == (
        "So.",
        "majority",
        ["crash"],
        [issue.url],
    )
    assert told["wording"][0]["aliases"] == ["creep"]
    assert told["state"] == "draft"


def test_what_is_left_out_stays(team: Team) -> None:
    made = team.propose(evidence=[make_issue()])
    before = ask(team.first, made).json()
    after = ask(team.first, made, {"reason": "Put better."}).json()
    assert after == before | {"reason": "Put better."}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"nodes": ["fire"]}, "nodes"),
        ({"into": "fire"}, "into"),
        ({"evidence": ["https://github.com/no/where/issues/1"]}, "evidence"),
        ({"rule": "mine"}, "rule"),
        ({"wording": [{"name": "No code"}]}, "wording.0.code"),
        ({"reason": ""}, "reason"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_place(team: Team, body: dict[str, Any], place: str) -> None:
    made = team.propose()
    answer = ask(team.first, made, body)
    assert answer.status_code == 400
    assert place in {one["place"] for one in answer.json()["errors"]}
    assert Proposal.objects.get().wording == [
        STALL.__dict__ | {"include": list(STALL.include), "exclude": [], "examples": [], "aliases": []}
    ]


def test_others_are_not_told_of_a_draft_and_nobody_changes_what_is_on_vote(team: Team) -> None:
    made = team.propose()
    assert ask(team.second, made).status_code == ask(team.lead, made, {"reason": "Mine."}).status_code == 404
    put_to_vote(member=team.first, proposal=made)
    assert ask(team.second, made).status_code == 200
    for member in (team.first, team.second, team.lead):
        answer = ask(member, made, {"reason": "Mine."})
        assert answer.status_code == 409
        assert "open for votes" in answer.json()["detail"]
    made.refresh_from_db()
    assert made.reason == "Two reports fit nowhere."
