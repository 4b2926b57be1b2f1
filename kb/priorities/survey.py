"""What rankings that people sent in come to: for one group of themes, and beside the published orders. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from kb.priorities.agreement import FEWEST_RATERS, Agreement, MeanRank, agreement, mean_ranks
from kb.priorities.correlation import RankCorrelation, correlate
from kb.priorities.published import PublishedOrder
from kb.priorities.rankings import Ranking, rank_matrix, within

ROLES = ("", "user", "developer")
EXPERIENCES = ("", "under_1", "from_1_to_3", "over_3")
BOTH = "both"


class Audience(NamedTuple):
    """Whose answers are counted; nothing means all. Who is user and developer is among either."""

    role: str = ""
    experience: str = ""

    def has(self, role: str, experience: str) -> bool:
        """Is somebody of this role and experience among them?"""
        return (not self.role or role in (self.role, BOTH)) and self.experience in ("", experience)


class Ranked(NamedTuple):
    """One person's ranking of one group's themes."""

    role: str
    experience: str
    group: str
    ranking: Ranking


@dataclass(frozen=True)
class ThemeResult:
    """A theme's mean rank, and how many of the raters gave it a place."""

    code: str
    placed_by: int
    rank: MeanRank


@dataclass(frozen=True)
class GroupResult:
    """What `raters` people say of one group's themes; without themes and agreement where they are too few to say."""

    raters: int
    themes: tuple[ThemeResult, ...] = ()
    agreement: Agreement | None = None


def measure(rankings: Sequence[Ranking], items: Sequence[str]) -> GroupResult:
    """Mean ranks, best first, and agreement; themes that are no items are left out and places closed up."""
    kept = [known for ranking in rankings if (known := within(ranking, items))]
    if len(kept) < FEWEST_RATERS or len(items) < 2:
        return GroupResult(len(kept))
    ranks = rank_matrix(kept, items)
    rows = [
        ThemeResult(code, sum(code in ranking for ranking in kept), rank)
        for code, rank in zip(items, mean_ranks(ranks), strict=True)
    ]
    return GroupResult(len(kept), tuple(sorted(rows, key=lambda row: row.rank.mean)), agreement(ranks))


def compare(rankings: Sequence[Ranking], items: Sequence[str], order: PublishedOrder) -> RankCorrelation | None:
    """How far the rankings' mean ranks follow a published order, over the items that it says something of."""
    said = order.comparable(items)
    kept = [known for ranking in rankings if (known := within(ranking, items))]
    if not kept or not said:
        return None
    columns = [list(items).index(code) for code, _ in said]
    return correlate(rank_matrix(kept, items)[:, columns], np.array([position for _, position in said]))


@dataclass(frozen=True)
class SurveyResults:
    """Everything that the answers come to. `answers` count, `excluded` were left out by staff.

    `groups` has a result for each audience and group, `comparisons` one for each published order's slug, None where
    too few answered or the order cannot be compared.
    """

    answers: int
    excluded: int
    groups: Mapping[tuple[Audience, str], GroupResult]
    comparisons: Mapping[str, RankCorrelation | None]


def tally(
    rankings: Sequence[Ranked],
    items: Mapping[str, Sequence[str]],
    orders: Sequence[PublishedOrder],
    *,
    answers: int,
    excluded: int,
) -> SurveyResults:
    """Count every group's rankings (`items`: themes by group) for every audience, and compare with the orders."""

    def of(audience: Audience, group: str) -> list[Ranking]:
        return [one.ranking for one in rankings if one.group == group and audience.has(one.role, one.experience)]

    audiences = [Audience(*pair) for pair in product(ROLES, EXPERIENCES)]
    groups = {
        (audience, group): measure(of(audience, group), codes)
        for audience, (group, codes) in product(audiences, items.items())
    }
    comparisons = {
        order.slug: compare(of(Audience(order.role, order.experience), order.group), items.get(order.group, ()), order)
        for order in orders
    }
    return SurveyResults(answers, excluded, groups, comparisons)
