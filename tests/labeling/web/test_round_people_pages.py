"""Pages on which a lead keeps an open round going: people, flags, dropped issues, warnings."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import Item, Member, Pass, Role, Round
from labeling.services.assignment import pass_item
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_open_round, take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("search_in_postgres")]
BrowserOf = Callable[[Member], Client]


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def address(member: Member, name: str, *rest: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, 1, *rest])


def words(browser: Client, path: str) -> str:
    return read(browser.get(path)).words


class TestPeople:
    def test_one_is_replaced_taken_out_and_added_again(self, browser_of: BrowserOf) -> None:
        round_, (first, second, third) = make_open_round(annotators=3, votes_wanted=1)
        lead = lead_of(round_)
        browser = browser_of(lead)
        take(first, round_)
        assert "All annotators of the project do" in words(browser, address(lead, "round-people"))
        assert f"Replace {first.called}" in words(browser, address(lead, "round-person", first.pk))
        path = address(lead, "round-person-replace", first.pk)
        page = read(browser.post(path, {"replace-other": second.pk}, follow=True))
        assert f"1 kept for {second.called}, 0 free for everybody" in page.words
        path = address(lead, "round-person-hand-over", second.pk)
        page = read(browser.post(path, {"hand-over-other": third.pk}, follow=True))
        assert f"1 kept for {third.called}" in page.words
        page = read(browser.post(address(lead, "round-person-remove", third.pk), follow=True))
        assert "does not label this round any more" in page.words
        browser.post(address(lead, "round-people"), {"people": [first.pk]})
        assert set(round_.annotators.all()) == {first, second}

    def test_a_lead_who_labels_is_told_no_numbers(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round(votes_wanted=1)
        lead = make_member(round_.project, Role.LEAD, Role.ANNOTATOR)
        cast(first, round_)
        browser = browser_of(lead)
        assert "1 vote" not in words(browser, address(lead, "round-people"))
        path = address(lead, "round-person-replace", first.pk)
        page = read(browser.post(path, {"replace-other": second.pk}, follow=True))
        assert "are handed on." in page.words
        page = read(browser.post(address(lead, "votes-wanted"), {"wanted": 2}, follow=True))
        assert "Every issue has 2 votes from now on." in page.words
        assert "places were" not in page.words

    def test_a_choice_that_is_none_is_told(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round()
        lead = lead_of(round_)
        page = read(browser_of(lead).post(address(lead, "round-person-replace", first.pk), follow=True))
        assert "This field is required" in page.words


class TestDroppedIssues:
    def test_are_dropped_with_a_reason_and_put_back(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round(issues=2)
        lead = lead_of(round_)
        browser = browser_of(lead)
        assert address(lead, "drop", 1) in read(browser.get(address(lead, "sample-issues"))).links
        assert browser.post(address(lead, "drop", 1), {"reason": ""}).status_code == 422
        page = read(browser.post(address(lead, "drop", 1), {"reason": "Its text is empty."}, follow=True))
        assert "1 issue of the sample is dropped" in page.words
        assert "Its text is empty." in words(browser_of(first), address(first, "round"))
        assert "A lead dropped this issue" in words(browser_of(first), address(first, "label", 1))
        page = read(browser.post(address(lead, "put-back", 1), follow=True))
        assert "is in the round again" in page.words
        assert not Item.objects.exclude(dropped_at=None).exists()


class TestFlags:
    def test_are_answered_and_the_annotator_reads_the_answer(self, browser_of: BrowserOf) -> None:
        round_, (first, second) = make_open_round()
        lead = lead_of(round_)
        flag = pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.FLAG, reason="Two faults?")
        browser = browser_of(lead)
        assert "Two faults?" in words(browser, address(lead, "flags"))
        path = address(lead, "flag", flag.pk)
        assert browser.post(path, {"answer": "", "outcome": "returned"}).status_code == 422
        page = read(browser.post(path, {"answer": "Label the first.", "outcome": "returned"}, follow=True))
        assert "No flag waits for an answer." in page.words
        mine = reverse("labeling:mine", args=[round_.project.slug])
        assert "Label the first." in words(browser_of(first), mine)
        assert "Label the first." not in words(browser_of(second), mine)
        browser_of(first).post(address(first, "next"))
        assert "Label the first." in words(browser_of(first), address(first, "label", 1))

    def test_of_others_are_not_there_for_a_lead_who_labels(self, browser_of: BrowserOf) -> None:
        round_, (first, _) = make_open_round()
        flag = pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.FLAG, reason="Two faults?")
        lead = make_member(round_.project, Role.LEAD, Role.ANNOTATOR)
        assert "Another lead answers the rest" in words(browser_of(lead), address(lead, "flags"))
        assert browser_of(lead).get(address(lead, "flag", flag.pk)).status_code == 404


def test_what_cannot_be_finished_stands_on_the_round_and_on_progress(browser_of: BrowserOf) -> None:
    round_, people = make_open_round(votes_wanted=1)
    for member in people:
        pass_item(member=member, item=take(member, round_).item, kind=Pass.Kind.SKIP, reason="I wrote it.")
    lead, observer = lead_of(round_), make_member(round_.project, Role.OBSERVER)
    progress = reverse("labeling:progress", args=[round_.project.slug])
    for path in (address(lead, "round"), progress):
        shown = words(browser_of(lead), path)
        assert "cannot be finished as it is" in shown
        assert f"{people[0].called}: 1 issue, by taking up what they passed on" in shown
        assert "Who could help" not in words(browser_of(observer), path)
        assert "cannot be finished as it is" in words(browser_of(observer), path)
    assert "cannot be finished" not in words(browser_of(people[0]), address(lead, "round"))
