"""Questions of a project's own: made, answered, kept by the database, settled, and never published unless mapped."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from labeling.ballots import Ballot, Choice
from labeling.models import (
    Answer,
    AnswerNode,
    Decision,
    Item,
    Job,
    NodeVersion,
    ProjectAxis,
    ProjectNode,
    Role,
)
from labeling.refusals import RefusedError
from labeling.selectors.adjudication import asked_axes
from labeling.selectors.codebooks import axes_of
from labeling.selectors.settling_to_do import settling
from labeling.selectors.visible import sees_votes_on
from labeling.services.codebooks import add_questions
from labeling.services.decisions import accept, adjudicate
from labeling.services.mapping import map_nodes
from labeling.services.publication_requests import ask_for_publication
from labeling.services.settling import give_opinion
from labeling.services.voting import as_content, take_back
from tests.labeling.factories import make_axes, make_member, make_round
from tests.labeling.own_questions import HOURS, QUESTIONS, WHO, WORDS, at_work, ballot, found, vote, voted
from tests.labeling.results.builders import do, issues_of, lead_of, published

pytestmark = pytest.mark.django_db


def test_a_project_can_ask_questions_of_its_own_alone() -> None:
    lead = found(*QUESTIONS)
    axes = axes_of(codebook=lead.project.codebooks.get())
    assert [(each.axis.code, each.axis.kind, each.axis.axis_id) for each in axes] == [
        (question.code, question.kind, None) for question in QUESTIONS
    ]
    assert [version.node.code for version in axes[2].versions] == ["mild", "bad", "fatal"]


def test_questions_can_be_added_until_somebody_votes() -> None:
    first, member = at_work(WHO)
    lead = lead_of(first)
    add_questions(lead=lead, questions=[HOURS])
    second = make_round(lead, name="Next", is_open=False)
    assert [len(axes_of(codebook=round_.codebook)) for round_ in (first, second)] == [1, 2]
    vote(member, first, Ballot({"noticed": Choice(("user",))}, confidence=3))
    with pytest.raises(RefusedError, match="There are votes already"):
        add_questions(lead=lead, questions=[WORDS])


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        ({"hours": Choice(text="two")}, "is not a number"),
        ({"hours": Choice()}, "enter a number"),
        ({"lesson": Choice(text=" ")}, "write an answer"),
        ({"lesson": Choice(text="?")}, "in words, please"),
        ({"lesson": Choice(("user",))}, "no answers to choose from"),
        ({"severity": Choice(("mild", "bad"))}, "only one answer"),
        ({"noticed": Choice(text="user")}, "no question for words"),
        ({"hours": Choice(is_undecidable=True, text="2")}, "either answer"),
    ],
)
def test_an_answer_that_is_not_of_its_kind_is_refused(choices: dict[str, Any], problem: str) -> None:
    round_, member = at_work(*QUESTIONS)
    with pytest.raises(RefusedError, match=problem):
        vote(member, round_, ballot(**choices))


def test_a_vote_taken_back_is_the_ballot_as_it_was_typed() -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot(hours="2.50"))
    before = as_content(row)
    assert Answer.objects.get(vote=row, axis__code="hours").number == Decimal("2.5")
    assert take_back(member=member, vote=row).content == before
    assert before["choices"]["hours"]["text"] == "2.50"


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("noticed", {"text": "user"}),
        ("noticed", {"number": 1}),
        ("hours", {"text": "two"}),
        ("hours", {}),
        ("hours", {"text": "2", "number": 2, "is_undecidable": True}),
        ("lesson", {"text": ""}),
        ("lesson", {"text": "2", "number": 2}),
    ],
)
def test_the_database_holds_answers_to_their_kind(code: str, fields: dict[str, object]) -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot())
    axis = ProjectAxis.objects.get(project=round_.project, code=code)
    Answer.objects.filter(vote=row, axis=axis).delete()
    with pytest.raises(IntegrityError, match="does not look like this"), transaction.atomic():
        Answer.objects.create(vote=row, axis=axis, **fields)


def test_the_database_keeps_nodes_and_kinds_apart() -> None:
    round_, member = at_work(*QUESTIONS)
    row = vote(member, round_, ballot())
    hours = ProjectAxis.objects.get(project=round_.project, code="hours")
    with pytest.raises(IntegrityError, match="has no nodes"), transaction.atomic():
        ProjectNode.objects.create(axis=hours, code="two")
    with pytest.raises(IntegrityError, match="keeps its kind"), transaction.atomic():
        ProjectAxis.objects.filter(pk=hours.pk).update(kind="text")
    severity = Answer.objects.get(vote=row, axis__code="severity")
    other = NodeVersion.objects.get(node__code="fatal", axis=severity.axis)
    with pytest.raises(IntegrityError, match="answernode_only_one"), transaction.atomic():
        AnswerNode.objects.create(answer=severity, axis=severity.axis, several=False, version=other)


def test_equal_numbers_agree_however_they_are_typed_and_texts_are_never_settled() -> None:
    round_ = voted([(ballot(hours="2.50", lesson="Yes."), ballot(hours="2.5", lesson="No."))])
    accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS)
    decided = {decision.axis.code: decision for decision in Decision.objects.select_related("axis")}
    assert set(decided) == {"noticed", "touched", "severity", "hours"}
    assert decided["hours"].number == Decimal("2.5")


def test_numbers_that_differ_are_adjudicated() -> None:
    round_ = voted([(ballot(hours="2"), ballot(hours="7"))])
    judge = make_member(round_.project, Role.ADJUDICATOR)
    item, axis = Item.objects.get(round=round_), ProjectAxis.objects.get(project=round_.project_id, code="hours")
    give_opinion(adjudicator=judge, item=item, axis=axis, choice=Choice(text="6.5"))
    decision = adjudicate(
        adjudicator=judge,
        item=item,
        axis=axis,
        choice=Choice(text="7.0"),
        cause=Decision.Cause.SLIP,
        reason="It says 7.",
    )
    assert (decision.number, decision.support) == (Decimal(7), 1)
    lesson = ProjectAxis.objects.get(project=round_.project_id, code="lesson")
    with pytest.raises(RefusedError, match="stand side by side"):
        give_opinion(adjudicator=judge, item=item, axis=lesson, choice=Choice(text="So it is."))


def test_an_adjudicator_sees_votes_once_every_question_that_is_settled_has_their_opinion() -> None:
    """A text wants none, nor does a question that a later codebook asks."""
    round_ = voted([(ballot(hours="2"), ballot(hours="7"))])
    judge = make_member(round_.project, Role.ADJUDICATOR)
    item = Item.objects.get(round=round_)
    asked = asked_axes(adjudicator=judge, items=[item.pk])[item.pk]
    assert [axis.code for axis in asked] == ["noticed", "touched", "severity", "hours"]
    later = ProjectAxis.objects.create(
        project=round_.project, code="later", name="Later", kind="number", several=False, position=9, since=2
    )
    given = ballot().choices
    for axis in asked:
        assert not sees_votes_on(member=judge, item=item)
        assert settling(members=[judge])[judge.pk].opinions == 1
        give_opinion(adjudicator=judge, item=item, axis=axis, choice=given[axis.code])
    assert later not in asked
    assert sees_votes_on(member=judge, item=item)
    assert settling(members=[judge])[judge.pk].opinions == 0


def test_nothing_of_it_is_published() -> None:
    round_ = voted([(ballot(), ballot())])
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    with pytest.raises(RefusedError, match="nothing to publish"):
        ask_for_publication(lead=lead)


def test_what_is_mapped_is_published_as_the_house_nodes() -> None:
    make_axes()
    round_ = voted([(ballot("user"), ballot("user"))])
    lead = lead_of(round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    who = ProjectAxis.objects.get(project=lead.project, code="noticed")
    map_nodes(lead=lead, axis=who, wanted={"user": "issue_type/question", "test": ""})
    assert do(lead, Job.Kind.PUBLISH).state == Job.State.DONE
    assert published(issues_of(round_)[0]) == {"question"}


@pytest.mark.parametrize(
    ("code", "wanted", "problem"),
    [
        ("noticed", {"user": "symptom/fire"}, "is no category of the house codebook"),
        ("noticed", {"user": "symptom/hang", "test": "issue_type/bug"}, "Map a question to one house axis"),
        ("touched", {"disk": "issue_type/bug"}, "takes several answers"),
        ("noticed", {"user": "symptom/hang"}, "gets one answer"),
        ("hours", {}, "Only answers to a question"),
    ],
)
def test_a_mapping_that_would_answer_twice_is_refused(code: str, wanted: dict[str, str], problem: str) -> None:
    make_axes()
    lead = found(*QUESTIONS)
    axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=lead.project)}
    if problem == "gets one answer":
        map_nodes(lead=lead, axis=axes["touched"], wanted={"disk": "symptom/crash"})
    with pytest.raises(RefusedError, match=problem):
        map_nodes(lead=lead, axis=axes[code], wanted=wanted)
