"""What the blind votes on released items say together, by item and axis: worked out once for a round, and kept.

Votes on released items never change, so that this stands until more of the round is released. It tells of everybody's
votes: whoever shows it takes only the items that are open to the reader (`visible.released_items`).
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max

from labeling.models import Answer, Item, ProjectAxis, Vote
from labeling.outcomes import How

KEPT_SECONDS = 30 * 24 * 3_600


class AxisVerdict(NamedTuple):
    """How far the votes on an axis of an item go together, and how many there are."""

    how: How
    votes: int


class ItemVerdict(NamedTuple):
    """An item with who voted on it (ids), and by axis code what they say together."""

    position: int
    people: frozenset[int]
    axes: Mapping[str, AxisVerdict]


Verdicts = Mapping[int, ItemVerdict]


def verdicts(*, rounds: Iterable[int]) -> dict[int, Verdicts]:
    """Round id -> item id -> what its votes say, in the order of the sample; rounds with nothing released are left out.

    One statement where everything is known, six otherwise.
    """
    released = Item.objects.filter(round__in=list(rounds), released_at__isnull=False).order_by()
    states = released.values_list("round").annotate(number=Count("pk"), last=Max("released_at"))
    keys = {_key(pk, number, last): pk for pk, number, last in states}
    known: dict[str, Verdicts] = cache.get_many(keys)
    found = {keys[key]: one for key, one in known.items()}
    if missing := {pk: key for key, pk in keys.items() if key not in known}:
        new = _work_out(list(missing))
        cache.set_many({missing[pk]: one for pk, one in new.items()}, KEPT_SECONDS)
        found |= new
    return found


def _key(round_id: int, number: int, last: dt.datetime) -> str:
    """Items are released once and for all, so that their number says which they are."""
    return f"labeling:verdicts:1:{round_id}:{number}:{last.timestamp()}"


def _work_out(rounds: list[int]) -> dict[int, Verdicts]:
    released = Item.objects.filter(round__in=rounds, released_at__isnull=False).order_by("round", "position")
    places = list(released.values_list("pk", "round", "position"))
    people: dict[int, list[int]] = {}
    votes = Vote.objects.filter(item__round__in=rounds, item__released_at__isnull=False)
    for item, member in votes.order_by().values_list("item", "member"):
        people.setdefault(item, []).append(member)
    axes = _axes(rounds)
    # The same few sets and verdicts over and over: each is kept once.
    groups: dict[frozenset[int], frozenset[int]] = {}
    found: dict[int, dict[int, ItemVerdict]] = {pk: {} for pk in rounds}
    for item, round_, position in places:
        voters = frozenset(people.get(item, ()))
        found[round_][item] = ItemVerdict(position, groups.setdefault(voters, voters), axes.get(item, {}))
    return dict(found)


def _axes(rounds: list[int]) -> dict[int, dict[str, AxisVerdict]]:
    """Item -> axis code, in the codebook's order -> what the votes say.

    Each answer is counted under each node that it names: it is unanimous where every count is that of all votes.
    """
    answers = Answer.objects.filter(vote__item__round__in=rounds, vote__item__released_at__isnull=False).order_by()
    named = answers.values_list("vote__item", "axis", "is_undecidable", "nodes__version").annotate(times=Count("pk"))
    most: dict[tuple[int, int], list[int]] = {}
    for item, axis, _, _, times in named:
        most.setdefault((item, axis), []).append(times)
    # Where only one node may be named, its counts are the votes; else an answer stands under several.
    several = answers.filter(axis__several=True).values_list("vote__item", "axis").annotate(votes=Count("pk"))
    cast = {(item, axis): votes for item, axis, votes in several}
    codes = ProjectAxis.objects.filter(project__rounds__in=rounds).distinct().order_by("position", "pk")
    ordered = {pk: (place, code) for place, (pk, code) in enumerate(codes.values_list("pk", "code"))}
    known: dict[AxisVerdict, AxisVerdict] = {}
    found: dict[int, dict[str, AxisVerdict]] = {}
    for item, axis in sorted(most, key=lambda key: (key[0], ordered[key[1]][0])):
        verdict = _verdict(most[item, axis], cast.get((item, axis)))
        found.setdefault(item, {})[ordered[axis][1]] = known.setdefault(verdict, verdict)
    return found


def _verdict(times: list[int], votes: int | None) -> AxisVerdict:
    """`times`: how often each node, or that the report does not tell, was named; see `outcomes.outcome`."""
    cast = sum(times) if votes is None else votes
    if min(times) == cast:
        return AxisVerdict(How.UNANIMOUS, cast)
    return AxisVerdict(How.MAJORITY if max(times) * 2 > cast else How.CONFLICT, cast)
