"""Cases without a number: each has its reason, and nothing divides by nothing."""

import pytest

from labeling.agreement import SAMPLES, VoteTable, report_axis, tabulate
from labeling.agreement.distances import answer_distances
from labeling.agreement.pairs import weighted
from tests.labeling.agreement.strategies import CODES, coefficient, coefficients
from tests.labeling.agreement.tables import table_of

CHANCE_CORRECTED = ("fleiss_varying", "ac1", "alpha_nominal", "cohen_mean")


def reasons(table: VoteTable) -> set[str]:
    return {one.reason for one in coefficients(table).values()}


def test_nobody_has_voted() -> None:
    report = report_axis("axis", tabulate([], units=["u0", "u1"]), CODES)
    assert {one.reason for one in report.coefficients} == {"Nobody has voted yet."}
    assert (report.units, report.votes, report.nodes, report.pairs, report.dissent) == (0, 0, (), (), ())


def test_one_annotator() -> None:
    assert reasons(table_of("a", "b", "a")) == {"Only r0 has voted; agreement needs two."}


def test_no_issue_with_two_votes() -> None:
    assert reasons(table_of("a .", ". b")) == {"No issue has two votes."}


def test_a_single_category_leaves_percent_agreement_alone() -> None:
    found = coefficients(table_of("a a a", "a a a", "a a a"))
    assert (found["percent"].value, found["percent"].reason) == (1, "")
    for key in ("fleiss", *CHANCE_CORRECTED):
        assert found[key].value is None
    assert (found["fleiss"].observed, found["fleiss"].expected) == (1, 1)
    assert found["ac1"].reason.startswith("Every vote that can be compared says 'a'")
    assert found["cohen_mean"].reason == (
        "No pair of annotators has a kappa. Both always say 'a': agreement beyond chance is undefined."
    )


def test_unanimous_over_two_categories_is_1() -> None:
    found = coefficients(table_of("a a a", "b b b"))
    assert {key: one.value for key, one in found.items() if key in ("fleiss", *CHANCE_CORRECTED)} == {
        key: pytest.approx(1) for key in ("fleiss", *CHANCE_CORRECTED)
    }


def test_another_category_on_a_lonely_vote_does_not_help_alpha() -> None:
    found = coefficients(table_of("a a", "a a", "b ."))
    assert found["alpha_nominal"].value is None
    assert found["fleiss_varying"].value == pytest.approx(1)


def test_uneven_numbers_of_votes_leave_fleiss_undefined_and_name_them() -> None:
    found = coefficients(table_of("a a b", "b b .", "a b a"))
    assert found["fleiss"].reason == (
        "Fleiss' kappa needs the same number of votes on every issue; here they have 2 to 3."
    )
    assert found["fleiss_varying"].value is not None


def test_two_who_never_met() -> None:
    table = table_of("a a .", ". b b", "b a .")
    _, pair, _ = report_axis("axis", table, samples=SAMPLES).pairs
    assert (pair.first, pair.second) == ("r0", "r2")
    kappa = pair.kappa
    assert (kappa.value, kappa.units, kappa.interval) == (None, 0, None)
    assert kappa.reason == "No issue has a vote of both r0 and r2."


def test_a_node_that_every_vote_names_or_only_a_lonely_one() -> None:
    nodes = {node.code: node for node in report_axis("axis", table_of("a+b a", "a a+b", "c ."), samples=0).nodes}
    assert nodes["a"].alpha.reason == "Every vote that can be compared names 'a': agreement beyond chance is undefined."
    assert nodes["a"].ac1.value == pytest.approx(1)
    assert nodes["c"].alpha.reason == "No vote that can be compared names 'c'."
    assert nodes["c"].chosen_again.value is None
    assert nodes["b"].alpha.value is not None


def test_two_annotators_have_no_majority_of_others() -> None:
    for profile in report_axis("axis", table_of("a b", "a a"), samples=0).dissent:
        assert profile.rate is None
        assert profile.reason.startswith("On no issue of r")


def test_weights_without_an_order_are_refused() -> None:
    with pytest.raises(ValueError, match="order of two nodes"):
        weighted(table_of("a b"), "linear", ())


def test_votes_outside_of_the_order_are_missing() -> None:
    kappa = coefficient(table_of("a b", "b b", "c a", "a+b a"), "cohen_linear_mean", order="ab")
    assert (kappa.units, kappa.missing) == (2, 2)


def test_an_unknown_distance_is_refused() -> None:
    with pytest.raises(ValueError, match="No such distance"):
        answer_distances(table_of("a b").membership(), "cosine")  # type: ignore[arg-type]


def test_two_votes_of_one_annotator_on_one_unit_are_refused() -> None:
    with pytest.raises(ValueError, match="two votes"):
        tabulate([("u", "r", frozenset("a")), ("u", "r", frozenset("b"))])


def test_telling_nothing_beside_a_node_is_refused() -> None:
    with pytest.raises(ValueError, match="names nodes"):
        tabulate([("u", "r", frozenset({"a", "the report does not say"}))])
