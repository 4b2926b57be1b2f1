"""The same thing asked for several times at once: done once, and everybody else is told so; nothing breaks."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from labeling.models import (
    Codebook,
    Decision,
    Draft,
    Item,
    Job,
    Member,
    Opinion,
    ProjectAxis,
    Proposal,
    PublicationRequest,
    Role,
    Round,
    Slot,
    Vote,
    VoteImport,
)
from labeling.rights import Right
from labeling.services.proposals import put_to_vote, vote_on
from labeling.services.publication_requests import ask_for_publication
from labeling.wordings import Wording
from tests.labeling.api.test_work import BALLOT
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, take
from tests.labeling.racing import Ask, at_once
from tests.labeling.results.builders import lead_of, settled_round
from tests.labeling.test_proposals import STALL, Team
from tests.labeling.test_settling import Conflict
from tests.labeling.web.test_setup_rounds import FORM
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db(transaction=True)
OTHERS = 4


def api(round_: Round, path: str) -> str:
    return f"/api/v1/labeling/projects/{round_.project.slug}/rounds/{round_.number}/issues/1/{path}"


def page(name: str, /, *places: object, **data: Any) -> Ask:
    """A form that is sent to a page of labeling."""
    return lambda client: client.post(reverse(f"labeling:{name}", args=places), data).status_code


def sent(verb: str, path: str, body: Any = None) -> Ask:
    """A request that is sent to the API."""
    return lambda client: client.generic(verb, path, json.dumps(body), "application/json").status_code


def again(member: Member, ask: Ask, held: models.Model, times: int = OTHERS + 1) -> list[int]:
    """The statuses of the same request, sent so many times at once."""
    return sorted(at_once([(member, ask)] * times, held=held))


class TestAVote:
    @pytest.fixture
    def vote(self) -> Vote:
        round_, (member, _) = make_open_round()
        return cast(member, round_)

    def test_is_taken_back_once_by_the_api(self, vote: Vote) -> None:
        ask = sent("DELETE", api(vote.item.round, "vote/"))
        assert again(vote.member, ask, vote.item, 10) == [200] + [404] * 9
        assert (Vote.objects.count(), Draft.objects.count()) == (0, 1)

    def test_is_taken_back_once_by_the_page(self, vote: Vote) -> None:
        ask = page("take-back", vote.item.round.project.slug, 1, 1)
        assert again(vote.member, ask, vote.item) == [302] + [404] * OTHERS
        assert (Vote.objects.count(), Draft.objects.count()) == (0, 1)

    def test_is_taken_back_while_a_draft_is_saved(self, vote: Vote) -> None:
        """Each locks the person before the place."""
        back = sent("DELETE", api(vote.item.round, "vote/"))
        save = sent("PUT", api(vote.item.round, "draft/"), {"content": BALLOT, "revision": 0})
        assert at_once([(vote.member, save), (vote.member, back)], held=vote.slot) == [409, 200]

    def test_is_cast_once_however_often_it_is_sent(self) -> None:
        round_, (member, _) = make_open_round()
        take(member, round_)
        assert again(member, sent("POST", api(round_, "vote/"), BALLOT), member) == [201] * (OTHERS + 1)
        assert Vote.objects.count() == 1

    def test_is_the_first_of_two_ballots(self) -> None:
        round_, (member, _) = make_open_round()
        take(member, round_)
        ballots = [BALLOT, BALLOT | {"note": "Another."}]
        asks = [(member, sent("POST", api(round_, "vote/"), one)) for one in ballots]
        assert sorted(at_once(asks, held=member)) == [201, 409]


class TestARound:
    def test_is_closed_while_somebody_passes_an_issue_on(self) -> None:
        round_, (member, _) = make_open_round()
        slot = take(member, round_)
        passes = sent("POST", api(round_, "pass/"), {"kind": "skip", "reason": "I wrote it."})
        asks = [(member, passes), (lead_of(round_), page("close-round", round_.project.slug, 1))]
        assert at_once(asks, held=slot) == [201, 302]
        assert Round.objects.get().state == Round.State.CLOSED

    def test_wants_fewer_votes_while_somebody_passes_an_issue_on(self) -> None:
        round_, (member, _) = make_open_round(votes_wanted=2)
        slot = take(member, round_)
        passes = sent("POST", api(round_, "pass/"), {"kind": "skip", "reason": "I wrote it."})
        asks = [(member, passes), (lead_of(round_), page("votes-wanted", round_.project.slug, 1, wanted=1))]
        assert at_once(asks, held=slot) == [201, 302]
        assert Slot.objects.count() == 1

    def test_gets_one_person_for_another_when_two_leads_replace_them(self) -> None:
        round_, (first, second, third) = make_open_round(annotators=3, votes_wanted=1)
        round_.annotators.set([first])
        take(first, round_)
        leads = [lead_of(round_), make_member(round_.project, Role.LEAD)]
        asks = []
        for lead, other in zip(leads, (second, third), strict=True):
            replaces = page("round-person-replace", round_.project.slug, 1, first.pk, **{"replace-other": other.pk})
            asks.append((lead, replaces))
        assert sorted(at_once(asks, held=round_.project)) in ([302, 302], [302, 404])
        (labelling,) = round_.annotators.all()
        assert labelling in (second, third)
        assert Slot.objects.get().only_for == labelling

    @pytest.mark.parametrize("is_vote_first", [True, False])
    def test_hands_a_place_over_or_takes_the_vote_that_arrives_meanwhile(self, is_vote_first: bool) -> None:
        round_, (first, second) = make_open_round(votes_wanted=1)
        take(first, round_)
        votes = (first, sent("POST", api(round_, "vote/"), BALLOT))
        hands = page("round-person-hand-over", round_.project.slug, 1, first.pk, **{"hand-over-other": second.pk})
        asks = [votes, (lead_of(round_), hands)]
        statuses = at_once(asks if is_vote_first else asks[::-1], held=first)
        slot = Slot.objects.get()
        if is_vote_first:
            assert statuses == [201, 302]
            assert (Vote.objects.get().member, slot.only_for) == (first, None)
        else:
            assert statuses == [302, 409]
            assert (Vote.objects.count(), slot.only_for) == (0, second)

    @pytest.mark.parametrize("is_vote_first", [True, False])
    def test_drops_an_issue_or_takes_the_vote_that_arrives_meanwhile(self, is_vote_first: bool) -> None:
        round_, (first, _) = make_open_round()
        item = take(first, round_).item
        asks = [
            (first, sent("POST", api(round_, "vote/"), BALLOT)),
            (lead_of(round_), page("drop", round_.project.slug, 1, 1, reason="It is empty.")),
        ]
        statuses = at_once(asks if is_vote_first else asks[::-1], held=item)
        assert statuses == ([201, 302] if is_vote_first else [302, 409])
        item.refresh_from_db()
        assert item.dropped_at is not None
        assert Vote.objects.count() == is_vote_first

    @pytest.mark.parametrize(("name", "state"), [("open-round", "open"), ("discard-round", None)])
    def test_is_opened_or_thrown_away_once(self, name: str, state: str | None) -> None:
        lead = make_project()
        for _ in range(2):
            make_member(lead.project)
        round_ = make_round(lead, is_open=False)
        assert set(again(lead, page(name, lead.project.slug, 1), round_)) <= {302, 404}
        assert list(Round.objects.values_list("state", flat=True)) == ([state] if state else [])

    def test_is_thrown_away_while_another_gets_it_as_its_gate(self) -> None:
        lead = make_project()
        for _ in range(2):
            make_member(lead.project)
        gate = make_round(lead, is_open=False)
        make_round(lead, is_open=False)
        fields = FORM | {"kind": "main", "gate_round": gate.pk, "gate_measure": "alpha", "gate_at_least": "0.7"}
        asks = [
            (lead, page("discard-round", lead.project.slug, 1)),
            (lead, page("edit-round", lead.project.slug, 2, **fields)),
        ]
        assert at_once(asks, held=gate) == [302, 200]
        assert Round.objects.get().gate_round is None


class TestProposals:
    def decided_at_once(self, *codes: str) -> list[int]:
        """The statuses of the last votes on proposals to add these codes."""
        team = Team()
        proposals = [team.propose(wording=[Wording(code, code, "New.")], reason=str(n)) for n, code in enumerate(codes)]
        for one in proposals:
            put_to_vote(member=team.first, proposal=one)
            vote_on(member=team.first, proposal=one, agrees=True)
        slug = team.round.project.slug
        asks = [(team.second, page("proposal-ballot", slug, one.pk, agrees="yes")) for one in proposals]
        return sorted(at_once(asks, held=team.round.project))

    def test_accepted_at_once_make_one_codebook_after_the_other(self) -> None:
        assert self.decided_at_once("slow", "late") == [302, 302]
        assert list(Codebook.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3]

    def test_never_give_one_code_twice(self) -> None:
        assert self.decided_at_once("slow", "slow") == [302, 409]
        assert Codebook.objects.count() == 2

    @pytest.mark.parametrize(
        ("name", "data", "state"),
        [("put", {}, "vote"), ("withdraw", {}, "withdrawn"), ("ballot", {"agrees": "yes"}, "vote")],
    )
    def test_are_put_voted_on_and_withdrawn_once(self, name: str, data: dict[str, str], state: str) -> None:
        team = Team()
        proposal = team.propose(wording=[STALL])
        if name == "ballot":
            put_to_vote(member=team.first, proposal=proposal)
        ask = page(f"proposal-{name}", team.round.project.slug, proposal.pk, **data)
        assert set(again(team.first, ask, proposal)) <= {302, 404, 409}
        assert Proposal.objects.get().state == state
        assert proposal.votes.count() == (name == "ballot")


class TestPeople:
    @pytest.mark.parametrize("name", ["remove", "leave"])
    def test_are_removed_and_leave_once(self, name: str) -> None:
        lead = make_project()
        member = make_member(lead.project)
        who, places = (lead, [member.pk]) if name == "remove" else (member, [])
        assert set(again(who, page(name, lead.project.slug, *places), lead.project)) <= {302, 404}
        assert Member.objects.get(pk=member.pk).left_at

    def test_never_all_leave(self) -> None:
        """Two leads who leave at once: one has to stay."""
        lead = make_project()
        other = make_member(lead.project, Role.LEAD)
        asks = [(one, page("leave", lead.project.slug)) for one in (lead, other)]
        assert at_once(asks, held=lead.project) == [302, 302]
        assert Member.objects.filter(left_at=None).count() == 1

    def test_found_one_project_of_a_name(self) -> None:
        lead = make_project()
        axis = ProjectAxis.objects.get(project=lead.project, code="symptom").axis_id
        ask = page("new-project", name="Hangs", question="Why?", slug="hangs", axes=[axis])
        assert again(lead, ask, lead.user) == [200] * OTHERS + [302]


class TestSettling:
    def test_a_decision_is_taken_and_reopened_once(self) -> None:
        conflict = Conflict()
        conflict.opine()
        place = (conflict.round.project.slug, 1, 1, "symptom")
        said = {"codes": "hang", "cause": "guideline", "reason": "It never ended."}
        decide = page("axis-decide", *place, **{f"symptom-decide-{name}": value for name, value in said.items()})
        assert again(conflict.adjudicator, decide, conflict.item) == [302] + [409] * OTHERS
        reopen = page("axis-reopen", *place, **{"symptom-reopen-reason": "Too early."})
        assert again(conflict.lead, reopen, Decision.objects.get()) == [302] + [409] * OTHERS

    def test_first_opinions_are_written_down_once(self) -> None:
        conflict = Conflict()
        ask = page(
            "opinion",
            conflict.round.project.slug,
            1,
            1,
            **{f"{axis}-opinion-codes": code for axis, code in (("symptom", "hang"), ("issue_type", "bug"))},
        )
        assert again(conflict.adjudicator, ask, conflict.item) == [302] + [409] * OTHERS
        assert Opinion.objects.count() == 2

    def test_what_the_votes_decide_is_accepted_once(self) -> None:
        conflict = Conflict()
        ask = page("accept", conflict.round.project.slug, 1, how="unanimous")
        assert set(again(conflict.lead, ask, conflict.round)) == {302}
        assert Decision.objects.count() == 1


class TestJobs:
    def test_publication_is_asked_for_once(self) -> None:
        lead = lead_of(settled_round())
        assert again(lead, page("publish-now", lead.project.slug), lead.project) == [302] * (OTHERS + 1)
        assert PublicationRequest.objects.count() == 1

    def test_a_request_is_accepted_once(self) -> None:
        lead = lead_of(settled_round())
        asked = ask_for_publication(lead=lead)
        ask = page("oversight-accept", asked.pk, digest=asked.digest)
        asks = [(make_project(rights=[Right.OVERSEE]), ask) for _ in range(OTHERS)]
        assert at_once(asks, held=lead.project) == [302] * OTHERS
        assert list(Job.objects.values_list("kind", flat=True)) == ["publish"]

    def test_are_asked_for_once(self) -> None:
        lead = lead_of(settled_round())
        assert again(lead, page("publish-withdraw", lead.project.slug), lead.project) == [302] * (OTHERS + 1)
        assert list(Job.objects.values_list("kind", flat=True)) == ["withdraw"]

    def test_that_failed_are_tried_again_one_at_a_time(self) -> None:
        lead = make_project()
        values = {"project": lead.project, "member": lead, "kind": Job.Kind.WITHDRAW, "state": Job.State.FAILED}
        failed = [Job.objects.create(**values, finished_at=timezone.now()) for _ in range(2)]
        asks = [(lead, page("job-again", lead.project.slug, one.pk)) for one in failed]
        assert at_once(asks, held=lead.project) == [302, 302]
        assert Job.objects.filter(state=Job.State.WAITING).count() == 1

    def test_a_file_is_kept_and_taken_in_once(self) -> None:
        lead = make_project()
        text = f"issue,annotator,axis,nodes\n{make_issue().url},Ann,symptom,hang\n".encode()

        def bring(client: Client) -> int:
            values = {"name": "Outside", "format": "long_csv", "file": SimpleUploadedFile("votes.csv", text)}
            return client.post(reverse("labeling:exchange", args=[lead.project.slug]), values).status_code

        assert again(lead, bring, lead.project) == [302] * (OTHERS + 1)
        found = VoteImport.objects.get()
        ask = page("import", lead.project.slug, found.pk)
        assert again(lead, ask, found) == [302] * (OTHERS + 1)
        assert Job.objects.count() == 1
        assert not Item.objects.exists()
