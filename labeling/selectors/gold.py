"""Who gives the gold answers of a round, and those that a member may see; the results by them are in `quality`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from labeling.models import GoldAnswer, Item, Member, Role, Round
from labeling.selectors import visible
from labeling.selectors.codebooks import AxisNodes, frozen_axes
from labeling.selectors.places import labels


@dataclass(frozen=True)
class GoldItem:
    """An issue of a round, with its gold answers in words by question, their reasons, and who gave them."""

    item: Item
    answers: Sequence[tuple[str, str]]
    reasons: Sequence[str]
    by: Sequence[Member]


def may_give(*, member: Member, round_: Round) -> bool:
    """Whether the member may give gold answers in the round: a lead or adjudicator who does not label it."""
    if not member.has(Role.LEAD, Role.ADJUDICATOR):
        return False
    return not (member.has(Role.ANNOTATOR) and labels(member=member, round_=round_))


def sample_is_told(*, member: Member, round_: Round) -> bool:
    """Whether the member may know how the sample was drawn: with gold mixed in, it tells annotators which those are."""
    is_open = round_.state == Round.State.OPEN
    return not (is_open and round_.sample.get("gold") and member.has(Role.ANNOTATOR))


def gold_on(*, member: Member, item: Item) -> QuerySet[GoldAnswer]:
    """The gold answers on an item that the member may see."""
    answers = visible.gold_answers(member=member).filter(item=item)
    return answers.select_related("axis", "given_by__user").prefetch_related("versions__node")


def askable_axes(*, round_: Round) -> list[AxisNodes]:
    """The questions of the round that have a right answer: those in words have none."""
    return [nodes for nodes in frozen_axes(codebook_id=round_.codebook_id) if nodes.axis.is_settled]


def round_items(*, round_: Round) -> QuerySet[Item]:
    """The round's items, with their texts, in the order of the sample."""
    return Item.objects.filter(round=round_).select_related("snapshot").order_by("position")


def with_gold(*, member: Member, items: Sequence[Item]) -> list[GoldItem]:
    """The items with the gold answers on them that the member may see; four statements."""
    by_item: dict[int, list[GoldAnswer]] = {}
    answers = visible.gold_answers(member=member).filter(item__in=items).order_by("axis__position")
    for answer in answers.select_related("axis", "given_by__user").prefetch_related("versions__node"):
        by_item.setdefault(answer.item_id, []).append(answer)
    rows = []
    for item in items:
        given = by_item.get(item.pk, ())
        rows.append(
            GoldItem(
                item=item,
                answers=[(answer.axis.name, in_words(answer)) for answer in given],
                reasons=list(dict.fromkeys(answer.reason for answer in given)),
                by=list({answer.given_by_id: answer.given_by for answer in given}.values()),
            )
        )
    return rows


def gold_count(*, member: Member, round_: Round) -> int:
    """On how many of the round's issues the member sees gold answers."""
    return visible.gold_answers(member=member).filter(item__round=round_).values("item").distinct().count()


def in_words(answer: GoldAnswer) -> str:
    """The answer as people read it. Its `versions` should be prefetched."""
    if answer.is_undecidable:
        return "The report does not say"
    return answer.number_text or ", ".join(version.name for version in answer.versions.all())
