"""Rounds: creating them, giving them their issues, opening and closing them, and changing how many votes they want."""

import itertools
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection, transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from kb.models import Issue
from labeling.arms import Held
from labeling.models import MOST_VOTES, AuditEntry, Codebook, Guideline, Item, Member, Project, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.samples import Sample
from labeling.selectors.readers import assisted_places
from labeling.selectors.round_progress import lacking_items
from labeling.selectors.rounds import obstacles
from labeling.selectors.subjects import Subject, subject_of, subjects
from labeling.services import audit
from labeling.services.notices import tell_of_opening
from labeling.services.people import require, require_at_work
from labeling.services.pseudonyms import make_key
from labeling.services.snapshots import snapshots_of

MOST_ITEMS = 100_000
BATCH = 500
MANY = 200
SEED_BYTES = 8


@transaction.atomic
def prepare_round(*, lead: Member, kind: Round.Kind, name: str, **settings: Any) -> Round:
    """Create a draft round with the newest codebook and guidelines; `settings` are further columns of `Round`."""
    require(lead, Role.LEAD)
    require_at_work(lead)
    project = Project.objects.select_for_update().get(pk=lead.project_id)
    codebook = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if codebook is None:
        raise RefusedError("Choose the project's axes first: a round needs a codebook.")
    guideline = Guideline.objects.filter(project=lead.project).order_by("-number").first()
    last = Round.objects.filter(project=lead.project).aggregate(last=Max("number"))["last"] or 0
    settings.setdefault("order_seed", secrets.token_hex(SEED_BYTES))
    return Round.objects.create(
        project=lead.project, number=last + 1, kind=kind, name=name, codebook=codebook, guideline=guideline,
        shows_comments=project.shows_comments, **settings,
    )  # fmt: skip


@transaction.atomic
def fill_round(*, lead: Member, round_: Round, urls: Sequence[str], sample: Sample) -> int:
    """Replace a draft round's issues by these, in this order; `sample` says how they were drawn. Returns how many.

    An own item of the project is named by its address or its id.

    Raises RefusedError, naming them, when addresses are not known or stand for pull requests, and where threads are not
    mirrored.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    known = known_subjects(urls, project=round_.project)
    round_.items.all().delete()
    for start in range(0, len(known), BATCH):
        add_items(round_, known[start : start + BATCH], start)
    Round.objects.filter(pk=round_.pk).update(sample=sample)
    return len(known)


def known_subjects(urls: Sequence[str], *, project: Project) -> list[Subject]:
    """These issues and own items, each once, in this order. Raises RefusedError as `fill_round` does.

    Only a demo takes issues whose thread is not mirrored.
    """
    wanted = list(dict.fromkeys(urls))
    if not 0 < len(wanted) <= MOST_ITEMS:
        raise RefusedError(f"A round has between 1 and {MOST_ITEMS:,} issues; this sample has {len(wanted):,}.")
    known = subjects(project_id=project.pk, names=wanted)
    if unknown := [url for url in wanted if url not in known]:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        raise RefusedError(f"Neither issues here nor items of this project: {', '.join(unknown[:3])}{more}.")
    require_mirrored(known.values(), project=project)
    return list(dict.fromkeys(known.values()))


def require_mirrored(known: Iterable[Subject], *, project: Project) -> None:
    """Raise RefusedError where there is no report of some of these issues to read; a demo has our own words."""
    issues = Issue.objects.filter(pk__in=[pk for kind, pk in known if kind == "issue"])
    if not project.is_demo and (number := issues.unmirrored().count()):
        raise RefusedError(
            f"The threads of {number:,} of these issues are not mirrored here: there is no report to read."
        )


def add_items(round_: Round, added: Sequence[Subject], start: int) -> None:
    """Freeze these for a round, which must be locked, in the positions after `start`."""
    snapshots = snapshots_of(
        subjects=added, with_comments=round_.shows_comments, in_our_words=round_.project.is_demo
    )  # fmt: skip
    Item.objects.bulk_create(
        Item(round=round_, **{f"{kind}_id": pk}, snapshot=snapshots[kind, pk], position=position)
        for position, (kind, pk) in enumerate(added, start=start + 1)
    )


@transaction.atomic
def open_round(*, lead: Member, round_: Round) -> Round:
    """Open a round for votes: from now on its issues, codebook and rule are fixed. Returns it as now stored."""
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    require_at_work(lead)
    if missing := obstacles(round_=round_):
        raise RefusedError(" ".join(missing))
    _add_slots(round_, dict(round_.items.values_list("pk", "position")))
    if round_.kind == Round.Kind.RECHECK:
        _keep_slots_for_earlier_annotators(round_)
    # By their pseudonyms in releases, everybody's order can be computed from one.
    make_key(project=round_.project)
    Round.objects.filter(pk=round_.pk).update(state=Round.State.OPEN, opened_at=timezone.now())
    round_.refresh_from_db()
    tell_of_opening(round_=round_, by=lead)
    audit.record(by=lead, kind=AuditEntry.Kind.OPENED, round_=round_)
    return round_


def _add_slots(round_: Round, positions: Mapping[int, int]) -> None:
    """Give each item as many slots as votes are wanted; `positions` by the items' ids."""
    numbers = range(1, round_.votes_wanted + 1)
    assisted = assisted_places(round_=round_, places=dict.fromkeys(positions.values(), numbers))
    Slot.objects.bulk_create(
        (
            Slot(
                item_id=pk, number=number, for_senior=number <= round_.seniors_wanted,
                is_assisted=(position, number) in assisted,
            )
            for (pk, position), number in itertools.product(positions.items(), numbers)
        ),
        batch_size=10_000,
    )  # fmt: skip
    if len(positions) >= MANY:
        # Until autovacuum has analysed the tables, a minute later, Postgres takes a new round for a small one, and
        # finding the next slot takes 500 ms instead of half a millisecond.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE labeling_item, labeling_slot")


