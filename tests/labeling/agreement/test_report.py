"""The report of several axes: what is weak and why, who differs, what is confused, and the paradox, in words."""

import pytest

from labeling.agreement import AxisReport, AxisVotes, report_axes, report_axis, tabulate
from labeling.agreement.dissent import Towards
from labeling.agreement.words import percent
from tests.labeling.agreement.strategies import seeded
from tests.labeling.agreement.tables import crossed, rows_of, table_of


def test_each_axis_has_its_own_report() -> None:
    symptom = AxisVotes("symptom", rows_of([["a", "a"], ["b", "b"], ["a", "b"]]))
    cause = AxisVotes("root_cause", rows_of([["x+y", "x"], ["", "z"]]))
    first, second = report_axes([symptom, cause], samples=10)
    assert (first.axis, first.units, first.votes, first.set_valued) == ("symptom", 3, 6, False)
    assert (second.axis, second.units, second.votes, second.set_valued) == ("root_cause", 2, 4, True)
    assert [node.code for node in second.nodes] == ["the report does not say", "x", "y", "z"]
    keys = [one.key for one in first.coefficients]
    assert keys == ["percent", "fleiss", "fleiss_varying", "ac1", "alpha_nominal", "cohen_mean"]
    more = {one.key for one in second.coefficients} - set(keys)
    assert more == {"alpha_jaccard", "alpha_masi"}
    with pytest.raises(KeyError):
        first.coefficient("alpha_masi")


def test_an_order_adds_weighted_kappas() -> None:
    (report,) = report_axes([AxisVotes("severity", rows_of([["a", "b"], ["b", "b"], ["c", "a"]]), ("a", "b", "c"))])
    assert report.coefficient("cohen_linear_mean").value is not None
    assert report.coefficient("cohen_quadratic_mean").interval is not None


def test_intervals_are_everywhere_and_around_the_value() -> None:
    report = report_axis("axis", seeded(5, units=80, annotators=4, missing=0.1))
    of_nodes = [one for node in report.nodes for one in (node.alpha, node.ac1, node.chosen_again)]
    every = [*report.coefficients, *of_nodes, *(pair.kappa for pair in report.pairs)]
    defined = [one for one in every if one.value is not None]
    assert len(defined) == 5 + 12 + 6
    for one in defined:
        assert one.interval is not None
        assert one.interval.low is not None
        assert one.interval.high is not None
        assert one.value is not None
        assert one.interval.low < one.value < one.interval.high


def test_pairs_are_named_and_stand_on_what_both_voted_on() -> None:
    pairs = report_axis("axis", table_of("a a b", "b b .", "a b a", ". b b"), samples=0).pairs
    assert [(pair.first, pair.second, pair.kappa.units) for pair in pairs] == [
        ("r0", "r1", 3), ("r0", "r2", 2), ("r1", "r2", 3),
    ]  # fmt: skip


def report_of(*units: str) -> AxisReport:
    """The report of a table of votes, without intervals."""
    return report_axis("axis", table_of(*units), samples=0)


class TestDissent:
    def test_who_differs_and_towards_what(self) -> None:
        odd = report_of("a a a b", "a a a b", "c c c a", "a a b b").dissent[3]
        assert (odd.votes, odd.compared, odd.differing, odd.rate) == (4, 4, 4, 1.0)
        assert odd.towards == (Towards("b", 3), Towards("a", 1))
        assert odd.away_from == (Towards("a", 3), Towards("c", 1))

    def test_a_tie_of_the_others_is_no_majority(self) -> None:
        assert report_of("a b a").dissent[0].compared == 0
        assert report_of("a b b").dissent[0].differing == 1

    def test_of_sets_only_what_differs_is_told(self) -> None:
        odd = report_of("a+b a+c a+c").dissent[0]
        assert (odd.towards, odd.away_from) == ((Towards("b", 1),), (Towards("c", 1),))


