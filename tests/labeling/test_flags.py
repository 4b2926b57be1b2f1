"""A lead answers a flag: the annotator sees the answer, and the issue returns to them or is dropped."""

import pytest
from django.db import IntegrityError, transaction

from labeling.models import Item, Member, Notice, Pass, Role, Round
from labeling.refusals import GoneError, RefusedError
from labeling.selectors.flags import answers_to, open_flags
from labeling.selectors.to_do import to_do
from labeling.services.assignment import next_slot, pass_item
from labeling.services.dropping import put_back
from labeling.services.flags import answer_flag
from tests.labeling.factories import cast_on, make_member, make_open_round, take

pytestmark = pytest.mark.django_db
RETURNED, DROPPED = Pass.Outcome.RETURNED, Pass.Outcome.DROPPED


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def flagged(member: Member, round_: Round) -> Pass:
    return pass_item(member=member, item=take(member, round_).item, kind=Pass.Kind.FLAG, reason="Two faults?")


def test_a_returned_issue_is_the_annotators_next_one() -> None:
    round_, (first, second) = make_open_round(issues=2, votes_wanted=1)
    flag = flagged(first, round_)
    answer_flag(lead=lead_of(round_), flag=flag, answer="Label the first.", outcome=RETURNED)
    assert take(second, round_).item_id != flag.item_id
    assert take(first, round_).item_id == flag.item_id
    assert [one.answer for one in answers_to(member=first)] == ["Label the first."]
    assert not answers_to(member=second).exists()


def test_a_returned_issue_whose_places_are_taken_stays_with_the_others() -> None:
    round_, (first, second) = make_open_round(votes_wanted=1)
    flag = flagged(first, round_)
    cast_on(second, flag.item)
    answer_flag(lead=lead_of(round_), flag=flag, answer="Label the first.", outcome=RETURNED)
    assert next_slot(member=first, round_=round_) is None


def test_a_dropped_issue_has_its_public_reason_and_comes_back_to_who_flagged_it() -> None:
    round_, (first, _) = make_open_round()
    flag = flagged(first, round_)
    answer_flag(lead=lead_of(round_), flag=flag, answer="Right.", outcome=DROPPED, drop_reason="Two faults.")
    item = Item.objects.get()
    assert item.drop_reason == "Two faults."
    assert next_slot(member=first, round_=round_) is None
    put_back(lead=lead_of(round_), item=item)
    assert take(first, round_).item_id == item.pk


def test_whoever_flagged_it_is_told_of_the_answer() -> None:
    round_, (first, _) = make_open_round(annotators=2)
    answer_flag(lead=lead_of(round_), flag=flagged(first, round_), answer="No.", outcome=RETURNED)
    assert Notice.objects.get(kind=Notice.Kind.ANSWER).member == first


def test_a_flag_is_answered_once_and_with_words() -> None:
    round_, (first, _) = make_open_round()
    flag, lead = flagged(first, round_), lead_of(round_)
    with pytest.raises(RefusedError, match="in a sentence"):
        answer_flag(lead=lead, flag=flag, answer=" ", outcome=RETURNED)
    with pytest.raises(RefusedError, match="Say why"):
        answer_flag(lead=lead, flag=flag, answer="Right.", outcome=DROPPED)
    assert to_do(members=[lead])[lead.pk].flagged == 1
    answer_flag(lead=lead, flag=flag, answer="Label it.", outcome=RETURNED)
    assert to_do(members=[lead])[lead.pk].flagged == 0
    assert not open_flags(member=lead, round_=round_).exists()
    with pytest.raises(RefusedError, match="closed already"):
        answer_flag(lead=lead, flag=flag, answer="Label it.", outcome=RETURNED)


def test_a_lead_who_labels_neither_sees_nor_answers_others_flags() -> None:
    round_, (first, _) = make_open_round()
    flag = flagged(first, round_)
    lead = make_member(round_.project, Role.LEAD, Role.ANNOTATOR)
    assert not open_flags(member=lead, round_=round_).exists()
    with pytest.raises(GoneError, match="no such flag"):
        answer_flag(lead=lead, flag=flag, answer="Label it.", outcome=RETURNED)


def test_a_skipped_issue_has_no_answer() -> None:
    round_, (first, _) = make_open_round()
    skip = pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.SKIP, reason="Mine.")
    with pytest.raises(GoneError):
        answer_flag(lead=lead_of(round_), flag=skip, answer="Label it.", outcome=RETURNED)


def test_postgres_refuses_half_an_answer() -> None:
    round_, (first, _) = make_open_round()
    flag = flagged(first, round_)
    with pytest.raises(IntegrityError, match="pass_answered_flag_is_whole"), transaction.atomic():
        Pass.objects.filter(pk=flag.pk).update(answer="Label it.")
