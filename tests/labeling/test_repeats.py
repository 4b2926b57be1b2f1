"""Repeats: when an annotator meets an issue of their own again, and what becomes of the second answer."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from labeling.ballots import Ballot, content_of, hash_of
from labeling.models import Item, Member, Repeat, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.samples import shuffled
from labeling.selectors import visible
from labeling.selectors.places import Prospect
from labeling.selectors.pseudonyms import pseudonyms
from labeling.selectors.repeats import due_after, work_standing
from labeling.services.cloning import clone_project
from labeling.services.dropping import drop_item
from labeling.services.preparation import Plan, plan_round
from labeling.services.repeats import next_work, save_repeat, skip_repeat, submit_repeat
from labeling.services.rounds import close_round
from labeling.services.voting import IncompleteError, OutdatedError, take_back
from tests.labeling.factories import cast, make_ballot, make_member, make_open_round, make_project
from tests.labeling.racing import at_once

pytestmark = pytest.mark.django_db
EMPTY = hash_of(Ballot({}, 0))


def a_round(issues: int = 8, **settings: Any) -> tuple[Round, Member]:
    """An open round in which everybody meets two issues again, each after three others; and its annotator."""
    usual: dict[str, Any] = {"repeats": 2, "repeats_after": 3, "votes_wanted": 1}
    round_, (member,) = make_open_round(annotators=1, issues=issues, **usual | settings)
    return round_, member


def due(round_: Round, member: Member) -> Repeat:
    """The issue that the member meets again, after enough votes."""
    for _ in range(4):
        cast(member, round_)
    work = next_work(member=member, round_=round_)
    assert isinstance(work, Repeat)
    return work


def item_of(repeat: Repeat) -> Item:
    return repeat.vote.item


def answer(member: Member, repeat: Repeat, **fields: Any) -> Repeat:
    return submit_repeat(member=member, item=item_of(repeat), ballot=make_ballot(**fields))


class TestWhen:
    def test_the_first_comes_after_as_many_others_as_the_round_says(self) -> None:
        round_, member = a_round()
        for _ in range(3):
            cast(member, round_)
            assert isinstance(next_work(member=member, round_=round_), Slot)
        repeat = due(*a_round())
        assert repeat.due_after == 4

    def test_it_lies_far_enough_back(self) -> None:
        round_, member = a_round()
        assert item_of(due(round_, member)).position == 1

    def test_the_others_follow_spread_out_and_there_are_no_more_than_the_round_says(self) -> None:
        round_, member = a_round(issues=12)
        met = []
        for votes in range(1, 13):
            cast(member, round_)
            work = next_work(member=member, round_=round_)
            if isinstance(work, Repeat):
                met.append(votes)
                answer(member, work)
        assert met == [4, 5]
        assert [due_after(round_, offered) for offered in range(2)] == [4, 5]

    def test_what_is_left_comes_when_there_are_no_new_issues(self) -> None:
        round_, member = a_round(issues=5, repeats=3, repeats_after=2)
        for _ in range(5):
            cast(member, round_)
        assert work_standing(member=member, round_=round_).prospect is Prospect.NEXT
        met = 0
        while isinstance(work := next_work(member=member, round_=round_), Repeat):
            answer(member, work)
            met += 1
        assert (met, work) == (3, None)
        assert work_standing(member=member, round_=round_).prospect is Prospect.DONE

    def test_none_where_the_round_asks_for_none_or_too_few_votes_lie_between(self) -> None:
        for settings in ({"repeats": 0}, {"repeats_after": 5}):
            round_, member = a_round(issues=5, **settings)
            for _ in range(5):
                cast(member, round_)
            assert next_work(member=member, round_=round_) is None

    def test_it_stays_the_next_thing_until_it_is_answered(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        assert next_work(member=member, round_=round_) == repeat
        answer(member, repeat)
        assert isinstance(next_work(member=member, round_=round_), Slot)

    def test_an_issue_that_is_being_worked_on_comes_first(self) -> None:
        round_, member = a_round()
        for _ in range(3):
            cast(member, round_)
        held = next_work(member=member, round_=round_)
        assert next_work(member=member, round_=round_) == held

    def test_the_rounds_seed_draws_it_so_that_a_release_tells_which_it_was(self) -> None:
        round_, member = a_round(issues=12, repeats=1, repeats_after=2, order_seed="seed")
        for _ in range(12):
            cast(member, round_)
        votes = Vote.objects.order_by("submitted_at", "pk")[:10].select_related("item__issue")
        work = next_work(member=member, round_=round_)
        assert isinstance(work, Repeat)
        pseudonym = pseudonyms(project_id=round_.project_id)[member.pk]
        order = shuffled([vote.item.subject.url for vote in votes], f"seed\nagain\n{pseudonym}")
        assert item_of(work).subject.url == order[0]

    def test_dropped_issues_do_not_come_again(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        lead = Member.objects.exclude(pk=member.pk).earliest("pk")
        drop_item(lead=lead, item=item_of(repeat), reason="Empty.")
        assert isinstance(next_work(member=member, round_=round_), Slot)
        with pytest.raises(RefusedError, match="dropped"):
            answer(member, repeat)


class TestAnswering:
    def test_it_is_no_vote(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        answer(member, repeat, symptom=("crash",), confidence=1)
        repeat.refresh_from_db()
        assert repeat.content["choices"]["symptom"]["codes"] == ["crash"]
        assert Vote.objects.count() == 4
        assert not Vote.objects.filter(answers__nodes__version__node__code="crash").exists()

    def test_it_is_checked_like_a_vote(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        with pytest.raises(IncompleteError):
            submit_repeat(member=member, item=item_of(repeat), ballot=Ballot({}, confidence=0))

    def test_the_same_again_is_the_same_and_another_is_refused(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        assert answer(member, repeat).submitted_at == answer(member, repeat).submitted_at
        with pytest.raises(RefusedError, match="differs"):
            answer(member, repeat, kind="question")

    def test_what_is_filled_in_is_kept(self) -> None:
        round_, member = a_round()
        item = item_of(due(round_, member))
        content = content_of(make_ballot())
        save_repeat(member=member, item=item, content=dict(content), active_seconds=1, bases=[EMPTY])
        assert Repeat.objects.get().content == content
        with pytest.raises(OutdatedError):
            save_repeat(member=member, item=item, content={"note": "another tab"}, active_seconds=0)
        base = hash_of(make_ballot())
        save_repeat(member=member, item=item, content={"note": "this tab"}, active_seconds=0, bases=[base])

    def test_skipping_counts_and_asks_for_a_reason(self) -> None:
        round_, member = a_round(repeats=1)
        repeat = due(round_, member)
        with pytest.raises(RefusedError, match="why"):
            skip_repeat(member=member, item=item_of(repeat), reason=" ")
        skip_repeat(member=member, item=item_of(repeat), reason="I know it by heart.")
        assert isinstance(next_work(member=member, round_=round_), Slot)
        with pytest.raises(RefusedError):
            answer(member, repeat)

    def test_it_ends_with_the_round(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        close_round(lead=Member.objects.exclude(pk=member.pk).earliest("pk"), round_=round_)
        with pytest.raises(RefusedError, match="takes no votes"):
            answer(member, repeat)

    def test_another_persons_cannot_be_answered(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        other = make_member(member.project)
        with pytest.raises(RefusedError, match="not reserved for you"):
            answer(other, repeat)

    def test_an_answer_never_changes(self) -> None:
        round_, member = a_round()
        answer(member, due(round_, member))
        with pytest.raises(DatabaseError), transaction.atomic():
            Repeat.objects.update(content={})


class TestTheFirstVote:
    def test_is_out_of_sight_while_the_issue_is_answered_again(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        assert not visible.votes(member=member).filter(pk=repeat.vote_id).exists()
        answer(member, repeat)
        assert visible.votes(member=member).filter(pk=repeat.vote_id).exists()

    def test_cannot_be_taken_back_any_more(self) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        with pytest.raises(RefusedError, match="second time"):
            take_back(member=member, vote=repeat.vote)


class TestPages:
    def test_the_ballot_looks_like_any_other_and_the_next_issue_follows(self, client: Client) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        client.force_login(member.user)
        slug, position = member.project.slug, item_of(repeat).position
        response = client.post(reverse("labeling:next", args=[slug, round_.number]))
        address = reverse("labeling:again", args=[slug, round_.number, position])
        assert response.headers["Location"] == address
        page = client.get(address).content.decode()
        assert 'id="ballot"' in page
        assert "checked" not in page.split('id="ballot"')[1].split("</form>")[0]
        assert "again" not in page.replace(address, "").casefold().split("<main")[1].split("</main>")[0].replace(
            "submit it again", ""
        )
        sent = {"axis-symptom": "hang", "axis-issue_type": "bug", "confidence": "3", "bases": EMPTY}
        response = client.post(address, sent)
        assert response.status_code == 302
        assert "/label" in response.headers["Location"]
        assert Repeat.objects.get().submitted_at
        # Nothing is left to do there.
        assert client.get(address).headers["Location"].endswith("/label")

    def test_what_is_missing_is_told_and_nothing_is_lost(self, client: Client) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        client.force_login(member.user)
        address = reverse("labeling:again", args=[member.project.slug, round_.number, item_of(repeat).position])
        response = client.post(address, {"axis-symptom": "crash", "bases": EMPTY})
        assert "Not submitted yet" in response.content.decode()
        assert Repeat.objects.get().submitted_at is None
        draft = address + "/draft"
        bases = {"bases": EMPTY}
        assert client.post(draft, {"note": "so far", **bases}, headers={"accept": "application/json"}).json()["hash"]
        assert "so far" in client.get(address).content.decode()
        refused = client.post(draft, {"note": "else", **bases}, headers={"accept": "application/json"})
        assert (refused.status_code, refused.json()["entries"]) == (409, [["note", "so far"]])
        assert client.post(address + "/time", {"active": "5"}).status_code == 204

    def test_it_can_be_skipped(self, client: Client) -> None:
        round_, member = a_round()
        repeat = due(round_, member)
        client.force_login(member.user)
        address = reverse("labeling:again", args=[member.project.slug, round_.number, item_of(repeat).position])
        response = client.post(address + "/pass", {"kind": "skip", "reason": "I know it."}, follow=True)
        assert "Skipped" in response.content.decode()
        assert Repeat.objects.get().skip_reason == "I know it."


@pytest.mark.django_db(transaction=True)
def test_two_tabs_give_one_answer() -> None:
    round_, member = a_round()
    repeat = due(round_, member)
    address = reverse("labeling:again", args=[member.project.slug, round_.number, item_of(repeat).position])

    def send(symptom: str) -> Callable[[Client], int]:
        sent = {"axis-symptom": symptom, "axis-issue_type": "bug", "confidence": "3", "bases": EMPTY}
        return lambda client: client.post(address, sent).status_code

    statuses = at_once([(member, send("hang")), (member, send("crash"))], held=member)
    assert statuses == [302, 302]
    repeat.refresh_from_db()
    assert repeat.content["choices"]["symptom"]["codes"] == ["hang"]
    assert Vote.objects.count() == 4


def test_a_clone_begins_with_the_repeats_of_the_round_planned_last() -> None:
    lead = make_project()
    plan_round(lead=lead, plan=Plan(kind=Round.Kind.PILOT, name="Pilot", votes_wanted=1, repeats=5, repeats_after=30))
    lead.refresh_from_db()
    copy = clone_project(lead=lead, name="Again", question="Still?")
    copy.project.refresh_from_db()
    assert (copy.project.repeats, copy.project.repeats_after) == (5, 30)


@pytest.mark.parametrize("settings", [{"repeats": 101}, {"repeats": 1, "repeats_after": 0}])
def test_a_round_asks_for_few_repeats(settings: dict[str, Any]) -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match="repeated"):
        plan_round(lead=lead, plan=Plan(kind=Round.Kind.PILOT, name="Pilot", votes_wanted=1, **settings))
