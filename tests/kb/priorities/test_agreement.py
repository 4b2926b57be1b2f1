"""Agreement of rankings: hand values, what must always hold, and how often chance and interval are right."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from kb.core.chances import student_95
from kb.priorities.agreement import FEWEST_RATERS, agreement, kendall_w, mean_ranks, shuffled_chance, words_of
from kb.priorities.correlation import correlate, most_possible, tau_b
from kb.priorities.rankings import (
    MOST_PLACES,
    Floats,
    RankingRefusedError,
    Repeat,
    as_ranking,
    rank_matrix,
    ranks_of,
    repeats,
    within,
)

ITEMS = ("a", "b", "c", "d", "e", "f", "g")
rankings = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5, unique=True).map(tuple)
panels = st.lists(rankings, min_size=FEWEST_RATERS, max_size=12)


def ranks_at_random(generator: np.random.Generator, raters: int, *, pull: float = 0.0, items: int = 10) -> Floats:
    """Rankings of the first five by Plackett and Luce; `pull` says how much better each item is than the next."""
    codes = [str(number) for number in range(items)]
    orders = np.argsort(np.arange(items) * pull + generator.gumbel(size=(raters, items)), axis=1)[:, :MOST_PLACES]
    return rank_matrix([tuple(map(str, order)) for order in orders], codes)


class TestRanks:
    def test_what_is_not_ranked_shares_the_mean_of_the_ranks_left(self) -> None:
        assert ranks_of(("c", "a"), ("a", "b", "c", "d", "e")) == (2, 4, 1, 4, 4)

    def test_what_is_no_item_is_refused_or_left_out(self) -> None:
        with pytest.raises(RankingRefusedError, match="z is not"):
            ranks_of(("a", "z"), ("a", "b"))
        assert within(("z", "b", "a"), ("a", "b")) == ("b", "a")

    def test_empty_places_are_closed_up(self) -> None:
        assert as_ranking(["a", "", "b", ""]) == ("a", "b")

    def test_repeats_are_found_with_their_places(self) -> None:
        assert repeats(["a", "", "a", "b", "a"]) == (Repeat("a", 1, 3), Repeat("a", 1, 5))
        with pytest.raises(RankingRefusedError):
            as_ranking(["a", "a"])

    def test_there_are_five_places(self) -> None:
        with pytest.raises(RankingRefusedError):
            as_ranking(ITEMS[:6])

    @given(rankings)
    def test_ranks_add_up_as_whole_rankings_do(self, ranking: tuple[str, ...]) -> None:
        assert sum(ranks_of(ranking, ITEMS)) == len(ITEMS) * (len(ITEMS) + 1) / 2


class TestKendallsW:
    def test_by_hand(self) -> None:
        """Sums 4, 5, 9 around 6: S = 14, and W = 12 · 14 / (9 · 24)."""
        assert kendall_w(np.array([[1.0, 2, 3], [1, 2, 3], [2, 1, 3]])) == pytest.approx(168 / 216)

    def test_opposite_rankings_do_not_agree(self) -> None:
        assert kendall_w(np.array([[1.0, 2, 3, 4], [4, 3, 2, 1]])) == 0

    @given(panels)
    @settings(max_examples=60)
    def test_is_friedmans_statistic_over_its_largest_ties_included(self, panel: list[tuple[str, ...]]) -> None:
        ranks = rank_matrix(panel, ITEMS)
        friedman = stats.friedmanchisquare(*ranks.T).statistic
        assert kendall_w(ranks) == pytest.approx(friedman / (len(panel) * (len(ITEMS) - 1)), abs=1e-12)

    @given(panels)
    @settings(max_examples=60)
    def test_is_a_share_inside_its_interval(self, panel: list[tuple[str, ...]]) -> None:
        found = agreement(rank_matrix(panel, ITEMS))
        assert 0 <= found.w <= 1
        assert 0 < found.chance <= 1
        if found.low is not None and found.high is not None:
            assert 0 <= found.low <= found.w + 1e-12
            assert found.w - 1e-12 <= found.high <= 1

    @given(rankings, st.integers(FEWEST_RATERS, 30))
    @settings(max_examples=30)
    def test_the_same_ranking_by_all_is_1_without_spread(self, ranking: tuple[str, ...], raters: int) -> None:
        found = agreement(rank_matrix([ranking] * raters, ITEMS))
        assert found.w == pytest.approx(1)
        assert (found.low, found.high) == (None, None)

    @given(panels, st.permutations(ITEMS))
    @settings(max_examples=40)
    def test_names_and_the_order_of_raters_do_not_matter(self, panel: list[tuple[str, ...]], others: list[str]) -> None:
        renamed = dict(zip(ITEMS, others, strict=True))
        changed = [tuple(renamed[code] for code in ranking) for ranking in reversed(panel)]
        assert kendall_w(rank_matrix(changed, ITEMS)) == pytest.approx(kendall_w(rank_matrix(panel, ITEMS)))

    def test_too_few_are_refused(self) -> None:
        with pytest.raises(ValueError, match="fewer than 5"):
            agreement(np.tile([1.0, 2, 3], (4, 1)))
        with pytest.raises(ValueError, match="cannot agree"):
            kendall_w(np.array([[1.0, 2]]))
        with pytest.raises(ValueError, match="prefers"):
            kendall_w(np.ones((3, 3)))

    @pytest.mark.parametrize(("w", "words"), [(0, "very weak"), (0.3, "weak"), (0.5, "moderate"), (1, "very strong")])
    def test_is_put_into_words(self, w: float, words: str) -> None:
        assert words_of(w) == words


class TestChance:
    def test_rankings_at_random_are_found_unusual_as_often_as_is_said(self) -> None:
        generator = np.random.default_rng(7)
        few = [shuffled_chance(ranks_at_random(generator, 7), shuffles=399) <= 0.05 for _ in range(400)]
        many = [agreement(ranks_at_random(generator, 40)).chance <= 0.05 for _ in range(400)]
        # 5 % of 400 with three standard errors.
        assert 0.017 < np.mean(few) < 0.083
        assert 0.017 < np.mean(many) < 0.083

    def test_few_rankings_shuffled_come_near_to_all_there_are(self) -> None:
        """Three raters of three items have 216 ways to rank; the chance is counted out."""
        ranks = np.array([[1.0, 2, 3], [1, 2, 3], [2, 1, 3]])
        every = list(permutations([1.0, 2, 3]))
        spreads = [
            sum((sum(column) - 6) ** 2 for column in zip(a, b, c, strict=True))
            for a in every
            for b in every
            for c in every
        ]
        exact = np.mean([spread >= 14 for spread in spreads])
        assert shuffled_chance(ranks, shuffles=9_999) == pytest.approx(exact, abs=0.015)

    def test_is_the_same_each_time(self) -> None:
        ranks = ranks_at_random(np.random.default_rng(3), 9)
        assert agreement(ranks) == agreement(ranks)

    @pytest.mark.parametrize("freedom", [4, 5, 9, 30, 500])
    def test_student(self, freedom: int) -> None:
        assert student_95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=0.002)


class TestIntervals:
    @pytest.mark.parametrize("raters", [6, 15])
    def test_hold_the_agreement_of_all_people_nearly_as_often_as_is_said(self, raters: int) -> None:
        """All people: 4,000 drawn ones. W of n is (1 + (n - 1) r) / n with r the mean correlation of two people."""
        generator = np.random.default_rng(11)
        everybody = kendall_w(ranks_at_random(generator, 4_000, pull=0.3))
        expected = (1 + (raters - 1) * (4_000 * everybody - 1) / 3_999) / raters
        held = 0
        for _ in range(250):
            found = agreement(ranks_at_random(generator, raters, pull=0.3))
            held += found.low is None or found.high is None or found.low <= expected <= found.high
        assert 0.89 < held / 250 <= 1

    def test_of_mean_ranks_are_students(self) -> None:
        ranks = ranks_at_random(np.random.default_rng(5), 12)
        bounds = stats.t.interval(0.95, 11, ranks.mean(axis=0), stats.sem(ranks, axis=0))
        for found, low, high in zip(mean_ranks(ranks), *bounds, strict=True):
            assert found.low == pytest.approx(max(1, low), abs=0.001)
            assert found.high == pytest.approx(min(10, high), abs=0.001)

    def test_of_a_rank_that_all_give_there_is_none(self) -> None:
        (first, *_) = mean_ranks(rank_matrix([("a", "b"), ("a", "c")] * 3, ("a", "b", "c")))
        assert (first.mean, first.low, first.high) == (1, None, None)


class TestCorrelation:
    @given(st.lists(st.integers(1, 5), min_size=3, max_size=8), st.data())
    def test_is_scipys(self, first: list[int], data: st.DataObject) -> None:
        second = data.draw(st.lists(st.integers(1, 5), min_size=len(first), max_size=len(first)))
        found = tau_b(np.array(first, dtype=float), np.array(second, dtype=float))
        expected = stats.kendalltau(first, second).statistic
        assert found is None if np.isnan(expected) else found == pytest.approx(expected)

    def test_of_the_published_order_itself_is_1_and_of_the_reverse_minus_1(self) -> None:
        order = np.array([1.0, 2, 3, 4])
        same, reverse = correlate(np.tile(order, (6, 1)), order), correlate(np.tile(order[::-1], (6, 1)), order)
        assert same is not None
        assert reverse is not None
        assert (same.tau, same.low, same.high, same.most) == pytest.approx((1, 1, 1, 1))
        assert reverse.tau == pytest.approx(-1)

    def test_ties_of_the_order_keep_it_below_1(self) -> None:
        """Three of ten named: 21 of 45 pairs can be told apart."""
        order = np.array([1.0] * 3 + [2.0] * 7)
        assert most_possible(order) == pytest.approx((21 / 45) ** 0.5)
        found = correlate(np.tile(np.arange(1.0, 11), (5, 1)), order)
        assert found is not None
        assert found.tau == pytest.approx(found.most)

    def test_there_is_none_of_too_few_people_or_themes_or_of_equal_ranks(self) -> None:
        order = np.array([1.0, 2, 3])
        assert correlate(np.tile(order, (4, 1)), order) is None
        assert correlate(np.tile(order[:2], (5, 1)), order[:2]) is None
        assert correlate(np.full((5, 3), 2.0), order) is None
