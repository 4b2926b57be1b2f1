"""Preparing rounds: what a plan has to be, what it may still become, and throwing it away."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from labeling.models import Exclusion, Item, Member, ProjectNode, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.rounds import annotators_of, obstacles
from labeling.services.codebooks import write_guideline
from labeling.services.people import leave
from labeling.services.preparation import Plan, change_plan, discard_round, move_deadline, plan_round
from labeling.services.rounds import open_round
from tests.labeling.factories import make_member, make_open_round, make_project, make_round

pytestmark = pytest.mark.django_db


def plan(**fields: Any) -> Plan:
    values: dict[str, Any] = {"kind": Round.Kind.MAIN, "name": "Main", "votes_wanted": 2}
    return Plan(**values | fields)


def node(lead: Member, code: str) -> ProjectNode:
    return ProjectNode.objects.get(axis__project=lead.project, code=code)


def yesterday() -> dt.date:
    return timezone.now().date() - dt.timedelta(days=1)


def test_a_round_is_prepared_as_planned() -> None:
    lead = make_project()
    chosen = make_member(lead.project)
    made = plan_round(
        lead=lead,
        plan=plan(kind=Round.Kind.SCREENING, annotators=[chosen], excluding=[node(lead, "question")], votes_wanted=1),
    )
    assert (made.state, made.number, made.kind) == ("draft", 1, "screening")
    assert list(annotators_of(round_=made)) == [chosen]
    assert [one.code for one in made.excluding.all()] == ["question"]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"name": " "}, "a name"),
        ({"votes_wanted": 0}, "between 1 and"),
        ({"votes_wanted": 31}, "between 1 and"),
        ({"seniors_wanted": 3}, "more senior votes"),
        ({"hold_minutes": 0}, "between one minute"),
        ({"deadline": yesterday()}, "has passed"),
        ({"gate_measure": "alpha"}, "three parts"),
        ({"kind": Round.Kind.SCREENING}, "by which a vote excludes"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, Any], says: str) -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match=says):
        plan_round(lead=lead, plan=plan(**fields))
    assert not Round.objects.exists()


def test_only_annotators_of_the_project_are_chosen() -> None:
    lead = make_project()
    gone = make_member(lead.project)
    leave(member=gone)
    for somebody in (lead, gone, make_member(make_project().project)):
        with pytest.raises(RefusedError, match="Only annotators"):
            plan_round(lead=lead, plan=plan(annotators=[somebody]))


def test_only_a_screening_excludes_and_only_by_its_own_codebook() -> None:
    lead, other = make_project(), make_project()
    with pytest.raises(RefusedError, match="Only a screening"):
        plan_round(lead=lead, plan=plan(excluding=[node(lead, "question")]))
    with pytest.raises(RefusedError, match="newest codebook"):
        plan_round(lead=lead, plan=plan(kind=Round.Kind.SCREENING, excluding=[node(other, "question")]))


def test_a_gate_is_an_earlier_round_of_the_same_project() -> None:
    lead, other = make_project(), make_project()
    elsewhere = plan_round(lead=other, plan=plan())
    first = plan_round(lead=lead, plan=plan())
    second = plan_round(lead=lead, plan=plan(gate_round=first, gate_measure="alpha", gate_at_least=0.7))
    for gate in (elsewhere, second):
        with pytest.raises(RefusedError, match="Only an earlier round"):
            change_plan(lead=lead, round_=first, plan=plan(gate_round=gate, gate_measure="alpha", gate_at_least=0.7))
    with pytest.raises(RefusedError, match="at most 1"):
        plan_round(lead=lead, plan=plan(gate_round=first, gate_measure="alpha", gate_at_least=70))


def test_a_changed_plan_takes_the_newest_guidelines() -> None:
    lead = make_project()
    made = plan_round(lead=lead, plan=plan())
    newest = write_guideline(lead=lead, text="Read the thread.")
    changed = change_plan(lead=lead, round_=made, plan=plan(name="Main sample", votes_wanted=3))
    changed.refresh_from_db()
    assert (changed.name, changed.votes_wanted, changed.guideline) == ("Main sample", 3, newest)


def test_an_opened_rounds_plan_stands() -> None:
    round_, _ = make_open_round()
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    for refused in (
        lambda: change_plan(lead=lead, round_=round_, plan=plan()),
        lambda: discard_round(lead=lead, round_=round_),
    ):
        with pytest.raises(RefusedError, match="open for votes"):
            refused()


def test_only_leads_prepare() -> None:
    lead = make_project()
    annotator = make_member(lead.project)
    made = plan_round(lead=lead, plan=plan())
    for refused in (
        lambda: plan_round(lead=annotator, plan=plan()),
        lambda: change_plan(lead=annotator, round_=made, plan=plan()),
        lambda: discard_round(lead=annotator, round_=made),
        lambda: move_deadline(lead=annotator, round_=made, deadline=None),
    ):
        with pytest.raises(RefusedError, match="Only somebody who is lead"):
            refused()


def test_a_round_that_was_never_opened_can_be_thrown_away() -> None:
    lead = make_project()
    made = make_round(lead, issues=2, is_open=False)
    gated = plan_round(lead=lead, plan=plan(gate_round=made, gate_measure="alpha", gate_at_least=0.7))
    with pytest.raises(RefusedError, match="as its gate"):
        discard_round(lead=lead, round_=made)
    discard_round(lead=lead, round_=gated)
    discard_round(lead=lead, round_=made)
    assert not Round.objects.exists()
    assert not Item.objects.exists()


def test_a_deadline_moves_while_the_round_is_open() -> None:
    round_, _ = make_open_round()
    lead = Member.objects.get(project=round_.project, roles__contains=[Role.LEAD])
    tomorrow = timezone.now().date() + dt.timedelta(days=1)
    move_deadline(lead=lead, round_=round_, deadline=tomorrow)
    round_.refresh_from_db()
    assert round_.deadline == tomorrow
    with pytest.raises(RefusedError, match="has passed"):
        move_deadline(lead=lead, round_=round_, deadline=yesterday())


def test_everything_that_keeps_a_round_shut_is_told_at_once() -> None:
    lead = make_project()
    first = make_round(lead, is_open=False)
    second = plan_round(lead=lead, plan=plan(gate_round=first, gate_measure="alpha", gate_at_least=0.7))
    found = obstacles(round_=second)
    assert [text.split(":")[0][:14] for text in found] == ["This round has", "The round “Mai", "Every issue ne"]
    with pytest.raises(RefusedError, match=r"has no issues yet.*comes first.*Every issue needs 2"):
        open_round(lead=lead, round_=second)


def test_postgres_keeps_gates_and_excluding_answers_in_the_rounds_own_project() -> None:
    lead, stranger = make_project(), make_project()
    made, theirs = plan_round(lead=lead, plan=plan()), plan_round(lead=stranger, plan=plan())
    gate = {"gate_round": theirs, "gate_measure": "alpha", "gate_at_least": 0.7}
    with pytest.raises(IntegrityError, match="round_gate_is_of_project"), checked_at_once():
        Round.objects.filter(pk=made.pk).update(**gate)
    node = ProjectNode.objects.filter(axis__project=stranger.project).select_related("axis")[0]
    mine = ProjectNode.objects.filter(axis__project=lead.project).select_related("axis")[0]
    for project, axis, chosen, match in (
        (stranger.project, node.axis, node, "exclusion_round_is_of_project"),
        (lead.project, node.axis, node, "exclusion_axis_is_of_project"),
        (lead.project, mine.axis, node, "exclusion_node_is_on_axis"),
    ):
        with pytest.raises(IntegrityError, match=match), checked_at_once():
            Exclusion.objects.create(round=made, project=project, axis=axis, node=chosen)
    Exclusion.objects.create(round=made, project=lead.project, axis=mine.axis, node=mine)
    assert list(made.excluding.all()) == [mine]


@contextmanager
def checked_at_once() -> Iterator[None]:
    """A transaction whose deferred constraints are asked at its end."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        yield


def test_excluding_answers_follow_a_changed_plan_and_go_with_the_round() -> None:
    lead = make_project()
    bug, question = ProjectNode.objects.filter(axis__project=lead.project, axis__code="issue_type").order_by("code")
    made = plan_round(lead=lead, plan=plan(kind=Round.Kind.SCREENING, excluding=[question]))
    assert set(made.excluding.all()) == {question}
    change_plan(lead=lead, round_=made, plan=plan(kind=Round.Kind.SCREENING, excluding=[bug, question]))
    assert set(made.excluding.all()) == {bug, question}
    change_plan(lead=lead, round_=made, plan=plan(kind=Round.Kind.SCREENING, excluding=[bug]))
    assert set(made.excluding.all()) == {bug}
    discard_round(lead=lead, round_=made)
    assert not Exclusion.objects.exists()
