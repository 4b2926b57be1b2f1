"""Lists of a project's rounds, and what belongs to one, as pages show them."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform

from labeling.models import Item, Member, Round
from labeling.selectors import visible
from labeling.selectors.places import labels
from labeling.selectors.rounds import rounds_of


def known_rounds(*, member: Member) -> QuerySet[Round]:
    """The project's rounds that the member may know of, with codebooks and guidelines, by number."""
    return rounds_of(member=member).select_related("codebook", "guideline").order_by("number", "pk")


def opened_rounds(*, member: Member) -> QuerySet[Round]:
    """The rounds of the project that are or were open, the newest first."""
    return Round.objects.filter(project=member.project_id).exclude(state=Round.State.DRAFT).order_by("-number")


def rounds_with_visible_votes(*, member: Member) -> QuerySet[Round]:
    """Those with an issue whose votes are no secret for the member any more, the newest first."""
    return opened_rounds(member=member).filter(items__in=visible.released_items(member=member)).distinct()


def rounds_with_released_items(*, member: Member) -> QuerySet[Round]:
    """The project's rounds with an issue that is released, whether or not the member may see its votes, by number."""
    rounds = Round.objects.filter(project=member.project_id, items__released_at__isnull=False)
    return rounds.distinct().order_by("number")


def rounds_to_label(*, member: Member) -> list[Round]:
    """The open rounds that the member labels, by number."""
    rounds = Round.objects.filter(project=member.project_id, state=Round.State.OPEN).order_by("number")
    return [round_ for round_ in rounds if labels(member=member, round_=round_)]


def earlier_rounds(*, member: Member, number: int) -> QuerySet[Round]:
    """The project's rounds before this number, in order."""
    return Round.objects.filter(project=member.project_id, number__lt=number).order_by("number")


def closed_screenings(*, member: Member) -> QuerySet[Round]:
    """The screening rounds that are closed, the newest first."""
    rounds = Round.objects.filter(project=member.project_id, kind=Round.Kind.SCREENING, state=Round.State.CLOSED)
    return rounds.order_by("-number")


def last_number(*, project_id: int) -> int:
    """The number of the project's newest round; 0 where it has none."""
    numbers = Round.objects.filter(project=project_id).order_by("-number").values_list("number", flat=True)
    return numbers.first() or 0


def chosen_annotators(*, round_: Round) -> Sequence[Member]:
    """The annotators that were chosen for the round; none where all of the project label."""
    return list(round_.annotators.select_related("user"))


def excluding_names(*, round_: Round) -> list[str]:
    """The answers that exclude an issue, as "axis: node" in the words of the round's codebook."""
    entries = round_.codebook.entries.filter(node__in=round_.excluding.all())
    names = entries.values_list("version__axis__name", "version__name")
    return [f"{axis}: {node}" for axis, node in names]


def sampled_items(*, round_: Round) -> QuerySet[Any]:
    """The round's items in the order of the sample, each with its frozen `title`."""
    items = Item.objects.filter(round=round_).select_related("issue__repository", "own").order_by("position")
    items = items.defer("issue__body", "issue__search_vector", "issue__label_terms", "own__body")
    return items.annotate(title=KeyTextTransform("title", "snapshot__content"))


def dropped_items(*, round_: Round) -> Sequence[Item]:
    """The round's issues that were dropped, in the order of the sample."""
    items = Item.objects.filter(round=round_, dropped_at__isnull=False)
    items = items.select_related("issue__repository", "own").order_by("position")
    return list(items.defer("issue__body", "issue__search_vector", "issue__label_terms", "own__body"))


def has_items(*, round_: Round) -> bool:
    """Whether the round has any issue."""
    return round_.items.exists()


def has_released_items(*, round_: Round) -> bool:
    """Whether any issue of the round is released."""
    return Item.objects.filter(round=round_, released_at__isnull=False).exists()


def hidden_item_count(*, member: Member, round_: Round) -> int:
    """How many released issues of the round the member may not see votes of."""
    released = Item.objects.filter(round=round_, released_at__isnull=False)
    return released.exclude(pk__in=visible.released_items(member=member)).count()


def positions_of(*, round_: Round, item_ids: Sequence[int]) -> list[int]:
    """The positions in the round's sample of those of the items that are in it."""
    return list(Item.objects.filter(round=round_, pk__in=item_ids).values_list("position", flat=True))


def items_by_id(*, item_ids: Sequence[int]) -> dict[int, Item]:
    """Items with their rounds and snapshots."""
    return Item.objects.filter(pk__in=item_ids).select_related("round", "snapshot").in_bulk()
