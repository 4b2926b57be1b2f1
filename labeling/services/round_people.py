"""Who labels an open round: adding people, removing them, replacing one by another, handing places over.

Votes stay with whoever cast them. Places without a vote go to the person named, where they may take them, else they are
free for everybody. The person who gives is locked, so that a vote of theirs under way is waited for, and stays theirs.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from labeling.models import AuditEntry, Member, Pass, Role, Round, Slot, Suggestion
from labeling.refusals import RefusedError
from labeling.selectors.rounds import annotators_of
from labeling.services import audit
from labeling.services.rounds import locked_round


@dataclass(frozen=True)
class Moved:
    """How many places without a vote are kept for the taker now, and how many are free for everybody."""

    kept: int
    free: int


@transaction.atomic
def add_annotators(*, lead: Member, round_: Round, people: Sequence[Member]) -> None:
    """Let more annotators label an open round for which some were chosen."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    if not round_.annotators.exists():
        raise RefusedError("All annotators of the project label this round, also those who join later.")
    if not people:
        raise RefusedError("Choose somebody to add.")
    for person in _locked(round_, people):
        round_.annotators.add(_annotator(person))
        _record(lead, round_, person, "added")


@transaction.atomic
def remove_annotator(*, lead: Member, round_: Round, person: Member) -> Moved:
    """Take somebody out of an open round; from then on only those who are listed label it."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    (person,) = _locked(round_, [person])
    _exchange(round_, person, None)
    _record(lead, round_, person, "taken out")
    return _hand_on(round_, person, None)


@transaction.atomic
def replace_annotator(*, lead: Member, round_: Round, person: Member, by: Member) -> Moved:
    """Put another annotator of the project in somebody's place, with all their places that have no vote."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    person, by = _two(round_, person, by)
    _exchange(round_, person, _annotator(by))
    _record(lead, round_, person, f"replaced by {by.pseudonym}")
    return _hand_on(round_, person, by)


@transaction.atomic
def hand_over(*, lead: Member, round_: Round, person: Member, to: Member) -> Moved:
    """Hand somebody's places that have no vote to another annotator of the round; both go on labeling it."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    person, to = _two(round_, person, to)
    if not annotators_of(round_=round_).filter(pk=to.pk).exists():
        raise RefusedError(f"{to.called} does not label this round. Add them first.")
    _record(lead, round_, person, f"places handed to {to.pseudonym}")
    return _hand_on(round_, person, to)


def _record(lead: Member, round_: Round, person: Member, detail: str) -> None:
    audit.record(by=lead, kind=AuditEntry.Kind.ANNOTATORS, about=person, round_=round_, detail=detail)


def _locked(round_: Round, people: Collection[Member]) -> list[Member]:
    """The people, locked after the round, in the order of their keys, as everywhere: else two leads could deadlock."""
    members = Member.objects.select_for_update(of=("self",)).select_related("user").order_by("pk")
    locked = list(members.filter(pk__in=[person.pk for person in people], project=round_.project_id))
    if len(locked) < len({person.pk for person in people}):
        raise RefusedError("This person belongs to another project.")
    return locked


def _two(round_: Round, first: Member, second: Member) -> tuple[Member, Member]:
    if first.pk == second.pk:
        raise RefusedError("Choose two different people.")
    by_key = {member.pk: member for member in _locked(round_, [first, second])}
    return by_key[first.pk], by_key[second.pk]


def _annotator(person: Member) -> Member:
    if not person.has(Role.ANNOTATOR):
        raise RefusedError(f"{person.called} is no annotator of this project. Give them the role first.")
    return person


def _exchange(round_: Round, person: Member, by: Member | None) -> None:
    """Make `by`, or nobody, label the round in the person's place. Raises RefusedError where they do not label it."""
    chosen = {member.pk for member in round_.annotators.all() or annotators_of(round_=round_)}
    if person.pk not in chosen:
        raise RefusedError(f"{person.called} does not label this round.")
    chosen.remove(person.pk)
    if by is not None:
        chosen.add(by.pk)
    round_.annotators.set(chosen)
    if not chosen or not annotators_of(round_=round_).exists():
        raise RefusedError("Nobody would label this round. Add or replace somebody, or close the round.")


def _hand_on(round_: Round, giver: Member, taker: Member | None) -> Moved:
    own = Q(member=giver) | Q(only_for=giver)
    slots = Slot.objects.select_for_update(of=("self",)).filter(own, item__round=round_, vote=None).order_by("pk")
    shut = _shut_items(round_, taker) if taker else set()
    changed, kept = list(slots), 0
    for slot in changed:
        slot.member = slot.reserved_until = slot.only_for = None
        if taker and slot.item_id not in shut and (taker.is_senior or not slot.for_senior):
            slot.only_for = taker
            kept += 1
    Slot.objects.bulk_update(changed, ["member", "reserved_until", "only_for"])
    return Moved(kept, len(changed) - kept)


def _shut_items(round_: Round, member: Member) -> set[int]:
    """The items on which the member has a place already, with a vote or not, which they passed on, or saw assisted."""
    own = Q(member=member) | Q(only_for=member)
    places = Slot.objects.filter(own, item__round=round_).values_list("item", flat=True)
    passes = Pass.objects.filter(member=member, item__round=round_, taken_back_at=None).values_list("item", flat=True)
    shown = Suggestion.objects.filter(member=member, item__round=round_).values_list("item", flat=True)
    return {*places, *passes, *shown}
