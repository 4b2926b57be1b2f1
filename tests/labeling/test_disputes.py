"""Where votes differ and whom that waits for; what is accepted at once; two who decide at the same time."""

import threading
from typing import Any

import pytest
from django.db import connection

from kb.models import Issue
from labeling.models import (
    Acceptance,
    Answer,
    AnswerNode,
    Decision,
    Item,
    Member,
    NodeVersion,
    ProjectAxis,
    Role,
    Round,
    Slot,
    Snapshot,
    Vote,
)
from labeling.refusals import RefusedError
from labeling.selectors.acceptance import preview
from labeling.selectors.disputes import Waits, all_disputes, disputes, standing
from labeling.selectors.effects import discussion_effects, round_causes
from labeling.services.decisions import accept, adjudicate, reopen, reopen_acceptance
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion, revise, stay
from tests.labeling.factories import cast, issue_of, make_member, make_open_round
from tests.labeling.test_settling import CRASH, HANG, Conflict, bytes_of_votes, lead_of

pytestmark = pytest.mark.django_db
Symptoms = tuple[tuple[str, ...], ...]


def voted(*symptoms: tuple[str, ...], **settings: Any) -> tuple[Round, list[Member]]:
    """A closed round on one issue with these votes on its symptom."""
    round_, people = make_open_round(annotators=len(symptoms), votes_wanted=len(symptoms), **settings)
    for member, symptom in zip(people, symptoms, strict=True):
        cast(member, round_, symptom=symptom)
    close_round(lead=lead_of(round_), round_=round_)
    return round_, people


def waits(round_: Round) -> list[Waits]:
    return [one.waits for one in disputes(member=lead_of(round_), round_=round_)]


@pytest.mark.parametrize(
    ("symptoms", "rule", "whom"),
    [
        ((("hang",), ("hang",)), Round.Rule.MAJORITY, []),
        ((("hang", "crash"), ("crash", "hang")), Round.Rule.MAJORITY, []),
        ((("hang", "crash"), ("hang",)), Round.Rule.MAJORITY, [Waits.LEAD]),
        ((("hang",), ("hang",), ("crash",)), Round.Rule.MAJORITY, [Waits.LEAD]),
        ((("hang",), ("crash",)), Round.Rule.MAJORITY, [Waits.ADJUDICATOR]),
        ((("hang",), ("hang",), ("crash",)), Round.Rule.UNANIMOUS, [Waits.ADJUDICATOR]),
        ((("hang",), ("hang",), ("crash",)), Round.Rule.THIRD_EXPERT, [Waits.ADJUDICATOR]),
        ((("hang",), ("hang",), ("crash",)), Round.Rule.DISCUSSION, [Waits.ANNOTATORS]),
    ],
)
def test_differing_votes_wait_for_whom_the_rule_says(symptoms: Symptoms, rule: Round.Rule, whom: list[Waits]) -> None:
    round_, _ = voted(*symptoms, rule=rule)
    assert waits(round_) == whom
    assert standing(member=lead_of(round_)).agreed[round_.number].open == 2 - len(whom)


def test_a_discussion_waits_until_the_revised_votes_decide_or_all_have_spoken() -> None:
    round_, (first, second) = voted(("hang",), ("crash",), rule=Round.Rule.DISCUSSION)
    item, axis = Item.objects.get(round=round_), ProjectAxis.objects.get(project=round_.project, code="symptom")
    revise(member=first, item=item, axis=axis, choice=HANG)
    (one,) = disputes(member=first, round_=round_)
    assert (one.waits, one.missing) == (Waits.ANNOTATORS, frozenset({second.pk}))
    revise(member=second, item=item, axis=axis, choice=CRASH)
    assert waits(round_) == [Waits.ADJUDICATOR]
    revise(member=second, item=item, axis=axis, choice=HANG)
    assert waits(round_) == [Waits.LEAD]
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.DISCUSSION)
    assert waits(round_) == [Waits.NOBODY]


def test_a_preview_says_what_accepting_then_does() -> None:
    round_, _ = voted(("hang",), ("hang",), ("crash",))
    Round.objects.filter(pk=round_.pk).update(votes_wanted=4)
    round_.refresh_from_db()
    lead = lead_of(round_)
    found = preview(member=lead, round_=round_, how=Decision.How.MAJORITY)
    assert found is not None
    assert (found.axes, found.few) == ({"symptom": 1, "issue_type": 1}, 2)
    assert accept(lead=lead, round_=round_, how=Decision.How.MAJORITY) == found.total
    after = preview(member=lead, round_=round_, how=Decision.How.MAJORITY)
    assert after is not None
    assert after.total == 0


