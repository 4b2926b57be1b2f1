"""Discussions on their pages: staying and taking by one press, what the lead ends, and what is overdue."""

from collections.abc import Callable

import pytest
from django.test import Client

from labeling.models import Decision, DiscussionEnd, Member, Revision, Role, Round
from labeling.services.decisions import accept
from labeling.services.discussions import end_discussion
from labeling.services.settling import give_opinion, stay
from tests.labeling.factories import make_member
from tests.labeling.test_discussions import Discussed
from tests.labeling.test_settling import HANG, Conflict
from tests.labeling.web.settling import address

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


@pytest.fixture
def conflict() -> Conflict:
    return Conflict(rule=Round.Rule.DISCUSSION)


def test_a_voter_stays_or_takes_an_answer_by_one_press(conflict: Conflict, browser_of: BrowserOf) -> None:
    browser = browser_of(conflict.second)
    text = browser.get(address(conflict)).content.decode()
    assert ('data-press="s"' in text, 'data-press="a"' in text, 'data-press="b"' in text) == (True, True, False)
    sent = browser.post(address(conflict, "axis-take", "symptom"), {"voter": "A", "revision": "0"})
    assert sent.headers["Location"].endswith("#axis-symptom")
    browser.post(address(conflict, "axis-stay", "symptom"))
    kinds = Revision.objects.filter(member=conflict.second).values_list("kind", "versions__node__code")
    assert list(kinds.order_by("pk")) == [("take", "hang"), ("stay", "hang")]
    assert "Now (stays)" in browser.get(address(conflict)).content.decode()


def test_a_letter_that_nobody_has_is_refused(conflict: Conflict, browser_of: BrowserOf) -> None:
    sent = browser_of(conflict.first).post(address(conflict, "axis-take", "symptom"), {"voter": "Z"}, follow=True)
    assert "Nobody with this letter" in sent.content.decode()
    assert not Revision.objects.exists()


def test_the_keys_mean_only_what_still_waits_for_the_reader(conflict: Conflict, browser_of: BrowserOf) -> None:
    browser = browser_of(conflict.first)
    assert "data-asked" in browser.get(address(conflict)).content.decode()
    stay(member=conflict.first, item=conflict.item, axis=conflict.symptom)
    assert "data-asked" not in browser.get(address(conflict)).content.decode()


def test_who_did_not_vote_is_not_offered_to_choose(conflict: Conflict, browser_of: BrowserOf) -> None:
    for member in (conflict.lead, make_member(conflict.round.project, Role.OBSERVER)):
        assert 'class="choose"' not in browser_of(member).get(address(conflict)).content.decode()


def test_the_lead_ends_a_discussion_and_takes_it_back(conflict: Conflict, browser_of: BrowserOf) -> None:
    browser = browser_of(conflict.lead)
    assert "End the discussion" in browser.get(address(conflict)).content.decode()
    page = browser.post(address(conflict, "axis-end", "symptom"), follow=True).content.decode()
    assert "The lead ended the discussion" in page
    assert 'class="choose"' not in browser_of(conflict.first).get(address(conflict)).content.decode()
    page = browser.post(address(conflict, "axis-resume", "symptom"), follow=True).content.decode()
    assert "Waits for" in page
    assert DiscussionEnd.objects.get().taken_back_by == conflict.lead


def test_the_queue_says_whom_discussions_wait_for_and_its_lead_ends_them(
    conflict: Conflict, browser_of: BrowserOf
) -> None:
    browser, queue = browser_of(conflict.lead), address(conflict, "disagreements")
    stay(member=conflict.first, item=conflict.item, axis=conflict.symptom)
    text = browser.get(queue).content.decode()
    assert conflict.second.called in text
    assert "End 1 discussion" not in browser_of(conflict.first).get(queue).content.decode()
    page = browser.post(address(conflict, "end-discussions"), follow=True).content.decode()
    assert "1 discussion is ended" in page
    assert "0 discussions wait for somebody" in page


def test_the_lead_changes_the_days_of_a_discussion(conflict: Conflict, browser_of: BrowserOf) -> None:
    browser = browser_of(conflict.lead)
    page = browser.post(address(conflict, "discussion-days"), {"days": "9"}, follow=True).content.decode()
    assert "Due 9 days after" in page
    browser.post(address(conflict, "discussion-days"), {"days": "many"})
    assert Round.objects.get(pk=conflict.round.pk).discussion_days == 9
    browser.post(address(conflict, "discussion-days"), {"days": ""})
    assert Round.objects.get(pk=conflict.round.pk).discussion_days is None


def test_overdue_discussions_are_on_the_queue_and_on_the_desk(browser_of: BrowserOf) -> None:
    discussed = Discussed("hang", "crash")
    slug, names = discussed.round.project.slug, [member.pseudonym for member in discussed.people]
    adjudicator = make_member(discussed.round.project, Role.ADJUDICATOR)
    desk, queue = f"/labeling/{slug}/adjudication/?show=stalled", f"/labeling/{slug}/rounds/1/disagreements/"
    assert "No discussion is overdue" in browser_of(adjudicator).get(desk).content.decode()
    discussed.outdate(8)
    assert "overdue:" in browser_of(discussed.lead).get(f"{queue}?state=stalled").content.decode()
    text = browser_of(adjudicator).get(desk).content.decode()
    assert "Waits for your first opinion, too" in text
    assert not any(name in text for name in names)
    give_opinion(adjudicator=adjudicator, item=discussed.item, axis=discussed.axis, choice=HANG)
    accept(lead=discussed.lead, round_=discussed.round, how=Decision.How.UNANIMOUS)
    text = browser_of(adjudicator).get(desk).content.decode()
    assert all(name in text for name in names)
    end_discussion(lead=discussed.lead, item=discussed.item, axis=discussed.axis)
    assert "No discussion is overdue" in browser_of(adjudicator).get(desk).content.decode()
