"""Pages of rounds: preparing, drawing, opening, changing, closing, and what each reader may know."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from kb.models import Kind
from labeling.models import Member, ProjectNode, Role, Round
from labeling.services.preparation import Plan, plan_round
from labeling.services.rounds import close_round
from tests.kb.web.reading import read
from tests.labeling.factories import cast, cast_on, make_member, make_open_round, make_project, make_round, take
from tests.support.factories import make_issue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("search_in_postgres")]
BrowserOf = Callable[[Member], Client]
Values = dict[str, str | int]

FORM = {
    "kind": "pilot", "name": "Pilot 1", "votes_wanted": 2, "seniors_wanted": 0, "rule": "majority",
    "release": "round", "hold_minutes": 60, "places_held": 3, "repeats": 0, "repeats_after": 20,
}  # fmt: skip


def address(member: Member, name: str, *rest: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *rest])


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def words(browser: Client, path: str) -> str:
    return read(browser.get(path)).words


class TestPreparing:
    def test_from_the_form_to_an_open_round(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        for _ in range(2):
            make_member(lead.project)
        for number in range(6):
            make_issue(title=f"It hangs {number}")
        browser = browser_of(lead)
        assert browser.post(address(lead, "new-round"), FORM)["Location"] == address(lead, "sample", 1)
        asked: Values = {"search": "hangs", "kind": "random", "size": 4, "seed": "one", "fresh": "on"}
        page = read(browser.get(address(lead, "sample", 1), asked))
        assert "6 issues match" in page.words
        assert page.inputs["seed"] == "one"
        assert browser.post(address(lead, "draw-sample", 1), asked)["Location"] == address(lead, "round", 1)
        shown = words(browser, address(lead, "round", 1))
        assert "4 of 6 issues, drawn at random" in shown
        assert "Seed: one" in shown
        browser.post(address(lead, "open-round", 1))
        round_ = Round.objects.get()
        assert (round_.state, round_.items.count(), round_.sample["query"]) == ("open", 4, "q=hangs")

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"seniors_wanted": 3}, "cannot ask for more senior votes"),
            ({"gate_measure": "alpha"}, "three parts"),
            ({"kind": "screening"}, "by which a vote excludes"),
            ({"kind": "recheck"}, "Select a valid choice"),
            ({"deadline": "2020-01-01"}, "has passed"),
        ],
    )
    def test_what_does_not_go_together_is_said_beside_what_was_filled_in(
        self, browser_of: BrowserOf, change: dict[str, Any], says: str
    ) -> None:
        lead = make_project()
        page = read(browser_of(lead).post(address(lead, "new-round"), FORM | change))
        assert says in page.words
        assert page.inputs["name"] == "Pilot 1"
        assert not Round.objects.exists()

    def test_a_prepared_round_is_changed_and_thrown_away(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        browser = browser_of(lead)
        browser.post(address(lead, "new-round"), FORM)
        browser.post(address(lead, "edit-round", 1), FORM | {"name": "Training", "hold_minutes": 1440})
        assert "An issue stays reserved for 1 day." in words(browser, address(lead, "round", 1))
        assert Round.objects.get().name == "Training"
        browser.post(address(lead, "discard-round", 1))
        assert not Round.objects.exists()

    def test_repeats_are_told_and_the_next_round_begins_with_as_many(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        browser = browser_of(lead)
        browser.post(address(lead, "new-round"), FORM | {"repeats": 4, "repeats_after": 30})
        told = "Everybody meets 4 issues of their own again, each after 30 other votes at least."
        assert told in words(browser, address(lead, "round", 1))
        inputs = read(browser.get(address(lead, "new-round"))).inputs
        assert (inputs["repeats"], inputs["repeats_after"]) == ("4", "30")

    def test_an_open_round_has_no_form(self, browser_of: BrowserOf) -> None:
        round_, _ = make_open_round()
        lead = lead_of(round_)
        response = browser_of(lead).get(address(lead, "edit-round", 1), follow=True)
        assert "its settings are final" in read(response).words
        assert browser_of(lead).get(address(lead, "sample", 1)).status_code == 404

    def test_what_keeps_it_shut_is_said_in_words(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        pilot = make_round(lead, is_open=False)
        gate: dict[str, Any] = {"gate_round": pilot, "gate_measure": "alpha", "gate_at_least": 0.7}
        plan = Plan(kind=Round.Kind.MAIN, name="Main 2", votes_wanted=2, **gate)
        plan_round(lead=lead, plan=plan)
        browser = browser_of(lead)
        shown = words(browser, address(lead, "round", 2))
        assert "cannot be opened yet" in shown
        assert "comes first" in shown
        assert "“Main” reaches at least 0.7 on every axis. Measure: Krippendorff's α." in shown
        response = browser.post(address(lead, "open-round", 2), follow=True)
        assert "has no issues yet" in read(response).words
        assert Round.objects.get(number=2).state == "draft"


class TestLists:
    @pytest.fixture
    def lead(self) -> Member:
        lead = make_project()
        make_round(lead, is_open=False)
        return lead

    def test_lines_that_cannot_be_taken_are_told_and_nothing_is_lost(self, browser_of: BrowserOf, lead: Member) -> None:
        known, request = make_issue(9_001, title="It hangs"), make_issue(9_002, kind=Kind.PULL_REQUEST)
        lines = [
            f"{known.url}/#issuecomment-1", "deepspeedai/DeepSpeed#9001", request.url, "nonsense",
            "https://github.com/deepspeedai/DeepSpeed/issues/404404",
        ]  # fmt: skip
        browser, path = browser_of(lead), address(lead, "list-sample", 1)
        response = browser.post(path, {"addresses": "\n".join(lines)})
        page = read(response)
        assert response.status_code == 200
        assert page.inputs["addresses"].split() == lines
        for reason in (
            "is on line 1 already", "a pull request, not an issue", "neither the address of an issue",
            "not in the knowledge base", "Line 5",
        ):  # fmt: skip
            assert reason in page.words, reason
        assert "leave_out" in page.inputs
        round_ = Round.objects.get()
        assert not round_.items.filter(issue=known).exists()
        browser.post(path, {"addresses": "\n".join(lines), "leave_out": "on"})
        assert [item.issue for item in round_.items.all()] == [known]
        round_.refresh_from_db()
        assert round_.sample == {"kind": "urls", "drawn": 1, "left_out": 4}

    def test_a_list_without_any_issue_fills_nothing(self, browser_of: BrowserOf, lead: Member) -> None:
        path = address(lead, "list-sample", 1)
        page = read(browser_of(lead).post(path, {"addresses": "nonsense", "leave_out": "on"}))
        assert "names no issue" in page.words
        assert Round.objects.get().items.count() == 1

    @pytest.mark.usefixtures("search_in_postgres")
    def test_the_preview_counts_what_cannot_be_read_and_keeps_the_choices(
        self, browser_of: BrowserOf, lead: Member
    ) -> None:
        make_issue(title="Rank 3 stalls", body="It stalls.")
        make_issue(title="Rank 4 stalls")
        make_issue(heading="Rank 5 stalls", summary="It stalls.")
        asked: Values = {
            "kind": "random",
            "size": 5,
            "seed": "one",
            "search": "stalls",
            "in_text": "on",
            "with_text": "on",
        }
        browser = browser_of(lead)
        words = read(browser.get(address(lead, "sample", 1), asked)).words
        assert "2 issues match" in words
        assert "1 has no report text, and is left out. 1 can be drawn." in words
        assert "Some of those that this seed draws" in words
        browser.post(address(lead, "draw-sample", 1), asked)
        sample = Round.objects.get(project=lead.project).sample
        assert (sample["in_text"], sample["with_text"], sample["drawn"]) == (True, True, 1)

    def test_a_sample_is_removed_while_the_round_is_prepared(self, browser_of: BrowserOf, lead: Member) -> None:
        browser_of(lead).post(address(lead, "remove-sample", 1))
        round_ = Round.objects.get()
        assert (round_.items.count(), round_.sample) == (0, {})

    def test_a_draw_that_finds_nothing_comes_back_as_it_was_filled_in(
        self, browser_of: BrowserOf, lead: Member
    ) -> None:
        asked = {"search": "zeppelin", "kind": "best", "size": 7}
        page = read(browser_of(lead).post(address(lead, "draw-sample", 1), asked, follow=True))
        assert "finds no issue" in page.words
        assert page.inputs["search"] == "zeppelin"
        assert Round.objects.get().items.count() == 1

    def test_an_address_of_the_search_page_is_understood(self, browser_of: BrowserOf, lead: Member) -> None:
        asked: Values = {
            "search": "https://example.org/issues/?framework=nonesuch",
            "kind": "random",
            "size": 7,
            "seed": "s",
        }
        assert "could not be read" in read(browser_of(lead).get(address(lead, "sample", 1), asked)).words
        asked["search"] = "https://example.org/issues/?framework=deepspeed"
        assert "match" in read(browser_of(lead).get(address(lead, "sample", 1), asked)).words


class TestRunning:
    def test_the_number_of_votes_goes_up_and_down(self, browser_of: BrowserOf) -> None:
        round_, _ = make_open_round(annotators=3, issues=2)
        lead = lead_of(round_)
        browser = browser_of(lead)
        page = read(browser.post(address(lead, "votes-wanted", 1), {"wanted": 3}, follow=True))
        assert "2 places were added" in page.words
        page = read(browser.post(address(lead, "votes-wanted", 1), {"wanted": 1}, follow=True))
        assert "4 places were taken away" in page.words
        page = read(browser.post(address(lead, "votes-wanted", 1), {"wanted": "many"}, follow=True))
        assert "whole number" in page.words

    def test_the_deadline_moves(self, browser_of: BrowserOf) -> None:
        round_, _ = make_open_round()
        lead = lead_of(round_)
        browser_of(lead).post(address(lead, "deadline", 1), {"deadline": "2999-12-31"})
        round_.refresh_from_db()
        assert str(round_.deadline) == "2999-12-31"
        page = read(browser_of(lead).post(address(lead, "deadline", 1), {"deadline": "2020-01-01"}, follow=True))
        assert "has passed" in page.words

    def test_closing_asks_first_and_says_what_is_missing(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round(issues=3)
        for member in (first, second):
            cast(member, round_)
        lead = lead_of(round_)
        browser = browser_of(lead)
        assert "2 of 3 issues have fewer votes" in words(browser, address(lead, "close-round", 1))
        round_.refresh_from_db()
        assert round_.state == "open"
        page = read(browser.post(address(lead, "close-round", 1), follow=True))
        assert "is closed; 2 of its issues have fewer votes" in page.words
        round_.refresh_from_db()
        assert round_.state == "closed"

    def test_only_leads_run_rounds(self, browser_of: BrowserOf) -> None:
        _, (first, _) = make_open_round()
        browser = browser_of(first)
        for name in ("open-round", "close-round", "votes-wanted", "deadline", "discard-round", "draw-sample"):
            assert browser.post(address(first, name, 1)).status_code == 403, name


class TestBlindness:
    def test_pages_change_with_ones_own_votes_and_with_nobody_elses(self, browser_of: BrowserOf) -> None:
        """Whatever others do in an open round, a blind reader's pages stay the same to the letter."""
        round_, (first, second) = make_open_round(issues=3)
        readers = [
            first,
            make_member(round_.project, Role.ADJUDICATOR),
            make_member(round_.project, Role.LEAD, Role.ANNOTATOR),
        ]
        pages = [("project", ()), ("rounds", ()), ("round", (1,)), ("sample-issues", (1,)), ("people", ())]

        def seen(reader: Member) -> list[str]:
            return [words(browser_of(reader), address(reader, name, *rest)) for name, rest in pages] + [
                words(browser_of(reader), reverse("labeling:projects"))
            ]

        before = [seen(reader) for reader in readers]
        cast(second, round_, note="A thought of theirs")
        take(second, round_)
        assert [seen(reader) for reader in readers] == before
        lead = readers[2]
        asked = words(browser_of(lead), address(lead, "close-round", 1))
        assert "is told after the round is closed" in asked
        cast(first, round_)
        assert seen(first) != before[0]

    def test_a_lead_who_does_not_label_sees_how_far_everybody_is(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round(issues=3)
        cast(first, round_)
        lead = lead_of(round_)
        shown = words(browser_of(lead), address(lead, "round", 1))
        assert "1 of 6 votes are in" in shown
        assert f"{first.called}: 1 vote" in shown


class TestScreening:
    def test_the_result_is_shown_and_fills_the_next_round(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        people = [make_member(lead.project) for _ in range(2)]
        question = ProjectNode.objects.get(axis__project=lead.project, code="question")
        browser = browser_of(lead)
        values = FORM | {"kind": "screening", "name": "Screening", "excluding": [question.pk]}
        browser.post(address(lead, "new-round"), values)
        addresses = "\n".join(make_issue(title="It hangs").url for _ in range(2))
        browser.post(address(lead, "list-sample", 1), {"addresses": addresses})
        browser.post(address(lead, "open-round", 1))
        round_ = Round.objects.get()
        for kind, item in zip(("question", "bug"), round_.items.all(), strict=True):
            for member in people:
                cast_on(member, item, kind=kind)
        assert "A vote excludes an issue by one of: Issue type: Question." in words(browser, address(lead, "round", 1))
        close_round(lead=lead, round_=round_)
        assert "1 issue stays" in words(browser, address(lead, "round", 1))
        browser.post(address(lead, "new-round"), FORM | {"kind": "main", "name": "Main"})
        browser.post(address(lead, "screened-sample", 2), {"screening": 1})
        assert Round.objects.get(number=2).items.count() == 1
        assert "What the screening round 1 kept: 1 issue." in words(browser, address(lead, "round", 2))
        assert browser.post(address(lead, "screened-sample", 2), {"screening": 99}).status_code == 404


class TestWhatIsNext:
    def test_who_has_labelled_everything_is_told_what_happens_next(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round()
        page = address(first, "round", 1)
        assert "Label the next issue" in words(browser_of(first), page)
        cast(first, round_)
        shown = words(browser_of(first), page)
        assert "Label the next issue" not in shown
        assert "Nothing is left for you to label here." in shown
        assert "Annotators see one another's votes when the round closes." in shown
        assert "Answers with more than half of the votes stand" in shown
        assert "What happens next" in words(browser_of(first), address(first, "next", 1))
        assert "Label the next issue" in words(browser_of(second), page)

    def test_who_is_at_an_issue_goes_on_with_it(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round()
        item = take(first, round_).item
        shown = read(browser_of(first).get(address(first, "round", 1)))
        assert "Continue with" in shown.words
        assert reverse("labeling:label", args=[round_.project.slug, 1, item.position]) in shown.links

    def test_what_is_with_others_may_come_free(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round(votes_wanted=1)
        take(first, round_)
        assert "Nothing is free for you now." in words(browser_of(second), address(second, "round", 1))
        assert "is open for your votes" in words(browser_of(second), address(second, "project"))
        cast(first, round_)
        assert "Nothing is left for you" in words(browser_of(second), address(second, "round", 1))
        assert "is open for your votes" not in words(browser_of(second), address(second, "project"))

    def test_who_was_not_chosen_is_told_so(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round()
        round_.annotators.set([first])
        assert "Others label this round" in words(browser_of(second), address(second, "round", 1))
        observer = make_member(round_.project, Role.OBSERVER)
        shown = words(browser_of(observer), address(observer, "round", 1))
        assert "Others label" not in shown
        assert "Label the next" not in shown
