"""A round's readers, as far as somebody may see them, and which of its places are assisted.

Who may vote in a round that is open sees of its readers only what an assisted ballot of their own shows.
"""

from collections.abc import Collection, Mapping

from django.db.models import Exists, OuterRef, QuerySet

from kb.models import Label, Source
from labeling.arms import Held, Place, assisted
from labeling.models import CodebookNode, Decision, Member, Reader, Round, Slot, Suggestion
from labeling.selectors.visible import is_blind


def hides_readers(*, member: Member, round_: Round) -> bool:
    """Whether the round's readers are kept from the member: they may vote in it, and it is open."""
    return round_.state == Round.State.OPEN and is_blind(member)


def readers_of(*, member: Member, round_: Round) -> QuerySet[Reader]:
    """The round's readers that a lead sees."""
    readers = Reader.objects.filter(round=round_, round__project=member.project_id).defer("content")
    return readers.none() if hides_readers(member=member, round_=round_) else readers


def stored_readers(*, member: Member, round_: Round) -> QuerySet[Reader]:
    """Those of them whose answers are stored."""
    return readers_of(member=member, round_=round_).filter(taken_at__isnull=False)


def reader_of(*, member: Member, round_: Round, pk: int) -> Reader:
    """One of these, with its file. Raises Reader.DoesNotExist."""
    return readers_of(member=member, round_=round_).defer(None).select_related("round__codebook").get(pk=pk)


def assisting(*, round_: Round) -> Reader | None:
    """The reader whose answers ballots of the round show; everybody in the project may know which, not what it says."""
    return Reader.objects.filter(round=round_, assist_percent__isnull=False).defer("content").first()


def assisted_places(
    *, round_: Round, places: Mapping[int, Collection[int]], held: Mapping[int, Held] | None = None
) -> set[Place]:
    """The assisted ones of a round's new places, by position and number; none without a reader that assists."""
    reader = assisting(round_=round_)
    if reader is None or reader.assist_percent is None:
        return set()
    return assisted(places, percent=reader.assist_percent, seed=reader.assist_seed, held=held)


def rule_answers(*, round_: Round) -> dict[tuple[int, int], list[str]]:
    """(item, axis) -> codes of the round's codebook that rules suggest; left out where one is asked and several are."""
    entries = CodebookNode.objects.filter(codebook=round_.codebook_id, node__node__isnull=False)
    columns = entries.values_list("node__node", "node__axis__pk", "node__axis__several", "node__code")
    nodes = {house: (axis, several, code) for house, axis, several, code in columns}
    items = dict(round_.items.filter(dropped_at=None, own=None).values_list("issue", "pk"))
    labels = Label.objects.filter(source__kind=Source.Kind.RULE, issue__in=items, node__in=nodes)
    answers: dict[tuple[int, int], list[str]] = {}
    ambiguous = set()
    for issue, house in labels.order_by("issue", "node").values_list("issue", "node"):
        axis, several, code = nodes[house]
        codes = answers.setdefault((items[issue], axis), [])
        codes.append(code)
        if len(codes) > 1 and not several:
            ambiguous.add((items[issue], axis))
    return {key: codes for key, codes in answers.items() if key not in ambiguous}


def assisted_decisions(*, project_id: int) -> int:
    """How many of a project's decisions in force rest on assisted votes, among others."""
    assisted = Slot.objects.filter(item=OuterRef("item"), is_assisted=True, vote__isnull=False)
    decisions = Decision.objects.filter(item__round__project=project_id, reopened_at=None)
    return decisions.filter(Exists(assisted)).count()


def suggestion_on(*, member: Member, slot: Slot | None) -> Suggestion | None:
    """What the member is shown on their own slot."""
    if slot is None or not slot.is_assisted or slot.member_id != member.pk:
        return None
    return Suggestion.objects.filter(item=slot.item_id, member=member).select_related("reader").first()
