"""Proposals on pages: written down alone, voted on blind, decided with a date, and followed by a recheck."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from kb.models import Kind
from labeling.models import AnswerNode, Codebook, Item, Member, Proposal, ProposalVote, Role, Round, Vote
from labeling.services.people import leave
from labeling.services.proposals import put_to_vote, vote_on
from labeling.services.rounds import close_round, open_round
from labeling.wordings import Wording
from tests.labeling.factories import cast, issue_of, make_member, make_open_round
from tests.labeling.test_proposals import STALL, Team
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
CRAWL = Wording("crawl", "Crawl", "It goes on at a tenth.", aliases=("creeping",))
BrowserOf = Callable[[Member], Client]


@pytest.fixture
def team() -> Team:
    return Team()


def address(team: Team, name: str, *more: object) -> str:
    return reverse(f"labeling:{name}", args=[team.round.project.slug, *more])


def votes_of(team: Team) -> list[Any]:
    votes = Vote.objects.filter(item__round=team.round)
    nodes = AnswerNode.objects.filter(answer__vote__in=votes)
    return [*votes.order_by("pk").values(), *nodes.order_by("pk").values()]


def form(team: Team, query: str = "kind=add&axis=symptom") -> str:
    return f"{address(team, 'propose')}?{query}"


def filled(**more: Any) -> dict[str, Any]:
    return {"name-0": "Stall", "definition-0": "It goes on, but hardly.", "reason": "Fits nowhere.",
            "rule": "unanimous"} | more  # fmt: skip


class TestProposing:
    @pytest.mark.parametrize(
        ("query", "data", "nodes", "wording"),
        [
            ("kind=add", filled(nodes=["hang"], **{"include-0": "One.\n\nTwo."}), ["hang"], ["stall"]),
            ("kind=rename&node=hang", filled(**{"aliases-0": "stuck"}), ["hang"], ["hang"]),
            ("kind=redefine&node=hang", filled(), ["hang"], ["hang"]),
            ("kind=split&node=hang", filled(**{"name-1": "Later", "definition-1": "After."}), ["hang"],
             ["stall", "later"]),
            ("kind=merge", filled(nodes=["crash"], into="hang"), ["crash"], []),
            ("kind=retire&node=crash", filled(), ["crash"], []),
        ],
    )  # fmt: skip
    def test_takes_every_kind_of_change(
        self, team: Team, browser_of: BrowserOf, query: str, data: dict[str, Any], nodes: list[str], wording: list[str]
    ) -> None:
        where = form(team, f"{query}&axis=symptom")
        assert browser_of(team.first).get(where).context["form"] is not None
        sent = browser_of(team.first).post(where, data)
        made = Proposal.objects.get()
        assert sent["Location"] == address(team, "proposal", made.pk)
        assert [node.code for node in made.nodes.all()] == nodes
        assert [one["code"] for one in made.wording] == wording

    def test_a_rename_keeps_the_meaning_and_a_new_definition_the_name(self, team: Team, browser_of: BrowserOf) -> None:
        browser = browser_of(team.first)
        browser.post(form(team, "kind=rename&node=hang&axis=symptom"), filled())
        browser.post(form(team, "kind=redefine&node=hang&axis=symptom"), filled())
        redefined, renamed = Proposal.objects.all()
        assert (renamed.wording[0]["name"], renamed.wording[0]["definition"]) == ("Stall", "What hang means.")
        assert (redefined.wording[0]["name"], redefined.wording[0]["definition"]) == ("Hang", "It goes on, but hardly.")

    @pytest.mark.parametrize(
        "query", ["", "kind=add", "axis=symptom", "kind=split&axis=symptom", "kind=x&axis=y&parts=z"]
    )
    def test_asks_first_what_is_to_change(self, team: Team, browser_of: BrowserOf, query: str) -> None:
        page = browser_of(team.first).get(form(team, query))
        assert page.context["form"] is None

    def test_starts_from_the_issue_that_somebody_labels(self, team: Team, browser_of: BrowserOf) -> None:
        url = Item.objects.filter(round=team.round)[0].subject.url
        page = browser_of(team.first).get(form(team, f"kind=add&axis=symptom&evidence={url}"))
        assert page.context["form"]["evidence"].value() == url
        page = browser_of(team.first).get(form(team, f"kind=add&axis=symptom&evidence={url}&evidence={url}0"))
        assert page.context["form"]["evidence"].value() == f"{url}\n{url}0"

    def test_checks_the_addresses_of_the_evidence_and_keeps_what_was_written(
        self, team: Team, browser_of: BrowserOf
    ) -> None:
        pull = make_issue(kind=Kind.PULL_REQUEST)
        lines = ["https://github.com/nobody/nothing/issues/1", "not an address", pull.url]
        sent = browser_of(team.first).post(form(team), filled(evidence="\n".join(lines)))
        assert sent.status_code == 422
        text = sent.content.decode()
        for says in (
            "not in the knowledge base",
            "not an address",
            "this is a pull request",
            "It goes on, but hardly.",
        ):
            assert says in text
        good = issue_of(Item.objects.filter(round=team.round)[0])
        browser_of(team.first).post(form(team), filled(evidence=f"{good.url}\n{good.url}"))
        assert list(Proposal.objects.get().evidence.all()) == [good]

    def test_half_a_proposal_comes_back(self, team: Team, browser_of: BrowserOf) -> None:
        sent = browser_of(team.first).post(form(team), filled(**{"definition-0": ""}))
        assert sent.status_code == 422
        assert "a code, a name and a definition" in sent.content.decode()

    def test_is_not_for_observers(self, team: Team, browser_of: BrowserOf) -> None:
        observer = browser_of(make_member(team.round.project, Role.OBSERVER))
        assert observer.get(form(team)).status_code == 403
        assert observer.get(address(team, "proposals")).status_code == 200


class TestBlindness:
    def test_a_draft_is_its_authors_alone(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose(reason="A secret thought.")
        for reader in (team.second, team.lead, make_member(team.round.project, Role.ADJUDICATOR)):
            browser = browser_of(reader)
            assert "A secret thought." not in browser.get(address(team, "proposals")).content.decode()
            assert browser.get(address(team, "proposal", made.pk)).status_code == 404
            for name in ("put", "ballot", "withdraw"):
                assert browser.post(address(team, f"proposal-{name}", made.pk)).status_code == 404
        assert "A secret thought." in browser_of(team.first).get(address(team, "proposals")).content.decode()

    def test_nobody_learns_how_somebody_voted_before_the_decision(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        vote_on(member=team.first, proposal=made, agrees=True, reason="A secret reason.")
        for reader in (team.second, team.lead, make_member(team.round.project, Role.OBSERVER)):
            text = browser_of(reader).get(address(team, "proposal", made.pk)).content.decode()
            assert "A secret reason." not in text
            assert ("Has not voted yet" in text) is (reader == team.lead)
        assert "You voted: you agree" in browser_of(team.first).get(address(team, "proposal", made.pk)).content.decode()
        vote_on(member=team.second, proposal=made, agrees=True)
        for reader in (team.second, team.lead):
            assert "A secret reason." in browser_of(reader).get(address(team, "proposal", made.pk)).content.decode()

    def test_the_lead_learns_who_has_not_voted(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        vote_on(member=team.first, proposal=made, agrees=True)
        page = browser_of(team.lead).get(address(team, "proposal", made.pk))
        assert page.context["electorate"].missing == (team.second.user.username,)

    def test_what_is_still_blind_is_no_impact(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round(issues=1)
        cast(second, round_, symptom=("hang",))
        slug = round_.project.slug
        where = reverse("labeling:propose", args=[slug]) + "?kind=retire&node=hang&axis=symptom"
        browser_of(first).post(where, filled())
        made = Proposal.objects.get()
        put_to_vote(member=first, proposal=made)
        lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
        for reader in (first, second, lead):
            found = browser_of(reader).get(reverse("labeling:proposal", args=[slug, made.pk])).context["impact"]
            assert (found.issues, found.labelled) == (0, 0)

    def test_other_projects_are_closed(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        stranger = Team()
        browser = browser_of(stranger.first)
        assert browser.get(address(team, "proposal", made.pk)).status_code == 404
        assert browser.get(address(stranger, "proposal", made.pk)).status_code == 404
        assert browser.post(address(stranger, "proposal-ballot", made.pk), {"agrees": "yes"}).status_code == 404


class TestVoting:
    def test_goes_from_draft_to_recheck(self, team: Team, browser_of: BrowserOf) -> None:
        before = votes_of(team)
        made = team.propose()
        first, second, lead = (browser_of(one) for one in (team.first, team.second, team.lead))
        here = address(team, "proposal", made.pk)
        assert "1 of 2 labelled issues" in " ".join(first.get(here).content.decode().split())
        first.post(address(team, "proposal-put", made.pk))
        assert "Waits for your ballot" in second.get(address(team, "proposals")).content.decode()
        first.post(address(team, "proposal-ballot", made.pk), {"agrees": "yes"})
        sent = second.post(address(team, "proposal-ballot", made.pk), {"agrees": "yes"}, follow=True)
        assert "That decides it: accepted" in sent.content.decode()
        assert Codebook.objects.filter(project=team.round.project).count() == 2
        assert second.post(address(team, "proposal-recheck", made.pk)).status_code == 403
        lead.post(address(team, "proposal-recheck", made.pk))
        recheck = Round.objects.get(kind=Round.Kind.RECHECK)
        open_round(lead=team.lead, round_=recheck)
        for member in (team.first, team.second):
            cast(member, recheck, symptom=("stall",))
        assert first.get(here).context["effect"] is None
        close_round(lead=team.lead, round_=recheck)
        effect = first.get(here).context["effect"]
        assert [one.value for one in effect.percent] == [1.0, 1.0]
        assert votes_of(team) == before

    def test_a_refused_ballot_comes_back(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        where = address(team, "proposal-ballot", made.pk)
        assert browser_of(team.first).post(where, {"reason": "Thought about it."}).status_code == 409
        sent = browser_of(team.first).post(where, {"agrees": "no"})
        assert "what speaks against" in sent.content.decode()
        assert not ProposalVote.objects.exists()

    def test_who_is_not_asked_has_no_ballot(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        page = browser_of(team.lead).get(address(team, "proposal", made.pk))
        assert not page.context["may"].vote
        sent = browser_of(team.lead).post(address(team, "proposal-ballot", made.pk), {"agrees": "yes"})
        assert sent.status_code == 409

    def test_a_withdrawn_proposal_is_gone_for_others(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        sent = browser_of(team.second).post(address(team, "proposal-withdraw", made.pk), follow=True)
        assert "Only the author" in sent.content.decode()
        browser_of(team.first).post(address(team, "proposal-withdraw", made.pk))
        assert browser_of(team.second).get(address(team, "proposal", made.pk)).status_code == 404

    def test_a_lead_withdraws_what_its_author_left_behind(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        put_to_vote(member=team.first, proposal=made)
        leave(member=team.first)
        sent = browser_of(team.lead).post(address(team, "proposal-withdraw", made.pk), follow=True)
        assert sent.status_code == 200
        made.refresh_from_db()
        assert made.state == Proposal.State.WITHDRAWN

    def test_the_last_category_of_an_axis_stays(self, team: Team, browser_of: BrowserOf) -> None:
        team.accept(team.propose(Proposal.Kind.RETIRE, nodes=[team.node("crash")]))
        last = team.propose(Proposal.Kind.RETIRE, nodes=[team.node("hang")])
        put_to_vote(member=team.first, proposal=last)
        vote_on(member=team.first, proposal=last, agrees=True)
        sent = browser_of(team.second).post(address(team, "proposal-ballot", last.pk), {"agrees": "yes"})
        assert "Nothing would be left" in sent.content.decode()


@pytest.mark.parametrize("name", ["proposals", "proposal"])
def test_pages_take_as_many_queries_for_many(
    team: Team, browser_of: BrowserOf, django_assert_max_num_queries: Any, name: str
) -> None:
    counts = []
    made = []
    for number in (1, 8):
        made += [team.propose(wording=[], kind=Proposal.Kind.RETIRE, nodes=[team.node("hang")]) for _ in range(number)]
        for one in made[-number:]:
            put_to_vote(member=team.first, proposal=one)
            vote_on(member=team.second, proposal=one, agrees=False, reason="No.")
        browser = browser_of(team.lead)
        where = address(team, name, *([made[-1].pk] if name == "proposal" else []))
        with CaptureQueriesContext(connection) as found, django_assert_max_num_queries(30):
            browser.get(where)
        counts.append(len(found))
    assert counts[0] == counts[1]


class TestEditing:
    @pytest.mark.parametrize(
        ("kind", "fields", "changed"),
        [
            (Proposal.Kind.ADD, {}, {"name-0": "Crawl"}),
            (Proposal.Kind.SPLIT, {"wording": [STALL, CRAWL]}, {"name-1": "Creep"}),
            (Proposal.Kind.REDEFINE, {"wording": [STALL]}, {"definition-0": "Nothing goes on."}),
            (Proposal.Kind.RENAME, {"wording": [STALL]}, {"name-0": "Crawl"}),
            (Proposal.Kind.MERGE, {"into": "crash"}, {"reason": "They are one."}),
            (Proposal.Kind.RETIRE, {}, {"reason": "Nobody used it."}),
        ],
    )
    def test_the_form_holds_what_was_written_and_keeps_what_is_changed(
        self, team: Team, browser_of: BrowserOf, kind: Proposal.Kind, fields: dict[str, Any], changed: dict[str, str]
    ) -> None:
        fields = fields | {"into": team.node(fields["into"])} if "into" in fields else fields
        made = team.propose(kind, nodes=[team.node("hang")], **fields)
        page, browser = address(team, "proposal-edit", made.pk), browser_of(team.first)
        assert page in browser.get(address(team, "proposal", made.pk)).content.decode()
        form = browser.get(page).context["form"]
        sent = {name: form[name].value() or "" for name in form.fields}
        before = Proposal.objects.values("wording", "reason", "rule", "into").get(pk=made.pk)
        assert browser.post(page, sent).status_code == 302
        assert named(Proposal.objects.get(pk=made.pk)) == named(made)
        assert browser.post(page, sent | changed).status_code == 302
        after = Proposal.objects.values("wording", "reason", "rule", "into").get(pk=made.pk)
        assert after != before
        assert next(iter(changed.values())) in str(after)

    def test_a_refused_change_comes_back_as_it_was_typed(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose()
        page = address(team, "proposal-edit", made.pk)
        response = browser_of(team.first).post(page, filled(**{"name-0": "Typed", "definition-0": ""}))
        assert response.status_code == 422
        assert "Typed" in response.content.decode()
        response = browser_of(team.first).post(page, filled(evidence="https://github.com/no/where/issues/1"))
        assert "not in the knowledge base" in response.content.decode()
        made.refresh_from_db()
        assert made.wording[0]["name"] == "Stall"

    def test_once_it_is_put_to_the_vote_the_page_says_so(self, team: Team, browser_of: BrowserOf) -> None:
        made = put_to_vote(member=team.first, proposal=team.propose())
        page = address(team, "proposal-edit", made.pk)
        for answer in (browser_of(team.first).get(page, follow=True), browser_of(team.second).get(page, follow=True)):
            assert "only until voting opens" in answer.content.decode()
        assert page not in browser_of(team.first).get(address(team, "proposal", made.pk)).content.decode()

    def test_a_category_that_left_the_codebook_meanwhile_is_told(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose(Proposal.Kind.RENAME, nodes=[team.node("hang")], wording=[STALL])
        team.accept(team.propose(Proposal.Kind.RETIRE, nodes=[team.node("hang")]))
        answer = browser_of(team.first).get(address(team, "proposal-edit", made.pk), follow=True)
        assert "has left the codebook" in answer.content.decode()

    def test_a_split_can_have_more_parts(self, team: Team, browser_of: BrowserOf) -> None:
        made = team.propose(Proposal.Kind.SPLIT, nodes=[team.node("hang")], wording=[STALL, CRAWL])
        page = address(team, "proposal-edit", made.pk)
        assert "name-2" in browser_of(team.first).get(f"{page}?parts=3").context["form"].fields
        assert "name-2" not in browser_of(team.first).get(page).context["form"].fields


def named(proposal: Proposal) -> tuple[Any, ...]:
    proposal = Proposal.objects.get(pk=proposal.pk)
    words = [(one["name"], one["definition"], one["include"], one["aliases"]) for one in proposal.wording]
    return (proposal.reason, proposal.rule, proposal.into, set(proposal.nodes.all()), words)
