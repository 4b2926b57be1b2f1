"""The coefficients against worked examples as their authors published them."""

import pytest

from labeling.agreement import Coefficient, report_axis, tabulate
from labeling.agreement.distances import Distance, answer_distances
from tests.labeling.agreement.strategies import coefficient
from tests.labeling.agreement.tables import (
    KRIPPENDORFF_A,
    KRIPPENDORFF_B,
    KRIPPENDORFF_C,
    by_annotator,
    crossed,
    fleiss_1971,
    table_of,
)


def rounded(coefficient: Coefficient, digits: int) -> float:
    assert coefficient.value is not None, coefficient.reason
    return round(coefficient.value, digits)


class TestFleiss1971:
    def test_kappa_and_what_it_is_made_of(self) -> None:
        kappa = coefficient(fleiss_1971(), "fleiss")
        assert rounded(kappa, 3) == 0.430
        assert kappa.observed is not None
        assert kappa.expected is not None
        assert (round(kappa.observed, 3), round(kappa.expected, 3)) == (0.556, 0.220)
        assert (kappa.units, kappa.votes, kappa.missing) == (30, 180, 0)

    def test_kappa_of_each_category(self) -> None:
        # Table 2's kappa of a category; alpha differs from it by the correction for small samples, n / (n - 1).
        votes = 180
        kappas = {}
        for node in report_axis("axis", fleiss_1971(), samples=0).nodes:
            assert node.alpha.value is not None
            kappas[node.code] = round(1 - (1 - node.alpha.value) * votes / (votes - 1), 3)
        assert kappas == {"D": 0.245, "P": 0.245, "S": 0.520, "N": 0.471, "O": 0.566}

    def test_how_often_a_category_is_chosen_again(self) -> None:
        # The conditional probabilities that the categories' kappas are made of: p + kappa * (1 - p).
        nodes = report_axis("axis", fleiss_1971(), samples=0).nodes
        again = {node.code: rounded(node.chosen_again, 2) for node in nodes}
        assert again == {"D": 0.35, "P": 0.35, "S": 0.60, "N": 0.63, "O": 0.67}


class TestKrippendorff2011:
    @pytest.mark.parametrize(
        ("annotators", "published"), [(KRIPPENDORFF_A, 0.095), (KRIPPENDORFF_B, 0.692), (KRIPPENDORFF_C, 0.743)]
    )
    def test_nominal_alpha(self, annotators: tuple[str, ...], published: float) -> None:
        assert rounded(coefficient(by_annotator(*annotators), "alpha_nominal"), 3) == published

    def test_missing_votes_are_counted_and_a_lonely_vote_is_left_out(self) -> None:
        alpha = coefficient(by_annotator(*KRIPPENDORFF_C), "alpha_nominal")
        assert (alpha.units, alpha.votes, alpha.missing) == (11, 40, 7)


class TestGwet2014:
    """Four raters, twelve subjects, missing ratings (Handbook of Inter-Rater Reliability, 4th edition)."""

    def test_ac1_percent_and_fleiss_for_varying_numbers(self) -> None:
        table = by_annotator(*KRIPPENDORFF_C)
        assert rounded(coefficient(table, "ac1"), 5) == 0.77544
        assert rounded(coefficient(table, "percent"), 5) == 0.81818
        assert rounded(coefficient(table, "fleiss_varying"), 5) == 0.76117
        assert rounded(coefficient(table, "alpha_nominal"), 5) == 0.74342


class TestGwet2008:
    """125 subjects, two raters, almost all positive (British Journal of Mathematical and Statistical Psychology 61)."""

    def test_ac1_stays_high_where_kappa_is_below_nothing(self) -> None:
        table = crossed([[118, 5], [2, 0]])
        assert rounded(coefficient(table, "ac1"), 4) == 0.9408
        assert rounded(coefficient(table, "cohen_mean"), 4) == -0.0234


class TestCohen:
    @pytest.mark.parametrize(
        ("counts", "published"),
        [
            # Cohen, Psychological Bulletin 70 (1968), table 1, as frequencies of 100.
            ([[44, 5, 1], [7, 20, 3], [9, 5, 6]], 0.492),
            # Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions (2003), table 18.1.
            ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], 0.676),
            # Feinstein and Cicchetti, Journal of Clinical Epidemiology 43 (1990): the same observed agreement of 0.85.
            ([[40, 9], [6, 45]], 0.700),
            ([[80, 10], [5, 5]], 0.318),
        ],
    )
    def test_kappa(self, counts: list[list[int]], published: float) -> None:
        assert rounded(coefficient(crossed(counts), "cohen_mean"), 3) == published

    def test_weighted_kappa(self) -> None:
        # Agresti, Categorical Data Analysis: 91 couples (Hout, Duncan and Sobel 1987), in R's vcd 0.1293 and 0.2374.
        table = crossed([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]])
        assert rounded(coefficient(table, "cohen_mean"), 4) == 0.1293
        assert rounded(coefficient(table, "cohen_linear_mean", order="0123"), 4) == 0.2374


class TestPassonneau2006:
    """MASI, Measuring Agreement on Set-valued Items: 1 - Jaccard * monotonicity."""

    @pytest.mark.parametrize(
        ("first", "second", "jaccard", "masi"),
        [
            ("a+b", "a+b", 0, 0),
            ("a", "a+b", 1 / 2, 1 - 1 / 2 * 2 / 3),
            ("a+b", "a+b+c+d", 1 / 2, 1 - 1 / 2 * 2 / 3),
            ("a+b+c", "b+c+d", 1 / 2, 1 - 1 / 2 * 1 / 3),
            ("a+b", "b+c", 2 / 3, 1 - 1 / 3 * 1 / 3),
            ("a+b", "c+d", 1, 1),
            ("a", "b", 1, 1),
        ],
    )
    def test_distance_of_two_sets(self, first: str, second: str, jaccard: float, masi: float) -> None:
        membership = table_of(f"{first} {second}").membership()
        wanted: dict[Distance, float] = {"jaccard": jaccard, "masi": masi, "nominal": float(first != second)}
        for distance, published in wanted.items():
            assert answer_distances(membership, distance)[0, -1] == pytest.approx(published)

    def test_alpha_with_masi_by_hand(self) -> None:
        # Votes a, ab | b, b. Distances: a-ab 2/3, b-ab 2/3, a-b 1. Observed: 2 * 2/3 of 4 votes; expected:
        # ordered pairs a-ab 2, ab-b 4, a-b 4 of 12, so (2 + 4) * 2/3 + 4 of 12.
        alpha = coefficient(table_of("a a+b", "b b"), "alpha_masi")
        assert alpha.value == pytest.approx(1 - (4 / 3 / 4) / (8 / 12))

    def test_a_report_that_tells_nothing_is_an_answer_of_its_own(self) -> None:
        rows = [("u", "r0", frozenset[str]()), ("u", "r1", frozenset({"a"}))]
        assert answer_distances(tabulate(rows).membership(), "masi").tolist() == [[0, 1], [1, 0]]
