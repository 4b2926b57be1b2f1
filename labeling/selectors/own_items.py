"""A project's own items: the list of them, the file that waits, and what a round can be given."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef, Q, QuerySet

from labeling.models import Item, Member, OwnItem, OwnItemFile, Project, Round
from labeling.samples import Sample, shuffled
from labeling.selectors.draws import Drawn
from labeling.selectors.population import drawn_before

IN_ROUND = Item.objects.filter(own=OuterRef("pk"))


def own_items(*, project_id: int, words: str = "") -> QuerySet[OwnItem]:
    """The items in the order in which they came, without their texts; `words` stand in id or title.

    `in_round`: whether any round has it.
    """
    items = OwnItem.objects.filter(project=project_id).annotate(in_round=Exists(IN_ROUND))
    if words:
        items = items.filter(Q(key__icontains=words) | Q(title__icontains=words))
    return items.order_by("pk").defer("body")


def unused_items(*, project_id: int) -> QuerySet[OwnItem]:
    """The items that are in no round."""
    return OwnItem.objects.filter(~Exists(IN_ROUND), project=project_id)


def item_rows(*, project_id: int) -> Iterator[tuple[str, str, str, str]]:
    """Id, title, text and address of every item."""
    for item in OwnItem.objects.filter(project=project_id).order_by("pk").iterator(chunk_size=500):
        yield item.key, item.title, item.body, item.address


def item_file(*, member: Member, pk: int) -> OwnItemFile:
    """The file that waits to be taken in. Raises OwnItemFile.DoesNotExist, also for one that was."""
    return OwnItemFile.objects.get(project=member.project_id, pk=pk)


def draw_own(*, project: Project, size: int | None, seed: str, fresh: bool, other_than: Round | None = None) -> Drawn:
    """Draw from the project's own items: `size` of them by a seed, or all in the order in which they came.

    `fresh`: without those in the project's other rounds.
    """
    urls = list(OwnItem.objects.filter(project=project).order_by("pk").values_list("url", flat=True))
    taken = drawn_before(project_id=project.pk, other_than=other_than) if fresh else set()
    left = [url for url in urls if url not in taken]
    drawn = left if size is None else shuffled(left, seed)[:size]
    sample = Sample(
        kind="own", size=len(drawn) if size is None else size, seed="" if size is None else seed, fresh=fresh,
        population=len(left), drawn=len(drawn),
    )  # fmt: skip
    return Drawn(drawn, sample, len(urls))