def test_an_acceptance_is_reopened_as_one_but_for_what_was_reopened_before() -> None:
    round_, _ = voted(("hang",), ("hang",))
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    reopen(member=lead, decision=Decision.objects.earliest("pk"), reason="That one is wrong.")
    acceptance = Acceptance.objects.get()
    assert reopen_acceptance(lead=lead, acceptance=acceptance, reason="Too early.") == 1
    assert set(Decision.objects.values_list("reopened_because", flat=True)) == {"That one is wrong.", "Too early."}
    with pytest.raises(RefusedError, match="in force any more"):
        reopen_acceptance(lead=lead, acceptance=acceptance, reason="Again.")
    with pytest.raises(RefusedError, match="another project"):
        reopen_acceptance(lead=lead_of(make_open_round()[0]), acceptance=acceptance, reason="Mine.")
    assert accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS) == 2


def many_votes(number: int) -> Round:
    """A closed round of so many issues with two equal votes each, written in bulk."""
    round_, people = make_open_round(issues=1)
    one = issue_of(Item.objects.get(round=round_))
    issues = Issue.objects.bulk_create(
        Issue(repository_id=one.repository_id, ref=f"9{place}", url=f"{one.url}9{place}", kind=one.kind)
        for place in range(2, number + 1)
    )
    snapshots = Snapshot.objects.bulk_create(Snapshot(issue=one, text_hash="x", content={}) for one in issues)
    items = Item.objects.bulk_create(
        Item(round=round_, issue_id=one.issue_id, snapshot=one, position=place)
        for place, one in enumerate(snapshots, start=2)
    )
    slots = Slot.objects.bulk_create(
        Slot(item=item, number=place, member=member) for item in items for place, member in enumerate(people, start=1)
    )
    votes = Vote.objects.bulk_create(
        Vote(slot=slot, item_id=slot.item_id, member=member, codebook=round_.codebook, confidence=3,
             receipt=f"R{slot.pk}")
        for slot, member in zip(slots, people * len(items), strict=True)
    )  # fmt: skip
    versions = {axis: NodeVersion.objects.filter(axis=axis).earliest("pk") for axis in round_.project.axes.all()}
    answers = Answer.objects.bulk_create(Answer(vote=vote, axis=axis) for vote in votes for axis in versions)
    AnswerNode.objects.bulk_create(
        AnswerNode(answer=one, axis=one.axis, several=one.axis.several, version=versions[one.axis]) for one in answers
    )
    close_round(lead=lead_of(round_), round_=round_)
    return round_


def test_thousands_are_accepted_in_a_few_statements(django_assert_max_num_queries: Any) -> None:
    round_ = many_votes(1_501)
    before = bytes_of_votes()
    with django_assert_max_num_queries(25):
        assert accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS) == 3_000
    with django_assert_max_num_queries(10):
        reopen_acceptance(lead=lead_of(round_), acceptance=Acceptance.objects.get(), reason="Too early.")
    assert bytes_of_votes() == before


@pytest.mark.django_db(transaction=True)
def test_of_two_adjudicators_at_once_one_decides_and_the_other_is_told() -> None:
    conflict = Conflict()
    people = [conflict.adjudicator, make_member(conflict.round.project, Role.ADJUDICATOR)]
    for member in people:
        give_opinion(adjudicator=member, item=conflict.item, axis=conflict.symptom, choice=HANG)
    said: list[str] = []
    start = threading.Barrier(2)

    def decide(member: Member) -> None:
        start.wait(timeout=30)
        try:
            adjudicate(
                adjudicator=member, item=conflict.item, axis=conflict.symptom, choice=HANG,
                cause=Decision.Cause.SLIP, reason="It hangs.",
            )  # fmt: skip
            said.append("done")
        except RefusedError as refused:
            said.append(str(refused))
        finally:
            connection.close()

    threads = [threading.Thread(target=decide, args=(member,)) for member in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(said) == ["This is decided. A lead can reopen it, with a reason.", "done"]
    assert Decision.objects.count() == 1


def test_an_adjudicators_list_tells_of_items_and_nothing_else() -> None:
    conflict = Conflict()
    assert disputes(member=conflict.adjudicator) == []
    assert [one.item for one in all_disputes(project_id=conflict.round.project_id)] == [conflict.item.pk]


def test_effects_count_what_moved_and_leave_the_blind_numbers() -> None:
    conflict = Conflict(rule=Round.Rule.DISCUSSION)
    revise(member=conflict.second, item=conflict.item, axis=conflict.symptom, choice=HANG)
    changes = {one.axis: one for one in discussion_effects(member=conflict.lead, round_=conflict.round)}
    symptom = changes["symptom"]
    assert (symptom.issues, symptom.moved) == (1, 1)
    assert [one.value for one in symptom.percent] == [0.0, 1.0]
    assert changes["issue_type"].moved == 0
    accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
    assert discussion_effects(member=conflict.adjudicator, round_=conflict.round) == []
    stay(member=conflict.first, item=conflict.item, axis=conflict.symptom)
    conflict.opine()
    conflict.adjudicate()
    (causes,) = round_causes(member=conflict.lead, round_=conflict.round)
    assert (causes.axis, causes.causes, causes.total) == ("Symptom", (("The guidelines have a gap", 1),), 1)
