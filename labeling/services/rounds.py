"""Rounds: preparing them, giving them their issues, opening and closing them, and changing how many votes they want."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from kb.models import Issue
from labeling.models import MOST_VOTES, Codebook, Guideline, Item, Member, Project, Role, Round, Slot, Vote
from labeling.refusals import RefusedError
from labeling.selectors.rounds import obstacles
from labeling.selectors.visible import is_blind
from labeling.services.people import require, require_at_work
from labeling.services.snapshots import take_snapshots

MOST_ITEMS = 50_000
BATCH = 500
MANY = 200


@transaction.atomic
def prepare_round(*, lead: Member, kind: Round.Kind, name: str, **settings: Any) -> Round:
    """A round by the newest codebook and guidelines, showing what the project shows; `settings`: columns of `Round`."""
    require(lead, Role.LEAD)
    require_at_work(lead)
    project = Project.objects.select_for_update().get(pk=lead.project_id)
    codebook = Codebook.objects.filter(project=lead.project).order_by("-number").first()
    if codebook is None:
        raise RefusedError("Choose the project's axes first: a round needs a codebook.")
    guideline = Guideline.objects.filter(project=lead.project).order_by("-number").first()
    last = Round.objects.filter(project=lead.project).aggregate(last=Max("number"))["last"] or 0
    return Round.objects.create(
        project=lead.project, number=last + 1, kind=kind, name=name, codebook=codebook, guideline=guideline,
        shows_comments=project.shows_comments, **settings,
    )  # fmt: skip


@transaction.atomic
def fill_round(*, lead: Member, round_: Round, urls: Sequence[str], sample: dict[str, Any]) -> int:
    """Give a round that is being prepared its issues, in this order; `sample` says how they were drawn.

    Raises RefusedError, naming them, when addresses are not known or stand for pull requests.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    issues = known_issues(urls)
    round_.items.all().delete()
    for start in range(0, len(issues), BATCH):
        add_items(round_, issues[start : start + BATCH], start)
    Round.objects.filter(pk=round_.pk).update(sample=sample)
    return len(issues)


def known_issues(urls: Sequence[str]) -> list[int]:
    """The ids of these issues, each once, in this order. Raises RefusedError as `fill_round` does."""
    wanted = list(dict.fromkeys(urls))
    if not 0 < len(wanted) <= MOST_ITEMS:
        raise RefusedError(f"A round has between 1 and {MOST_ITEMS:,} issues; this sample has {len(wanted):,}.")
    issues = Issue.objects.filter(url__in=wanted).true_issues()
    ids = dict(issues.values_list("url", "pk"))
    if lost := [url for url in wanted if url not in ids]:
        more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        raise RefusedError(f"Not issues of this knowledge base: {', '.join(lost[:3])}{more}.")
    return [ids[url] for url in wanted]


def add_items(round_: Round, issue_ids: Sequence[int], start: int) -> None:
    """Freeze these issues for a round, which is locked, in the places behind `start`."""
    issues = Issue.objects.filter(pk__in=issue_ids).select_related("repository").prefetch_related("fixes")
    snapshots = take_snapshots(issues=issues, with_comments=round_.shows_comments)
    Item.objects.bulk_create(
        Item(round=round_, issue_id=pk, snapshot=snapshots[pk], position=position)
        for position, pk in enumerate(issue_ids, start=start + 1)
    )


@transaction.atomic
def open_round(*, lead: Member, round_: Round) -> Round:
    """Open a round for votes: from now on its issues, codebook and rule stand. Returns it as it is now."""
    round_ = locked_round(lead, round_, Round.State.DRAFT)
    require_at_work(lead)
    if missing := obstacles(round_=round_):
        raise RefusedError(" ".join(missing))
    _add_slots(round_, list(round_.items.values_list("pk", flat=True)), 1)
    if round_.kind == Round.Kind.RECHECK:
        _keep_for_the_same(round_)
    Round.objects.filter(pk=round_.pk).update(state=Round.State.OPEN, opened_at=timezone.now())
    round_.refresh_from_db()
    return round_


def _add_slots(round_: Round, item_ids: Sequence[int], first: int) -> None:
    Slot.objects.bulk_create(
        (
            Slot(item_id=pk, number=number, for_senior=number <= round_.seniors_wanted)
            for pk in item_ids
            for number in range(first, round_.votes_wanted + 1)
        ),
        batch_size=10_000,
    )
    if len(item_ids) >= MANY:
        # Until Postgres has counted them on its own, a minute later, it takes a new round for a small one, and finding
        # the next place takes half a second instead of one thousandth of it.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE labeling_item, labeling_slot")