def _keep_slots_for_earlier_annotators(round_: Round) -> None:
    """Reserve a recheck's slots for the members who labelled the issues before and have not left."""
    votes = Vote.objects.filter(item__in=round_.sample.get("items", ()), member__left_at=None)
    annotators: dict[Subject, list[int]] = {}
    for vote in votes.select_related("item").order_by("member"):
        earlier = annotators.setdefault(subject_of(vote.item), [])
        if vote.member_id not in earlier:
            earlier.append(vote.member_id)
    changed = []
    for slot in Slot.objects.filter(item__round=round_).select_related("item").order_by("number"):
        waiting = annotators.get(subject_of(slot.item))
        if waiting:
            slot.only_for_id = waiting.pop(0)
            changed.append(slot)
    Slot.objects.bulk_update(changed, ["only_for"])


@transaction.atomic
def change_votes_wanted(*, lead: Member, round_: Round, wanted: int) -> int:
    """Want more or fewer votes per issue from now on. Returns how many slots were added, or removed if negative.

    Votes stay, also where an issue has more of them; without a vote, places are taken from people at work last.
    Released issues stay as they are. Raises RefusedError where fewer would be wanted than seniors are.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT, Round.State.OPEN)
    if not max(1, round_.seniors_wanted) <= wanted <= MOST_VOTES:
        raise RefusedError(f"Choose between {max(1, round_.seniors_wanted)} and {MOST_VOTES} votes per issue.")
    detail = f"from {round_.votes_wanted} to {wanted}"
    Round.objects.filter(pk=round_.pk).update(votes_wanted=wanted)
    audit.record(by=lead, kind=AuditEntry.Kind.VOTES, round_=round_, detail=detail)
    round_.votes_wanted = wanted
    if round_.state == Round.State.DRAFT:
        return 0
    # Submissions under way hold the item's lock, and are waited for.
    ids = list(_blind_items(round_).values_list("pk", flat=True))
    change = _fill_up_slots(round_, ids, wanted) - _remove_slots(ids, wanted)
    release_complete(round_)
    return change


def _fill_up_slots(round_: Round, item_ids: Sequence[int], wanted: int) -> int:
    """Add slots to the items that have fewer than `wanted`; returns how many."""
    items = Item.objects.filter(pk__in=item_ids).annotate(
        numbers=ArrayAgg("slots__number"), assisted=Count("slots", filter=Q(slots__is_assisted=True))
    )
    new: dict[int, list[int]] = {}
    held, ids = {}, {}
    for pk, position, numbers, assisted in items.values_list("pk", "position", "numbers", "assisted"):
        unused = [number for number in range(1, MOST_VOTES + 1) if number not in numbers]
        new[position] = unused[: max(0, wanted - len(numbers))]
        held[position], ids[position] = Held(len(numbers), assisted), pk
    chosen = assisted_places(round_=round_, places=new, held=held)
    added = [
        Slot(item_id=ids[position], number=number, is_assisted=(position, number) in chosen)
        for position, numbers in new.items()
        for number in numbers
    ]
    Slot.objects.bulk_create(added, batch_size=10_000)
    return len(added)


def _remove_slots(item_ids: Sequence[int], wanted: int) -> int:
    """Delete slots without a vote down to `wanted` per item, reserved ones and seniors' last; returns how many."""
    slots_by_item: dict[int, list[Slot]] = {}
    for slot in Slot.objects.select_for_update(of=("self",)).filter(item__in=item_ids):
        slots_by_item.setdefault(slot.item_id, []).append(slot)
    surplus = []
    for slots in slots_by_item.values():
        # A vote ends the reservation.
        open_slots = [slot for slot in slots if slot.member_id is None or slot.reserved_until is not None]
        open_slots.sort(key=lambda slot: (_is_at_work(slot), slot.for_senior, -slot.number))
        surplus += [slot.pk for slot in open_slots[: max(0, len(slots) - wanted)]]
    return Slot.objects.filter(pk__in=surplus).delete()[0]


