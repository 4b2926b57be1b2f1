"""The results of the rankings that people sent in: for each group of themes, and beside the published orders."""

from collections import defaultdict
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
    """Whose answers are counted; empty means everybody's. Somebody of both roles counts in either."""

    role: str = ""
    experience: str = ""

    def has(self, role: str, experience: str) -> bool:
        """Whether somebody of this role and experience is among them."""
        has_role = not self.role or role in (self.role, BOTH)
        return has_role and self.experience in ("", experience)


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
    ranked = _within(rankings, items)
    if len(ranked) < FEWEST_RATERS or len(items) < 2:
        return GroupResult(len(ranked))
    ranks = rank_matrix(ranked, items)
    themes = []
    for code, rank in zip(items, mean_ranks(ranks), strict=True):
        themes.append(ThemeResult(code, sum(code in ranking for ranking in ranked), rank))
    themes.sort(key=lambda theme: theme.rank.mean)
    return GroupResult(len(ranked), tuple(themes), agreement(ranks))


def compare(rankings: Sequence[Ranking], items: Sequence[str], order: PublishedOrder) -> RankCorrelation | None:
    """How far the rankings' mean ranks follow a published order, over the items that have a position in it."""
    positions = dict(order.comparable(items))
    ranked = _within(rankings, items)
    if not ranked or not positions:
        return None
    columns = [place for place, code in enumerate(items) if code in positions]
    return correlate(rank_matrix(ranked, items)[:, columns], np.array([positions[items[place]] for place in columns]))


def _within(rankings: Sequence[Ranking], items: Sequence[str]) -> list[Ranking]:
    """The rankings of these items alone, without empty ones."""
    narrowed = [within(ranking, items) for ranking in rankings]
    return [ranking for ranking in narrowed if ranking]


@dataclass(frozen=True)
class SurveyResults:
    """The results of all answers: `answers` count, `excluded` were left out by staff.

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
    by_audience: dict[tuple[Audience, str], list[Ranking]] = defaultdict(list)
    audiences = [Audience(role, experience) for role, experience in product(ROLES, EXPERIENCES)]
    for ranked in rankings:
        for audience in audiences:
            if audience.has(ranked.role, ranked.experience):
                by_audience[audience, ranked.group].append(ranked.ranking)
    groups = {}
    for audience in audiences:
        for group, codes in items.items():
            groups[audience, group] = measure(by_audience[audience, group], codes)
    comparisons = {}
    for order in orders:
        counted = by_audience[Audience(order.role, order.experience), order.group]
        comparisons[order.slug] = compare(counted, items.get(order.group, ()), order)
    return SurveyResults(answers, excluded, groups, comparisons)
