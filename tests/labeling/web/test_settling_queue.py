"""The queue of disagreements: what is in it, who sees what at which moment, and how many queries that takes."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labeling.models import Decision, Member, Role, Round
from labeling.services.decisions import accept
from labeling.services.rounds import close_round
from labeling.services.settling import say
from tests.labeling.factories import cast, make_member, make_open_round
from tests.labeling.test_settling import Conflict, lead_of
from tests.labeling.web.settling import address, answer, everything_seen

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


@pytest.fixture
def conflict() -> Conflict:
    return Conflict()


class TestQueue:
    def test_lists_only_axes_in_conflict(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        text = browser_of(conflict.first).get(address(conflict, "disagreements")).content.decode()
        assert "It hangs 0" in text
        assert text.count('">waits for an adjudicator') == 1
        assert "Unanimous, not listed here: 1 answer, 1 not accepted yet" in text

    @pytest.mark.parametrize(
        ("query", "found"),
        [("axis=symptom", 1), ("axis=issue_type", 0), ("waits=lead", 0), ("waits=adjudicator", 1), ("mine=1", 1),
         ("state=decided", 0), ("state=all", 1), ("page=99", 1)],
    )  # fmt: skip
    def test_is_filtered(self, conflict: Conflict, browser_of: BrowserOf, query: str, found: int) -> None:
        page = browser_of(conflict.first).get(f"{address(conflict, 'disagreements')}?{query}")
        assert len(page.context["rows"]) == found

    @pytest.mark.parametrize("query", ["state=nonsense", "waits=x", "axis=colour", "state=open&state=all"])
    def test_what_there_is_not_is_refused(self, conflict: Conflict, browser_of: BrowserOf, query: str) -> None:
        page = browser_of(conflict.first).get(f"{address(conflict, 'disagreements')}?{query}")
        assert page.status_code == 400
        assert " is not a" in page.content.decode()

    def test_mine_are_those_i_voted_on(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        other = make_member(conflict.round.project)
        page = browser_of(other).get(f"{address(conflict, 'disagreements')}?mine=1")
        assert page.context["rows"] == []

    def test_is_blind_before_release_for_everybody(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_, symptom=("hang",))
        cast(second, round_, symptom=("crash",))
        for reader in (first, second, lead_of(round_)):
            queue = browser_of(reader).get(reverse("labeling:disagreements", args=[round_.project.slug, 1]))
            assert "Still blind" in queue.content.decode()
            assert "No votes differ" not in queue.content.decode()
            page = browser_of(reader).get(reverse("labeling:disagreement", args=[round_.project.slug, 1, 1]))
            assert page.status_code == 404

    def test_leads_to_the_next_issue_with_the_same_filters(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round(issues=3)
        for symptom in ("hang", "crash", "hang"):
            cast(first, round_, symptom=(symptom,))
            cast(second, round_, symptom=("hang",) if symptom == "crash" else ("crash",))
        close_round(lead=lead_of(round_), round_=round_)
        slug = round_.project.slug
        page = browser_of(first).get(reverse("labeling:disagreement", args=[slug, 1, 2]) + "?axis=symptom")
        assert page.context["before"] == reverse("labeling:disagreement", args=[slug, 1, 1]) + "?axis=symptom"
        assert page.context["after"] == reverse("labeling:disagreement", args=[slug, 1, 3]) + "?axis=symptom"
        last = browser_of(first).get(reverse("labeling:disagreement", args=[slug, 1, 3]) + "?axis=issue_type")
        assert (last.context["before"], last.context["after"]) == ("", "")


class TestNames:
    def test_members_see_one_another_by_name(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        text = browser_of(conflict.first).get(address(conflict)).content.decode()
        assert conflict.second.user.username in text
        assert "see rank 3" in text

    def test_an_adjudicator_sees_nothing_of_the_votes_before_an_opinion(
        self, conflict: Conflict, browser_of: BrowserOf
    ) -> None:
        say(member=conflict.first, item=conflict.item, axis=conflict.symptom, text="Nothing ever ended.")
        seen = everything_seen(browser_of(conflict.adjudicator), conflict)
        secrets = ["see rank 3", "Nothing ever ended", "Coder", "in conflict:", "Side by side"]
        secrets += [member.user.username for member in (conflict.first, conflict.second)]
        assert [secret for secret in secrets if secret in seen] == []
        assert "of 1 settled" not in seen
        assert "not listed here: 0 answers" in seen

    def test_an_adjudicator_is_not_told_that_hidden_votes_agree(
        self, conflict: Conflict, browser_of: BrowserOf
    ) -> None:
        judge = browser_of(conflict.adjudicator)
        rounds = reverse("labeling:disagreement-rounds", args=[conflict.round.project.slug])
        for page in (rounds, address(conflict, "disagreements")):
            assert "No votes differ" not in judge.get(page).content.decode()

    def test_an_adjudicator_is_asked_about_all_that_is_undecided(
        self, conflict: Conflict, browser_of: BrowserOf
    ) -> None:
        page = browser_of(conflict.adjudicator).get(address(conflict))
        assert [nodes.axis.code for nodes, _, _ in page.context["questions"]] == ["symptom", "issue_type"]
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        page = browser_of(conflict.adjudicator).get(address(conflict))
        assert [nodes.axis.code for nodes, _, _ in page.context["questions"]] == ["symptom"]

    def test_after_the_opinion_an_adjudicator_reads_pseudonyms(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        conflict.opine()
        seen = everything_seen(browser_of(conflict.adjudicator), conflict)
        assert conflict.first.pseudonym in seen
        assert "see rank 3" in seen
        for member in (conflict.first, conflict.second):
            assert member.user.username not in seen

    def test_who_voted_is_told_why_they_do_not_adjudicate(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        Member.objects.filter(pk=conflict.first.pk).update(roles=[Role.ANNOTATOR, Role.ADJUDICATOR])
        conflict.first.refresh_from_db()
        page = browser_of(conflict.first).get(address(conflict))
        assert "so somebody else adjudicates it" in page.content.decode()
        assert "decide" not in page.context["panels"][0].forms
        sent = browser_of(conflict.first).post(
            address(conflict, "axis-decide", "symptom"), answer("decide", cause="slip", reason="I was right.")
        )
        assert sent.status_code == 409
        assert not Decision.objects.exists()

    def test_a_lead_who_votes_is_as_blind_as_an_annotator(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round()
        lead = lead_of(round_)
        Member.objects.filter(pk=lead.pk).update(roles=[Role.LEAD, Role.ANNOTATOR])
        cast(first, round_, note="a secret")
        for name in ("disagreements", "accept", "settling-effects"):
            page = browser_of(lead).get(reverse(f"labeling:{name}", args=[round_.project.slug, 1]))
            assert page.status_code == 200
            assert "not listed here: 1" not in page.content.decode()

    def test_a_lead_who_adjudicates_is_not_told_how_much_is_unanimous(
        self, conflict: Conflict, browser_of: BrowserOf
    ) -> None:
        Member.objects.filter(pk=conflict.lead.pk).update(roles=[Role.LEAD, Role.ADJUDICATOR])
        page = browser_of(conflict.lead).get(address(conflict, "accept"))
        assert page.context["preview"] is None
        for axis in ("symptom", "issue_type"):
            where = address(conflict, "axis-accept", axis)
            told = browser_of(conflict.lead).post(where, {"how": "unanimous"}, follow=True).content.decode()
            assert "give your first opinion" in told
        assert browser_of(conflict.lead).post(address(conflict, "accept")).status_code == 302
        assert Decision.objects.count() == 1


class TestBudget:
    @pytest.mark.parametrize("name", ["disagreement-rounds", "disagreements", "settling-effects", "accept"])
    def test_pages_of_a_round_take_as_many_queries_for_many_issues(
        self, browser_of: BrowserOf, django_assert_max_num_queries: Any, name: str
    ) -> None:
        counts = []
        for issues in (1, 12):
            round_, people = make_open_round(issues=issues, rule=Round.Rule.DISCUSSION)
            for _ in range(issues):
                for member, symptom in zip(people, ("hang", "crash"), strict=True):
                    cast(member, round_, symptom=(symptom,))
            close_round(lead=lead_of(round_), round_=round_)
            browser = browser_of(lead_of(round_))
            args = [round_.project.slug] if name == "disagreement-rounds" else [round_.project.slug, 1]
            with CaptureQueriesContext(connection) as found, django_assert_max_num_queries(30):
                browser.get(reverse(f"labeling:{name}", args=args))
            counts.append(len(found))
        assert counts[0] == counts[1]

    def test_the_desk_takes_as_many_queries_for_many_issues(
        self, browser_of: BrowserOf, django_assert_max_num_queries: Any
    ) -> None:
        counts = []
        for issues in (1, 12):
            round_, people = make_open_round(issues=issues)
            adjudicator = make_member(round_.project, Role.ADJUDICATOR)
            for _ in range(issues):
                for member, symptom in zip(people, ("hang", "crash"), strict=True):
                    cast(member, round_, symptom=(symptom,))
            close_round(lead=lead_of(round_), round_=round_)
            browser = browser_of(adjudicator)
            with CaptureQueriesContext(connection) as found, django_assert_max_num_queries(25):
                page = browser.get(reverse("labeling:adjudication", args=[round_.project.slug]))
            assert len(page.context["cases"]) == issues
            counts.append(len(found))
        assert counts[0] == counts[1]
