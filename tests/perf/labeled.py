"""Rounds as large as real ones, for benchmarks: thousands of issues and their votes, written in bulk.

What is written is what the services would write; they are not asked, since a hundred thousand answers would take them
half an hour.
"""

import random
from collections.abc import Sequence

from django.db import connection

from kb.models import Axis, Issue
from labeling.models import Answer, AnswerNode, Item, Member, NodeVersion, Role, Round, Slot, Vote
from labeling.selectors.codebooks import AxisNodes, frozen_axes
from labeling.services.codebooks import adopt_axes
from labeling.services.people import found_project
from labeling.services.rounds import fill_round, open_round, prepare_round
from tests.labeling.factories import make_founder, make_member
from tests.support.factories import make_repository

AT_ONCE = 5_000
RIGHT = 5 / 6
LOG = "\n".join(f"[rank{rank % 8}]: step {rank}: all_reduce took {rank * 7} ms on stream 7" for rank in range(40))
BODY = f"### What happens\n\nIt **hangs** in `forward` after some steps.\n\n```\n{LOG}\n```\n\n- torch 2.5\n- 2 nodes\n"


def make_large_round(*, issues: int, votes: int, annotators: int) -> tuple[Member, Round, list[Member]]:
    """An open round of the house codebook over reports with logs: its lead, itself, and who labels it."""
    lead = found_project(user=make_founder(), slug="bench", name="Bench", question="What goes wrong?")
    adopt_axes(lead=lead, axes=list(Axis.objects.filter(scheme__slug="house")))
    people = [make_member(lead.project, Role.ANNOTATOR) for _ in range(annotators)]
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=votes)
    urls = make_reports(issues)
    fill_round(lead=lead, round_=round_, urls=urls, sample={"kind": "urls"})
    return lead, open_round(lead=lead, round_=round_), people


def make_reports(number: int) -> list[str]:
    """Issues with logs in their texts; their addresses."""
    repository = make_repository("bench/bench", "deepspeed")
    made = Issue.objects.bulk_create(
        Issue(
            repository=repository, ref=str(place), url=f"{repository.url}/issues/{place}", kind="issue",
            title=f"It hangs on {place} nodes", body=f"{BODY}\nReport {place}.",
        )
        for place in range(1, number + 1)
    )  # fmt: skip
    return [issue.url for issue in made]


def cast_votes(round_: Round, people: Sequence[Member], *, share: float = 1) -> None:
    """Votes on the first `share` of the round's issues: each of the people in the place of their number.

    On each axis there is a right answer, which five of six votes give.
    """
    chance = random.Random(2_000)  # noqa: S311 - the same votes each time
    items = list(Item.objects.filter(round=round_).order_by("position"))
    items = items[: round(len(items) * share)]
    for number, member in enumerate(people, start=1):
        Slot.objects.filter(item__in=items, number=number).update(member=member)
    who = {number: member.pk for number, member in enumerate(people, start=1)}
    slots = Slot.objects.filter(item__in=items, member__isnull=False).order_by("number", "item")
    made = Vote.objects.bulk_create(
        (
            Vote(
                slot=slot, item_id=slot.item_id, member_id=who[slot.number], codebook_id=round_.codebook_id,
                guideline_id=round_.guideline_id, confidence=3, active_seconds=chance.randrange(20, 400),
                receipt=f"{slot.pk:012X}",
            )
            for slot in slots
        ),
        batch_size=AT_ONCE,
    )  # fmt: skip
    axes = frozen_axes(codebook_id=round_.codebook_id)
    right = {item.pk: [chance.choice(one.versions) for one in axes] for item in items}
    for start in range(0, len(made), AT_ONCE):
        _answer(made[start : start + AT_ONCE], axes, right, chance)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE labeling_item, labeling_slot, labeling_vote, labeling_answer, labeling_answernode")


def _answer(
    votes: Sequence[Vote], axes: Sequence[AxisNodes], right: dict[int, list[NodeVersion]], chance: random.Random
) -> None:
    answers = Answer.objects.bulk_create(Answer(vote=vote, axis=one.axis) for vote in votes for one in axes)
    versions = [
        right[vote.item_id][place] if chance.random() < RIGHT else chance.choice(one.versions)
        for vote in votes
        for place, one in enumerate(axes)
    ]
    AnswerNode.objects.bulk_create(
        AnswerNode(answer=answer, axis_id=answer.axis_id, several=version.axis_id in _several(axes), version=version)
        for answer, version in zip(answers, versions, strict=True)
    )


def _several(axes: Sequence[AxisNodes]) -> set[int]:
    return {one.axis.pk for one in axes if one.axis.several}
