"""Settling disagreements: what was voted blind stays byte for byte; an adjudicator thinks first and looks later."""

from typing import Any

import pytest
from django.core import serializers
from django.db import DatabaseError, IntegrityError, transaction

from labeling.ballots import Choice
from labeling.models import Answer, AnswerNode, Decision, Item, Member, Opinion, ProjectAxis, Role, Round, Vote
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.votes import outcomes
from labeling.services.decisions import accept, adjudicate, reopen
from labeling.services.rounds import close_round
from labeling.services.settling import give_opinion, revise, say, stay
from tests.labeling.factories import cast, make_ballot, make_member, make_open_round

pytestmark = pytest.mark.django_db
HANG, CRASH = Choice(("hang",)), Choice(("crash",))


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def bytes_of_votes() -> str:
    rows: list[Any] = [*Vote.objects.all(), *Answer.objects.all(), *AnswerNode.objects.all()]
    return str(serializers.serialize("json", rows))


class Conflict:
    """One released issue on whose symptom two annotators differ, while they agree on its type."""

    def __init__(self, **settings: Any) -> None:
        self.round, (self.first, self.second) = make_open_round(**settings)
        cast(self.first, self.round, symptom=("hang",), note="see rank 3")
        cast(self.second, self.round, symptom=("crash",))
        self.lead = lead_of(self.round)
        close_round(lead=self.lead, round_=self.round)
        self.item = Item.objects.get(round=self.round)
        self.symptom = ProjectAxis.objects.get(project=self.round.project, code="symptom")
        self.kind = ProjectAxis.objects.get(project=self.round.project, code="issue_type")
        self.adjudicator = make_member(self.round.project, Role.ADJUDICATOR)

    def opine(self, choice: Choice = HANG) -> Opinion:
        return give_opinion(adjudicator=self.adjudicator, item=self.item, axis=self.symptom, choice=choice)

    def adjudicate(self, **fields: Any) -> Decision:
        values: dict[str, Any] = {
            "choice": HANG,
            "cause": Decision.Cause.GUIDELINE,
            "reason": "The process never ended.",
        }
        return adjudicate(adjudicator=self.adjudicator, item=self.item, axis=self.symptom, **values | fields)


@pytest.fixture
def conflict() -> Conflict:
    return Conflict()


def test_settling_leaves_the_blind_votes_byte_for_byte(conflict: Conflict) -> None:
    before = bytes_of_votes()
    seen_before = outcomes(member=conflict.lead, round_=conflict.round)
    say(member=conflict.first, item=conflict.item, axis=conflict.symptom, text="Nothing ever ended.")
    revise(member=conflict.second, item=conflict.item, axis=conflict.symptom, choice=HANG)
    accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
    conflict.opine()
    decision = conflict.adjudicate()
    reopen(member=conflict.lead, decision=decision, reason="The reporter answered.")
    assert bytes_of_votes() == before
    assert outcomes(member=conflict.lead, round_=conflict.round) == seen_before


def test_unanimous_answers_are_accepted_in_bulk_once(conflict: Conflict) -> None:
    assert accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS) == 1
    assert accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS) == 0
    decision = Decision.objects.get()
    assert (decision.axis.code, decision.votes, decision.support) == ("issue_type", 2, 2)
    assert [version.node.code for version in decision.versions.all()] == ["bug"]


def test_a_majority_decides_only_where_that_is_the_rule() -> None:
    round_, people = make_open_round(annotators=3, votes_wanted=3, rule=Round.Rule.UNANIMOUS)
    for member, symptom in zip(people, ("hang", "hang", "crash"), strict=True):
        cast(member, round_, symptom=(symptom,))
    close_round(lead=lead_of(round_), round_=round_)
    with pytest.raises(RefusedError, match="“Unanimous”"):
        accept(lead=lead_of(round_), round_=round_, how=Decision.How.MAJORITY)
    Round.objects.filter(pk=round_.pk).update(rule=Round.Rule.MAJORITY)
    round_.refresh_from_db()
    assert accept(lead=lead_of(round_), round_=round_, how=Decision.How.MAJORITY) == 2


def test_after_discussion_the_revised_votes_decide() -> None:
    conflict = Conflict(rule=Round.Rule.DISCUSSION)
    assert accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.DISCUSSION) == 1
    revise(member=conflict.second, item=conflict.item, axis=conflict.symptom, choice=CRASH)
    revise(member=conflict.second, item=conflict.item, axis=conflict.symptom, choice=HANG)
    stay(member=conflict.first, item=conflict.item, axis=conflict.symptom)
    assert accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.DISCUSSION) == 1
    decision = Decision.objects.get(axis=conflict.symptom)
    assert [version.node.code for version in decision.versions.all()] == ["hang"]


def test_an_adjudicator_sees_votes_and_discussion_only_after_an_opinion_on_all_that_is_open(conflict: Conflict) -> None:
    say(member=conflict.first, item=conflict.item, axis=conflict.symptom, text="Nothing ever ended.")
    conflict.opine()
    assert not visible.votes(member=conflict.adjudicator).exists()
    accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
    assert visible.votes(member=conflict.adjudicator).count() == 2
    assert visible.posts(member=conflict.adjudicator).count() == 1
    assert list(visible.released_items(member=conflict.adjudicator)) == [conflict.item]