class TestConfusion:
    def test_single_nodes_give_the_coincidence_matrix(self) -> None:
        # Krippendorff 2011: each unit's ordered pairs, divided by the votes that a vote is compared with.
        found = report_of("a a b", "b b .").confusion
        assert found.codes == ("a", "b")
        assert found.matrix == ((1.0, 1.0), (1.0, 2.0))
        assert found.alone == (0.0, 0.0)

    def test_partners_are_in_order_with_their_shares(self) -> None:
        found = report_of("a b", "a b", "a c", "a a").confusion
        assert [(partner.code, round(partner.share, 2)) for partner in found.partners("a")] == [("b", 0.4), ("c", 0.2)]

    def test_what_has_no_counterpart_is_alone(self) -> None:
        found = report_of("a+b+c a+d").confusion
        at = {code: number for number, code in enumerate(found.codes)}
        assert found.matrix[at["a"]][at["a"]] == 2
        assert found.matrix[at["b"]][at["d"]] == found.matrix[at["d"]][at["c"]] == 0.5
        assert [found.alone[at[code]] for code in "abcd"] == [0, 0.5, 0.5, 0]


class TestWords:
    def test_a_weak_node_says_its_numbers_and_what_it_is_confused_with(self) -> None:
        report = report_axis("axis", table_of(*["a a"] * 30, *["b c"] * 10, *["b b"] * 5, *["c c"] * 30), samples=200)
        (weak,) = report.weak
        assert weak.code == "b"
        assert weak.agreement.alpha.value is not None
        assert weak.agreement.alpha.interval is not None
        assert weak.words.startswith(f"'b': alpha is {weak.agreement.alpha.value:.2f} (95 % interval 0.")
        assert "20 votes on 15 issues name it." in weak.words
        assert "Where one vote names it, another does so in 50.0 % of the comparisons." in weak.words
        assert "Others say instead: 'c' (50.0 %)." in weak.words

    def test_few_votes_and_nothing_often_confused_are_said_too(self) -> None:
        # One vote for z, never repeated; the other vote on that issue names one node of eight.
        report = report_axis("axis", table_of(*[f"{code} {code}" for code in "abcdefgh"], "z+a a"), samples=200)
        (weak,) = report.weak
        assert weak.words.startswith("'z': alpha is 0.00")
        assert "1 vote on 1 issue name it." in weak.words
        assert "No single other node takes the place of 'z' often." in weak.words

    def test_an_interval_that_reaches_beyond_the_line_says_so(self) -> None:
        report = report_axis("axis", table_of("a a", "b b", "a b", "a a", "b b"), samples=200)
        assert [weak.code for weak in report.weak] == ["a", "b"]
        assert (
            "to 1.00), which with so few votes may still be 0.667 or more; 5 votes on 3 issues" in report.weak[0].words
        )

    @pytest.mark.parametrize(
        ("share", "words"),
        [(0.5, "50.0 %"), (1, "100.0 %"), (0.99996, "over 99.9 %"), (0, "0.0 %"), (0.0001, "under 0.1 %")],
    )
    def test_a_share_is_not_rounded_to_all_or_nothing(self, share: float, words: str) -> None:
        assert percent(share) == words

    def test_nodes_that_all_agree_on_are_not_weak(self) -> None:
        assert report_axis("axis", table_of("a a", "b b", "c c"), samples=0).weak == ()

    def test_a_rare_node_names_the_paradox(self) -> None:
        common, rare = report_axis("axis", crossed([[90, 4], [5, 1]]), samples=0).weak
        assert "Votes agree about it in 91.0 % of the pairs, but mostly that it is the answer" in common.words
        assert "Votes agree about it in 91.0 % of the pairs, but mostly that it is not the answer" in rare.words
        assert "Gwet's AC1, 0.90, credits that, alpha does not." in rare.words

    def test_the_prevalence_paradox_has_both_numbers(self) -> None:
        # Feinstein and Cicchetti 1990: 85 % agree in both tables; Cohen's kappa is 0.70 and 0.32.
        words = report_axis("axis", crossed([[80, 10], [5, 5]]), samples=0).paradox
        assert words.startswith("Votes agree in 85.0 % of the pairs, yet Fleiss' kappa is only 0.31.")
        assert "87.5 % of the votes say '0'" in words
        assert "Gwet's AC1, which expects less by chance here, is 0.81." in words
        assert report_axis("axis", crossed([[40, 9], [6, 45]]), samples=0).paradox == ""


def test_votes_that_tell_nothing_count_as_an_answer() -> None:
    report = report_axis("axis", tabulate(rows_of([["", ""], ["a", ""], ["a", "a"]])), samples=0)
    assert report.votes == 6
    assert report.coefficient("percent").value == pytest.approx(2 / 3)
    assert not report.set_valued
