"""Gold answers: the right answers to chosen issues of a round, given by somebody who does not label it.

To annotators these issues are like any other, and their votes on them count as all votes do.
"""

from collections.abc import Collection, Mapping

from django.db import transaction
from django.db.models import F

from labeling.ballots import Choice, number_in
from labeling.models import AuditEntry, GoldAnswer, Item, Member, ProjectAxis, Round, Vote
from labeling.refusals import RefusedError
from labeling.samples import shuffled
from labeling.selectors.gold import may_give
from labeling.selectors.subjects import Subject, subject_of
from labeling.services import audit
from labeling.services.people import require_at_work
from labeling.services.rounds import MOST_ITEMS, add_items, locked_round, require_mirrored
from labeling.services.settling import chosen_versions

MOST_REASON = 2_000
# Positions are moved out of one another's way by more than a round has issues.
OUT_OF_THE_WAY = 10 * MOST_ITEMS


@transaction.atomic
def give_gold(*, member: Member, item: Item, answers: Mapping[ProjectAxis, Choice], reason: str) -> None:
    """Give an issue its gold answers, in place of those that it has."""
    round_ = require_giver(member, item.round)
    _replace(member, item, answers, _required(reason))
    audit.record(by=member, kind=AuditEntry.Kind.GOLD, round_=round_, detail="on 1 issue")


@transaction.atomic
def give_many(
    *, member: Member, round_: Round, answers: Mapping[Item, Mapping[ProjectAxis, Choice]], reason: str
) -> dict[Item, str]:
    """Give several issues their gold answers. Returns those that got none, with the reasons."""
    round_ = require_giver(member, round_)
    reason = _required(reason)
    refused: dict[Item, str] = {}
    for item, choices in answers.items():
        try:
            with transaction.atomic():
                _replace(member, item, choices, reason)
        except RefusedError as error:
            refused[item] = str(error)
    if number := len(answers) - len(refused):
        detail = f"on {number:,} issue{'' if number == 1 else 's'}, from a file"
        audit.record(by=member, kind=AuditEntry.Kind.GOLD, round_=round_, detail=detail)
    return refused


@transaction.atomic
def take_out_gold(*, member: Member, item: Item) -> None:
    """Take an issue's gold answers out: it is then like any other."""
    round_ = require_giver(member, item.round)
    if not GoldAnswer.objects.filter(item=item).delete()[0]:
        raise RefusedError("This issue has no gold answers.")
    audit.record(by=member, kind=AuditEntry.Kind.NOT_GOLD, round_=round_, detail="on 1 issue")


@transaction.atomic
def mix_in(*, lead: Member, round_: Round, subjects: Collection[Subject]) -> int:
    """Add these issues and own items to a draft round, and shuffle its sample. Returns how many were not there yet.

    Otherwise their places would tell annotators which they are.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    number = round_.items.count()
    if not number or "filling" in round_.sample:
        raise RefusedError("Give the round its other issues first; then those with known answers are mixed in.")
    there = set(map(subject_of, round_.items.only("issue", "own")))
    added = sorted(set(subjects) - there)
    if not added:
        return 0
    require_mirrored(added, project=round_.project)
    if number + len(added) > MOST_ITEMS:
        raise RefusedError(f"A round has at most {MOST_ITEMS:,} issues.")
    add_items(round_, added, number)
    _shuffle(round_)
    sample = round_.sample | {"gold": round_.sample.get("gold", 0) + len(added)}
    Round.objects.filter(pk=round_.pk).update(sample=sample)
    return len(added)


def _shuffle(round_: Round) -> None:
    items = {item.snapshot.content["url"] or str(item.pk): item for item in round_.items.select_related("snapshot")}
    round_.items.update(position=F("position") + OUT_OF_THE_WAY)
    for position, address in enumerate(shuffled(items, f"{round_.order_seed}\ngold"), start=1):
        items[address].position = position
    Item.objects.bulk_update(items.values(), ["position"], batch_size=1_000)


def require_giver(member: Member, round_: Round) -> Round:
    """The round as it is now. Raises RefusedError unless the member may give gold answers in it."""
    require_at_work(member)
    round_ = Round.objects.get(pk=round_.pk)
    if round_.project_id != member.project_id:
        raise RefusedError("This round belongs to another project.")
    if not may_give(member=member, round_=round_):
        raise RefusedError("Gold answers are given by a lead or adjudicator who does not label the round.")
    if round_.state == Round.State.CLOSED:
        raise RefusedError(f"The round “{round_.name}” is closed: its gold answers stay as they are.")
    return round_


def _replace(member: Member, item: Item, answers: Mapping[ProjectAxis, Choice], reason: str) -> None:
    # A vote, a release or a drop under way holds the item, and is waited for.
    item = Item.objects.select_for_update(of=("self",)).select_related("round__codebook").get(pk=item.pk)
    if item.released_at or item.dropped_at:
        raise RefusedError("Gold answers come before the votes are released, and not to an issue that was dropped.")
    if Vote.objects.filter(item=item, member=member).exists():
        raise RefusedError("You voted on this issue: let somebody else give its gold answers.")
    if not answers:
        raise RefusedError("Answer at least one question.")
    chosen = {axis: chosen_versions(item, axis, choice) for axis, choice in answers.items()}
    GoldAnswer.objects.filter(item=item).delete()
    for axis, versions in chosen.items():
        answer = GoldAnswer.objects.create(
            item=item, axis=axis, given_by=member, is_undecidable=answers[axis].is_undecidable,
            number=number_in(answers[axis].text), reason=reason,
        )  # fmt: skip
        answer.versions.set(versions)


def _required(reason: str) -> str:
    if not 0 < len(reason.strip()) <= MOST_REASON:
        raise RefusedError(f"Say in at most {MOST_REASON:,} characters how these answers are known to be right.")
    return reason.strip()
