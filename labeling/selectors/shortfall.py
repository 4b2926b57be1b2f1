"""Whether what is left of an open round can be finished by those who label it, and who else could.

An issue can be finished while it has at least as many people left as places without a vote, and as many seniors as
places for seniors: everybody who has neither voted on it nor passed on it counts. All of this tells of votes, so it is
for readers who are not blind; a lead who labels learns only what the list of people says anyway.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet, Value

from labeling.models import Item, Member, Pass, Role, Round
from labeling.selectors import visible
from labeling.selectors.rounds import annotators_of


@dataclass(frozen=True)
class Helper:
    """A member who could finish some of these issues: as one more annotator, or by taking up what they passed on."""

    member: Member
    issues: int
    is_passed: bool


@dataclass(frozen=True)
class Shortfall:
    """What of a round cannot be finished, in sentences, and for leads who could finish it."""

    warnings: Sequence[str]
    helpers: Sequence[Helper] = ()

    def __bool__(self) -> bool:
        return bool(self.warnings)


def shortfall(*, member: Member, round_: Round) -> Shortfall:
    """The warnings for this reader; empty for a round that is not open, and for readers who may not know."""
    if round_.state != Round.State.OPEN or not member.has(Role.LEAD, Role.OBSERVER):
        return Shortfall(())
    people = list(annotators_of(round_=round_))
    if visible.is_blind(member):
        return Shortfall(_too_few(round_, people))
    short, seniors = _short_items(round_, people)
    passed_by_all = _passed_by_all(short, people)
    warnings = [
        _sentence(len(short), "more places left than people who can take them"),
        _sentence(len(seniors), "more places for seniors left than seniors who can take them"),
        _sentence(len(passed_by_all), "been passed on by everybody who could still vote on them"),
    ]
    warnings = [warning for warning in warnings if warning]
    gone = [person.pseudonym for person in round_.annotators.exclude(left_at=None).order_by("pk")]
    if warnings and gone:
        warnings.append(f"Chosen for the round, but no longer in the project: {', '.join(gone)}.")
    helpers = _helpers(round_, people, short, seniors) if member.has(Role.LEAD) else ()
    return Shortfall(warnings, helpers)


def _too_few(round_: Round, people: Sequence[Member]) -> list[str]:
    """What the list of people alone says."""
    warnings = []
    if len(people) < round_.votes_wanted:
        warnings.append(f"Every issue needs {round_.votes_wanted} annotators; the round has {len(people)}.")
    if (number := sum(person.is_senior for person in people)) < round_.seniors_wanted:
        warnings.append(f"Every issue needs {round_.seniors_wanted} seniors; the round has {number}.")
    return warnings


def _short_items(round_: Round, people: Sequence[Member]) -> tuple[set[int], set[int]]:
    """The ids of the items with too few people left, and of those with too few seniors left."""
    everybody = {person.pk for person in people}
    short = _with_too_few(round_, everybody, Q())
    if not round_.seniors_wanted:
        return short, set()
    seniors = {person.pk for person in people if person.is_senior}
    return short, _with_too_few(round_, seniors, Q(slots__for_senior=True))


def _with_too_few(round_: Round, people: Collection[int], kind: Q) -> set[int]:
    """The items with more places of this kind without a vote than there are of these people left."""
    # 0 is nobody: a count over an empty list is no number.
    counted = [0, *people]
    gone = Count("votes", filter=Q(votes__member__in=counted), distinct=True)
    passed = Count("passes", filter=Q(passes__member__in=counted, passes__taken_back_at=None), distinct=True)
    left = Count("slots", filter=kind & Q(slots__vote=None), distinct=True)
    items = _open_items(round_).annotate(gone=gone, passed=passed, left=left)
    lacking = items.filter(left__gt=0).filter(left__gt=Value(len(people)) - F("gone") - F("passed"))
    return set(lacking.values_list("pk", flat=True))


def _open_items(round_: Round) -> QuerySet[Item]:
    return Item.objects.filter(round=round_, released_at=None, dropped_at=None).order_by()


def _passed_by_all(items: Collection[int], people: Sequence[Member]) -> list[int]:
    """Those of the items that nobody is left for, and that somebody passed on."""
    everybody = [0, *(person.pk for person in people)]
    rows = Item.objects.filter(pk__in=items).order_by()
    gone = Count("votes", filter=Q(votes__member__in=everybody), distinct=True)
    passed = Count("passes", filter=Q(passes__member__in=everybody, passes__taken_back_at=None), distinct=True)
    rows = rows.annotate(gone=gone, passed=passed).filter(passed__gt=0, passed__gte=Value(len(people)) - F("gone"))
    return list(rows.values_list("pk", flat=True))


def _helpers(round_: Round, people: Sequence[Member], short: Collection[int], seniors: Collection[int]) -> list[Helper]:
    """Who could finish some of the items, the most helpful first."""
    items = {*short, *seniors}
    if not items:
        return []
    inside = {person.pk for person in people}
    passes = Pass.objects.filter(item__in=items, taken_back_at=None).values_list("member", "item")
    passed = _grouped(passes)
    voted = _grouped(Item.objects.filter(pk__in=items, votes__isnull=False).values_list("votes__member", "pk"))
    helpers = []
    for person in Member.objects.filter(project=round_.project_id, left_at=None).select_related("user").order_by("pk"):
        if not person.has(Role.ANNOTATOR):
            continue
        useful = items if person.is_senior else set(short)
        own = useful & passed.get(person.pk, set())
        if own:
            helpers.append(Helper(person, len(own), is_passed=True))
        fresh = useful - passed.get(person.pk, set()) - voted.get(person.pk, set())
        if fresh and person.pk not in inside:
            helpers.append(Helper(person, len(fresh), is_passed=False))
    return sorted(helpers, key=lambda helper: (-helper.issues, helper.member.pk))


def _grouped(pairs: Iterable[tuple[int, int]]) -> Mapping[int, set[int]]:
    """First value -> second values."""
    groups: dict[int, set[int]] = {}
    for first, second in pairs:
        groups.setdefault(first, set()).add(second)
    return groups


def _sentence(number: int, what: str) -> str:
    if not number:
        return ""
    return f"One issue has {what.replace('them', 'it')}." if number == 1 else f"{number:,} issues have {what}."
