"""The verdicts of the blind votes on released items, by item and axis: computed once for a round, and cached.

Votes on released items never change, so that verdicts hold until more of the round is released. They are of everybody's
votes: callers that show them must filter by the items that the reader may see (`visible.released_items`).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max

from labeling.models import IN_WORDS, Answer, Item, ProjectAxis, Vote
from labeling.outcomes import How

KEPT_SECONDS = 30 * 24 * 3_600


class AxisVerdict(NamedTuple):
    """How far the votes on an axis of an item agree, and how many there are."""

    how: How
    votes: int


class ItemVerdict(NamedTuple):
    """An item's position, the ids of its voters, and its verdicts by axis code."""

    position: int
    people: frozenset[int]
    axes: Mapping[str, AxisVerdict]


Verdicts = Mapping[int, ItemVerdict]


def verdicts(*, rounds: Iterable[int]) -> dict[int, Verdicts]:
    """Round id -> item id -> verdict, in the order of the sample; rounds with nothing released are left out.

    One statement where everything is cached, six otherwise.
    """
    released = Item.objects.filter(round__in=list(rounds), released_at__isnull=False).order_by()
    states = released.values_list("round").annotate(number=Count("pk"), last=Max("released_at"))
    # A release is final, so that the number of released items identifies them.
    cache_keys = {pk: f"labeling:verdicts:1:{pk}:{number}:{last.timestamp()}" for pk, number, last in states}
    cached: dict[str, Verdicts] = cache.get_many(cache_keys.values())
    by_round = {pk: cached[key] for pk, key in cache_keys.items() if key in cached}
    missing = [pk for pk in cache_keys if pk not in by_round]
    if missing:
        computed = _compute(missing)
        cache.set_many({cache_keys[pk]: verdict for pk, verdict in computed.items()}, KEPT_SECONDS)
        by_round |= computed
    return by_round


def _compute(rounds: list[int]) -> dict[int, Verdicts]:
    released = Item.objects.filter(round__in=rounds, released_at__isnull=False).order_by("round", "position")
    voters: dict[int, list[int]] = {}
    votes = Vote.objects.filter(item__round__in=rounds, item__released_at__isnull=False)
    for item, member in votes.order_by().values_list("item", "member"):
        voters.setdefault(item, []).append(member)
    axes = _axis_verdicts(rounds)
    # The same few sets and verdicts recur: each is stored once.
    groups: dict[frozenset[int], frozenset[int]] = {}
    by_round: dict[int, dict[int, ItemVerdict]] = {pk: {} for pk in rounds}
    for item, round_id, position in released.values_list("pk", "round", "position"):
        group = frozenset(voters.get(item, ()))
        by_round[round_id][item] = ItemVerdict(position, groups.setdefault(group, group), axes.get(item, {}))
    return dict(by_round)


def _axis_verdicts(rounds: list[int]) -> dict[int, dict[str, AxisVerdict]]:
    """Item -> axis code, in the codebook's order -> verdict, as `outcomes.outcome` has it.

    Each answer is counted under each node that it names: it is unanimous where every count is that of all votes. Texts
    have no verdict.
    """
    answers = Answer.objects.filter(vote__item__round__in=rounds, vote__item__released_at__isnull=False).order_by()
    answers = answers.exclude(axis__kind__in=IN_WORDS)
    by_node = answers.values_list("vote__item", "axis", "is_undecidable", "nodes__version", "number")
    counts: dict[tuple[int, int], list[int]] = {}
    for item, axis, _, _, _, count in by_node.annotate(n=Count("pk")):
        counts.setdefault((item, axis), []).append(count)
    # On an axis with one node an answer, the counts add up to the votes; on the others answers are counted repeatedly.
    several = answers.filter(axis__several=True).values_list("vote__item", "axis").annotate(votes=Count("pk"))
    votes = {(item, axis): number for item, axis, number in several}
    codes = ProjectAxis.objects.filter(project__rounds__in=rounds).distinct().order_by("position", "pk")
    ordered = {pk: (place, code) for place, (pk, code) in enumerate(codes.values_list("pk", "code"))}
    unique: dict[AxisVerdict, AxisVerdict] = {}
    by_item: dict[int, dict[str, AxisVerdict]] = {}
    for key in sorted(counts, key=lambda key: (key[0], ordered[key[1]][0])):
        item, axis = key
        cast = votes.get(key) or sum(counts[key])
        if min(counts[key]) == cast:
            how = How.UNANIMOUS
        elif max(counts[key]) * 2 > cast:
            how = How.MAJORITY
        else:
            how = How.CONFLICT
        verdict = AxisVerdict(how, cast)
        by_item.setdefault(item, {})[ordered[axis][1]] = unique.setdefault(verdict, verdict)
    return by_item
