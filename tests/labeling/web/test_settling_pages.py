"""One disagreement on its page: what comes of each button, and what is accepted at once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labeling.ballots import Choice, Passage
from labeling.models import Decision, Item, Member, Opinion, Post, Revision, Role, Round
from labeling.services.decisions import accept
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion, say
from tests.labeling.factories import cast, make_member, make_open_round, make_round
from tests.labeling.test_settling import Conflict, bytes_of_votes, lead_of
from tests.labeling.web.settling import address, answer

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


@pytest.fixture
def conflict() -> Conflict:
    return Conflict()


class TestPage:
    def test_passages_are_marked_with_letters(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_, symptom=("hang",), evidence=[Passage("body", 0, 6, "symptom")])
        cast(second, round_, symptom=("crash",), evidence=[Passage("body", 5, 11, "symptom"), Passage("title", 0, 2)])
        close_round(lead=lead_of(round_), round_=round_)
        page = browser_of(first).get(reverse("labeling:disagreement", args=[round_.project.slug, 1, 1]))
        text = page.content.decode()
        for label in ("A1", "B1", "B2"):
            assert f'id="passage-{label}"' in text
            assert f'href="#passage-{label}"' in text

    def test_markup_in_reports_and_posts_is_only_text(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        say(member=conflict.first, item=conflict.item, axis=conflict.symptom, text="<script>alert(1)</script> *so*")
        text = browser_of(conflict.second).get(address(conflict)).content.decode()
        assert "<script>alert" not in text
        assert "<em>so</em>" in text

    def test_has_as_many_queries_for_many_votes_as_for_two(
        self, browser_of: BrowserOf, django_assert_max_num_queries: Any
    ) -> None:
        counts = []
        for number in (2, 6):
            round_, people = make_open_round(annotators=number, votes_wanted=number)
            for place, member in enumerate(people):
                cast(member, round_, symptom=("hang",) if place else ("crash",), evidence=[Passage("body", 0, 6)])
            close_round(lead=lead_of(round_), round_=round_)
            item = Item.objects.get(round=round_)
            for member in people:
                say(member=member, item=item, axis=round_.project.axes.get(code="symptom"), text="Hm.")
            browser = browser_of(people[0])
            with (
                CaptureQueriesContext(
                    connection,
                ) as found,
                django_assert_max_num_queries(45),
            ):
                browser.get(reverse("labeling:disagreement", args=[round_.project.slug, 1, 1]))
            counts.append(len(found))
        assert counts[0] == counts[1]


class TestDiscussion:
    def test_annotators_post_and_revise_beside_their_votes(self, browser_of: BrowserOf) -> None:
        conflict = Conflict(rule=Round.Rule.DISCUSSION)
        before = bytes_of_votes()
        browser = browser_of(conflict.second)
        sent = browser.post(address(conflict, "axis-say", "symptom"), {"symptom-say-text": "You are *right*."})
        assert sent.status_code == 302
        browser.post(address(conflict, "axis-revise", "symptom"), answer("revise"))
        assert (Post.objects.count(), Revision.objects.count()) == (1, 1)
        text = browser_of(conflict.first).get(address(conflict)).content.decode()
        assert "blind: 0 of 1 pair" in text
        assert "After discussion: 1 of 1" in text
        assert bytes_of_votes() == before

    def test_what_is_refused_comes_back_as_it_was_written(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        sent = browser_of(conflict.first).post(address(conflict, "axis-revise", "symptom"), {})
        assert sent.status_code == 409
        assert "choose an answer" in sent.content.decode()
        other = make_member(conflict.round.project)
        sent = browser_of(other).post(address(conflict, "axis-say", "symptom"), {"symptom-say-text": "Long thoughts."})
        assert sent.status_code == 409
        assert "Long thoughts." in sent.content.decode()

    @pytest.mark.parametrize("action", ["say", "revise", "decide", "accept", "reopen"])
    def test_an_observer_does_nothing(self, conflict: Conflict, browser_of: BrowserOf, action: str) -> None:
        observer = make_member(conflict.round.project, Role.OBSERVER)
        sent = browser_of(observer).post(address(conflict, f"axis-{action}", "symptom"), answer(action))
        assert sent.status_code == 403


class TestAdjudication:
    def test_goes_from_opinion_to_decision_to_reopening(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        before = bytes_of_votes()
        browser = browser_of(conflict.adjudicator)
        desk = address(conflict, "adjudication")
        assert browser.get(f"{desk}?show=nothing").status_code == 400
        assert [case.item for case in browser.get(desk).context["cases"]] == [conflict.item]
        data = answer("opinion", "crash", reason="A first look.")
        half = browser.post(address(conflict, "opinion"), data)
        assert (half.status_code, Opinion.objects.count()) == (409, 0)
        assert "A first look." in half.content.decode()
        data |= answer("opinion", "bug", "issue_type", reason="")
        assert browser.post(address(conflict, "opinion"), data).status_code == 302
        assert "Nothing is left for you to do here" in browser.post(address(conflict, "opinion"), data).content.decode()
        assert browser.get(desk).context["counts"] == {"opinions": 0, "decisions": 1}
        assert "see rank 3" in browser.get(address(conflict)).content.decode()
        data = answer("decide", "hang", cause="guideline", reason="It never ended.")
        browser.post(address(conflict, "axis-decide", "symptom"), data)
        page = browser.get(f"{desk}?show=decided")
        assert page.context["causes"] == [("The guidelines have a gap", 1)]
        browser.post(address(conflict, "axis-reopen", "symptom"), {"symptom-reopen-reason": "New log."})
        text = browser_of(conflict.first).get(address(conflict)).content.decode()
        assert "Decided before, and reopened (1)" in text
        assert "A first look." not in text
        assert bytes_of_votes() == before

    def test_others_read_the_first_opinion_only_after_the_decision(
        self, conflict: Conflict, browser_of: BrowserOf
    ) -> None:
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        give_opinion(
            adjudicator=conflict.adjudicator, item=conflict.item, axis=conflict.symptom, choice=Choice(("crash",)),
            reason="A first look.",
        )  # fmt: skip
        assert "A first look." not in browser_of(conflict.first).get(address(conflict)).content.decode()
        conflict.adjudicate()
        assert "A first look." in browser_of(conflict.first).get(address(conflict)).content.decode()

    def test_a_decision_without_a_cause_comes_back(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        conflict.opine()
        sent = browser_of(conflict.adjudicator).post(
            address(conflict, "axis-decide", "symptom"), answer("decide", reason="A reason that took an hour.")
        )
        assert sent.status_code == 422
        assert "A reason that took an hour." in sent.content.decode()

    def test_who_comes_second_is_told_and_keeps_their_words(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        conflict.opine()
        other = make_member(conflict.round.project, Role.ADJUDICATOR)
        give_opinion(adjudicator=other, item=conflict.item, axis=conflict.symptom, choice=Choice(("crash",)))
        conflict.adjudicate()
        data = answer("decide", "crash", cause="slip", reason="My long reason.")
        sent = browser_of(other).post(address(conflict, "axis-decide", "symptom"), data)
        assert sent.status_code == 409
        text = sent.content.decode()
        assert "This is decided" in text
        assert "My long reason." in text

    def test_only_adjudicators_have_a_desk(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        for member in (conflict.lead, conflict.first, make_member(conflict.round.project, Role.OBSERVER)):
            assert browser_of(member).get(address(conflict, "adjudication")).status_code == 403
            data = answer("opinion")
            assert browser_of(member).post(address(conflict, "opinion"), data).status_code == 403
        assert not Opinion.objects.exists()


class TestAccepting:
    def test_says_first_what_will_happen(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        browser = browser_of(conflict.lead)
        assert "This decides 1 answer" in browser.get(address(conflict, "accept")).content.decode()
        assert not Decision.objects.exists()
        browser.post(address(conflict, "accept"), {"how": "unanimous"})
        assert Decision.objects.get().axis == conflict.kind
        assert "nothing to accept" in browser.get(address(conflict, "accept")).content.decode()

    def test_is_undone_together_with_a_reason(self, conflict: Conflict, browser_of: BrowserOf) -> None:
        browser = browser_of(conflict.lead)
        browser.post(address(conflict, "accept"), {"how": "unanimous"})
        undo = address(conflict, "acceptance-reopen", 1)
        assert "Say why" in browser.post(undo, {}, follow=True).content.decode()
        assert "1 decision is open again" in browser.post(undo, {"reason": "Too early."}, follow=True).content.decode()
        assert "None of these" in browser.post(undo, {"reason": "Again."}, follow=True).content.decode()
        assert Decision.objects.get().reopened_because == "Too early."

    def test_a_way_that_the_rule_does_not_know_is_refused(self, browser_of: BrowserOf) -> None:
        conflict = Conflict(rule=Round.Rule.UNANIMOUS)
        sent = browser_of(conflict.lead).post(address(conflict, "accept"), {"how": "majority"}, follow=True)
        assert "“Unanimous”" in sent.content.decode()
        assert not Decision.objects.exists()

    def test_one_axis_is_accepted_on_its_page(self, browser_of: BrowserOf) -> None:
        round_, people = make_open_round(annotators=3, votes_wanted=3)
        for member, symptom in zip(people, ("hang", "hang", "crash"), strict=True):
            cast(member, round_, symptom=(symptom,))
        close_round(lead=lead_of(round_), round_=round_)
        browser = browser_of(lead_of(round_))
        args = [round_.project.slug, 1, 1]
        page = browser.get(reverse("labeling:disagreement", args=args))
        assert page.context["panels"][0].may.accepts == Decision.How.MAJORITY
        browser.post(reverse("labeling:axis-accept", args=[*args, "symptom"]), {"how": "majority"})
        decision = Decision.objects.get()
        assert (decision.axis.code, decision.how, decision.support) == ("symptom", "majority", 2)

    @pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADJUDICATOR, Role.OBSERVER])
    def test_is_for_leads(self, conflict: Conflict, browser_of: BrowserOf, role: Role) -> None:
        browser = browser_of(make_member(conflict.round.project, role))
        assert browser.get(address(conflict, "accept")).status_code == 403
        assert browser.post(address(conflict, "accept"), {"how": "unanimous"}).status_code == 403
        assert browser.post(address(conflict, "acceptance-reopen", 1), {"reason": "x"}).status_code == 403


def test_a_round_that_is_prepared_shows_to_leads_only(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    draft = make_round(lead_of(round_), is_open=False)
    where = reverse("labeling:disagreements", args=[round_.project.slug, draft.number])
    assert browser_of(first).get(where).status_code == 404
    assert browser_of(lead_of(round_)).get(where).status_code == 200


def test_other_projects_are_closed(conflict: Conflict, browser_of: BrowserOf) -> None:
    stranger = browser_of(make_open_round()[1][0])
    for name in ("disagreement-rounds", "disagreements", "disagreement", "settling-effects", "accept", "adjudication"):
        assert stranger.get(address(conflict, name)).status_code == 404