def _keep_for_the_same(round_: Round) -> None:
    """Keep a recheck's places for who labelled the issues before and is still in the project."""
    before = Vote.objects.filter(item__in=round_.sample.get("items", ()), member__left_at=None)
    people: dict[int, list[int]] = {}
    for issue, member in before.order_by("member").values_list("item__issue", "member"):
        people.setdefault(issue, []).append(member)
    kept = []
    for slot in Slot.objects.filter(item__round=round_).select_related("item").order_by("number"):
        if waiting := people.get(slot.item.issue_id):
            slot.only_for_id = waiting.pop(0)
            kept.append(slot)
    Slot.objects.bulk_update(kept, ["only_for"])


@transaction.atomic
def change_votes_wanted(*, lead: Member, round_: Round, wanted: int) -> int:
    """Want more or fewer votes per issue from now on. Returns how many places were added, or removed if negative.

    Issues that are released stay as they are. Raises RefusedError where an issue has more votes already, or fewer
    would be wanted than seniors are.
    """
    round_ = locked_round(lead, round_, Round.State.DRAFT, Round.State.OPEN)
    before = round_.votes_wanted
    if not max(1, round_.seniors_wanted) <= wanted <= MOST_VOTES:
        raise RefusedError(f"Choose between {max(1, round_.seniors_wanted)} and {MOST_VOTES} votes per issue.")
    items = _blind_items(round_)
    have = Count("slots", filter=Q(slots__vote__isnull=False) | Q(slots__member__isnull=False))
    ids = list(items.values_list("pk", flat=True))
    if most := Item.objects.filter(pk__in=ids).annotate(have=have).filter(have__gt=wanted).count():
        # How many is a secret where the lead labels too.
        who = "Some issues have" if is_blind(lead) else "One issue has" if most == 1 else f"{most:,} issues have"
        raise RefusedError(f"{who} more than {wanted} votes or people at work already.")
    Round.objects.filter(pk=round_.pk).update(votes_wanted=wanted)
    round_.votes_wanted = wanted
    if round_.state == Round.State.DRAFT:
        return 0
    if wanted >= before:
        _add_slots(round_, ids, before + 1)
        return len(ids) * (wanted - before)
    return -_remove_slots(ids, wanted)


def _remove_slots(item_ids: Sequence[int], wanted: int) -> int:
    """Take empty places away, the last ones first, seniors' places last."""
    removed = 0
    for slots in _slots_by_item(item_ids).values():
        empty = [slot for slot in slots if slot.member_id is None]
        surplus = sorted(empty, key=lambda slot: (slot.for_senior, -slot.number))[: len(slots) - wanted]
        removed += Slot.objects.filter(pk__in=[slot.pk for slot in surplus]).delete()[0]
    return removed


def _slots_by_item(item_ids: Sequence[int]) -> dict[int, list[Slot]]:
    found: dict[int, list[Slot]] = {}
    for slot in Slot.objects.select_for_update(of=("self",)).filter(item__in=item_ids):
        found.setdefault(slot.item_id, []).append(slot)
    return found


@transaction.atomic
def close_round(*, lead: Member, round_: Round) -> int:
    """Close a round: nobody votes any more, and everybody sees what was voted. Returns how many issues lack votes."""
    round_ = locked_round(lead, round_, Round.State.OPEN)
    now = timezone.now()
    Round.objects.filter(pk=round_.pk).update(state=Round.State.CLOSED, closed_at=now)
    # Whoever is submitting meanwhile has the item locked, and comes first.
    ids = list(_blind_items(round_).values_list("pk", flat=True))
    Item.objects.filter(pk__in=ids).update(released_at=now)
    Slot.objects.filter(item__in=ids, vote=None).update(member=None, reserved_until=None)
    lacking = Item.objects.filter(round=round_).annotate(have=Count("votes")).filter(have__lt=round_.votes_wanted)
    return lacking.count()


def _blind_items(round_: Round) -> QuerySet[Item]:
    """The round's items that are blind, to be locked.

    Not so that nobody may refer to them: who passes one on does, and has a place on it locked that we want next.
    """
    items = Item.objects.select_for_update(of=("self",), no_key=True)
    return items.filter(round=round_, released_at=None)


def locked_round(lead: Member, round_: Round, *states: Round.State) -> Round:
    """The round, locked, as it is now. Raises RefusedError where it is not the lead's, or in none of these states."""
    require(lead, Role.LEAD)
    # In this order everywhere: the project, then its rounds. Else two leads could wait for each other for ever.
    Project.objects.select_for_update().get(pk=lead.project_id)
    rounds = Round.objects.select_for_update(of=("self",))
    found = rounds.filter(pk=round_.pk, project=lead.project_id).first()
    if found is None:
        raise RefusedError("There is no such round in this project any more.")
    if found.state not in states:
        raise RefusedError(f"The round “{found.name}” is {found.get_state_display().lower()}: this cannot be done now.")
    return found