def test_an_adjudicator_decides_after_a_first_opinion_that_stays(conflict: Conflict) -> None:
    with pytest.raises(RefusedError, match="first opinion before"):
        conflict.adjudicate()
    opinion = conflict.opine(CRASH)
    with pytest.raises(RefusedError, match="cannot be changed"):
        conflict.opine(HANG)
    decision = conflict.adjudicate()
    assert [version.node.code for version in opinion.versions.all()] == ["crash"]
    assert (decision.votes, decision.support, decision.cause) == (2, 1, "guideline")
    with pytest.raises(RefusedError, match="is decided"):
        conflict.adjudicate()


def test_a_decision_needs_a_reason_where_it_leaves_the_first_opinion_and_an_answer_of_the_codebook(
    conflict: Conflict,
) -> None:
    conflict.opine()
    with pytest.raises(RefusedError, match="Give the reason"):
        conflict.adjudicate(choice=CRASH, reason=" ")
    with pytest.raises(RefusedError, match="not in this round's codebook"):
        conflict.adjudicate(choice=Choice(("explosion",)))


def test_a_first_opinion_that_somebody_voted_for_needs_no_reason(conflict: Conflict) -> None:
    conflict.opine()
    assert conflict.adjudicate(reason="").reason == ""


def test_an_answer_that_nobody_voted_for_needs_a_reason(conflict: Conflict) -> None:
    conflict.opine(Choice(is_undecidable=True))
    with pytest.raises(RefusedError, match="nobody voted for it"):
        conflict.adjudicate(choice=Choice(is_undecidable=True), reason="")
    with pytest.raises(IntegrityError, match="decision_unvoted_with_reason"), transaction.atomic():
        Decision.objects.create(
            item=conflict.item, axis=conflict.symptom, how=Decision.How.ADJUDICATION, votes=2, support=0,
            adjudicator=conflict.adjudicator, cause=Decision.Cause.SLIP,
        )  # fmt: skip


def test_the_reason_of_an_equal_first_opinion_stands(conflict: Conflict) -> None:
    give_opinion(
        adjudicator=conflict.adjudicator, item=conflict.item, axis=conflict.symptom, choice=HANG, reason="It waits."
    )
    assert conflict.adjudicate(reason="").reason == "It waits."


def test_who_voted_on_an_issue_does_not_adjudicate_it(conflict: Conflict) -> None:
    Member.objects.filter(pk=conflict.first.pk).update(roles=[Role.ANNOTATOR, Role.ADJUDICATOR])
    conflict.first.refresh_from_db()
    with pytest.raises(RefusedError, match="someone else"):
        give_opinion(adjudicator=conflict.first, item=conflict.item, axis=conflict.symptom, choice=HANG)
    with pytest.raises(IntegrityError, match="may not adjudicate"), transaction.atomic():
        Decision.objects.create(
            item=conflict.item, axis=conflict.symptom, how=Decision.How.ADJUDICATION, votes=2, support=1,
            adjudicator=conflict.first, cause=Decision.Cause.SLIP, reason="I was right.",
        )  # fmt: skip


def test_nothing_is_discussed_or_decided_before_release() -> None:
    round_, (first, _) = make_open_round()
    item = cast(first, round_).item
    axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
    with pytest.raises(RefusedError, match="still blind"):
        say(member=first, item=item, axis=axis, text="I think it hangs.")
    with pytest.raises(RefusedError, match="waits for votes"):
        give_opinion(adjudicator=make_member(round_.project, Role.ADJUDICATOR), item=item, axis=axis, choice=HANG)
    assert accept(lead=lead_of(round_), round_=round_, how=Decision.How.UNANIMOUS) == 0
    with pytest.raises(IntegrityError, match="after its release"), transaction.atomic():
        Decision.objects.create(item=item, axis=axis, how=Decision.How.UNANIMOUS, votes=1, support=1)


def test_only_who_voted_revises_and_strangers_say_nothing(conflict: Conflict) -> None:
    other = make_member(conflict.round.project)
    with pytest.raises(RefusedError, match="Only annotators who voted"):
        revise(member=other, item=conflict.item, axis=conflict.symptom, choice=HANG)
    with pytest.raises(RefusedError, match="annotators who voted on this issue discuss it"):
        say(member=other, item=conflict.item, axis=conflict.symptom, text="Me too.")
    stranger = make_open_round()[1][0]
    with pytest.raises(RefusedError, match="another project"):
        say(member=stranger, item=conflict.item, axis=conflict.symptom, text="Hello.")


def test_a_reopened_decision_stays_in_the_history_and_another_follows(conflict: Conflict) -> None:
    conflict.opine()
    first = conflict.adjudicate()
    with pytest.raises(RefusedError, match="Say why"):
        reopen(member=conflict.adjudicator, decision=first, reason="")
    reopen(member=conflict.adjudicator, decision=first, reason="New evidence.")
    second = conflict.adjudicate(choice=CRASH)
    assert list(Decision.objects.filter(axis=conflict.symptom)) == [first, second]
    with pytest.raises(RefusedError, match="lead"):
        reopen(member=conflict.second, decision=second, reason="I disagree.")


def test_postgres_refuses_to_change_or_delete_a_decision(conflict: Conflict) -> None:
    accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Decision.objects.update(support=1)
    with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
        Decision.objects.all().delete()


def test_a_vote_after_release_is_refused_whoever_writes_it(conflict: Conflict) -> None:
    late = make_member(conflict.round.project)
    with pytest.raises(RefusedError):
        cast(late, conflict.round, **vars(make_ballot()))