def _is_at_work(slot: Slot) -> bool:
    return slot.reserved_until is not None and slot.reserved_until >= timezone.now()


@transaction.atomic
def close_round(*, lead: Member, round_: Round) -> int:
    """Close a round: voting ends and all votes are released. Returns how many issues lack votes."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    now = timezone.now()
    Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED, closed_at=now)
    audit.record(by=lead, kind=AuditEntry.Kind.CLOSED, round_=round_)
    # Submissions under way hold the item's lock, and are waited for.
    ids = list(_blind_items(round_).values_list("pk", flat=True))
    Item.objects.filter(pk__in=ids, dropped_at=None).update(released_at=now)
    Slot.objects.filter(item__in=ids, vote=None).update(member=None, reserved_until=None)
    return lacking_items(round_=round_).count()


def release_complete(round_: Round) -> None:
    """Release the items that have all their votes, where the round releases by issue. The round must be locked."""
    if round_.release != Round.Release.ISSUE:
        return
    missing = Exists(Slot.objects.filter(item=OuterRef("pk"), vote=None))
    complete = _blind_items(round_).filter(~missing, dropped_at=None).values_list("pk", flat=True)
    Item.objects.filter(pk__in=list(complete)).update(released_at=timezone.now())


def _blind_items(round_: Round) -> QuerySet[Item]:
    """The round's items that are not released, dropped ones too, locked.

    `no_key`, so that rows may still refer to them: a pass refers to its item while it holds the slot that comes next.
    """
    items = Item.objects.select_for_update(of=("self",), no_key=True)
    return items.filter(round=round_, released_at=None)


def locked_round(lead: Member, round_: Round, *states: Round.State) -> Round:
    """The round, locked, read anew. Raises RefusedError where it is not the lead's, or in none of these states."""
    require(lead, Role.LEAD)
    # In this order everywhere: the project, then its rounds. Else two leads could deadlock.
    Project.objects.select_for_update().get(pk=lead.project_id)
    rounds = Round.objects.select_for_update(of=("self",))
    locked = rounds.filter(pk=round_.pk, project=lead.project_id).first()
    if locked is None:
        raise RefusedError("This round no longer exists in this project.")
    if locked.state not in states:
        state = locked.get_state_display().lower()
        raise RefusedError(f"The round “{locked.name}” is {state}: this cannot be done now.")
    return locked
