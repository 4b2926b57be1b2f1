"""What holds for any votes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.agreement import Coefficient, report_axis, tabulate
from labeling.agreement.distances import DISTANCES
from labeling.agreement.families import alpha
from labeling.agreement.measure import measure
from labeling.agreement.patterns import fold
from labeling.agreement.votes import Row
from tests.labeling.agreement.strategies import CODES, coefficients, rows

WEIGHTED = ("cohen_linear_mean", "cohen_quadratic_mean", "alpha_ordinal")
sets = rows(most=3)


def all_of(made: list[Row]) -> list[Coefficient]:
    """Every coefficient of the report, nodes' and pairs' too."""
    report = report_axis("axis", tabulate(made), CODES, samples=0)
    of_nodes = [one for node in report.nodes for one in (node.alpha, node.ac1, node.chosen_again)]
    return [*report.coefficients, *of_nodes, *(pair.kappa for pair in report.pairs)]


def alike(first: dict[str, Coefficient], second: dict[str, Coefficient]) -> bool:
    return first.keys() == second.keys() and all(
        first[key].value == pytest.approx(second[key].value, abs=1e-9)
        and (first[key].units, first[key].votes, first[key].missing)
        == (second[key].units, second[key].votes, second[key].missing)
        for key in first
    )


@given(rows() | sets)
def test_a_coefficient_has_a_value_of_at_most_1_or_a_reason(made: list[Row]) -> None:
    for one in all_of(made):
        assert (one.value is None) == bool(one.reason), one
        assert one.value is None or one.value <= 1 + 1e-12, one


@given(rows() | sets, st.randoms(use_true_random=False))
def test_the_order_of_votes_changes_nothing_at_all(made: list[Row], chance: random.Random) -> None:
    shuffled = chance.sample(made, len(made))
    assert report_axis("axis", tabulate(made), samples=20) == report_axis("axis", tabulate(shuffled), samples=20)


@given(rows() | sets, st.permutations(range(4)))
def test_names_of_annotators_change_nothing(made: list[Row], places: list[int]) -> None:
    renamed = [(unit, f"r{places[int(name[1:])]}", answer) for unit, name, answer in made]
    assert alike(coefficients(tabulate(made)), coefficients(tabulate(renamed)))


@given(rows() | sets, st.permutations("wxyz"))
def test_names_of_nodes_change_nothing(made: list[Row], names: list[str]) -> None:
    new = dict(zip(CODES, names, strict=True))
    renamed = [(unit, name, frozenset(new[code] for code in answer)) for unit, name, answer in made]
    unordered = {key: one for key, one in coefficients(tabulate(made)).items() if key not in WEIGHTED}
    assert alike(unordered, {k: one for k, one in coefficients(tabulate(renamed)).items() if k not in WEIGHTED})


@given(rows() | sets)
def test_a_unit_that_nobody_voted_on_changes_nothing(made: list[Row]) -> None:
    with_more = tabulate(made, units=["nobody", "nobody either"])
    assert report_axis("axis", tabulate(made), samples=20) == report_axis("axis", with_more, samples=20)


@given(rows() | sets, st.integers(2, 4))
def test_identical_votes_give_1_or_a_reason(made: list[Row], annotators: int) -> None:
    answers = {unit: answer for unit, _, answer in made}
    same = [(unit, f"r{number}", answer) for unit, answer in answers.items() for number in range(annotators)]
    for one in all_of(same):
        assert one.value == pytest.approx(1) if one.value is not None else one.reason


@given(rows(least_votes=2))
def test_alpha_of_sets_of_one_is_nominal_alpha(made: list[Row]) -> None:
    patterns = fold(tabulate(made))
    (nominal,), (jaccard,), (masi,) = measure(patterns, [alpha(patterns, distance) for distance in DISTANCES])
    assert jaccard.value == pytest.approx(nominal.value)
    assert masi.value == pytest.approx(nominal.value)


@given(rows(complete=True))
def test_with_as_many_votes_everywhere_both_fleiss_are_one(made: list[Row]) -> None:
    found = coefficients(tabulate(made))
    assert found["fleiss"].value == found["fleiss_varying"].value


@given(rows(complete=True))
def test_with_two_annotators_the_mean_over_pairs_is_the_pair(made: list[Row]) -> None:
    report = report_axis("axis", tabulate([row for row in made if row[1] in {"r0", "r1"}]), samples=0)
    (pair,) = report.pairs
    assert pair.kappa.value == report.coefficient("cohen_mean").value


@given(rows() | sets)
def test_the_confusion_matrix_is_symmetric_and_holds_every_vote_that_can_be_compared(made: list[Row]) -> None:
    found = report_axis("axis", tabulate(made), samples=0).confusion
    voted = [unit for unit, _, _ in made]
    paired = [answer or {"the report does not say"} for unit, _, answer in made if voted.count(unit) > 1]
    for at, code in enumerate(found.codes):
        assert found.matrix[at] == pytest.approx([row[at] for row in found.matrix])
        assert sum(found.matrix[at]) + found.alone[at] == pytest.approx(sum(code in answer for answer in paired))


@given(rows() | sets)
def test_who_differs_is_never_more_than_who_was_compared(made: list[Row]) -> None:
    for profile in report_axis("axis", tabulate(made), samples=0).dissent:
        assert 0 <= profile.differing <= profile.compared <= profile.votes
        assert (profile.rate is None) == bool(profile.reason)
