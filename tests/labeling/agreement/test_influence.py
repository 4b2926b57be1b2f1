"""The influence of suggestions: differences by hand, and agreement by other libraries."""

import statistics
from importlib import import_module
from typing import Literal

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.agreement.influence import Observed, Scale, _weighted_median, agreed, medians, shares

raters = import_module("statsmodels.stats.inter_rater")  # it has no types


def observed(assisted: list[float], blind: list[float]) -> list[Observed]:
    """Votes on issues in turn: of each issue one vote of either arm, as far as there are any."""
    rows = [Observed(unit, True, value) for unit, value in enumerate(assisted)]
    return rows + [Observed(unit, False, value) for unit, value in enumerate(blind)]


def test_shares_differ_as_counted_by_hand() -> None:
    found = shares(observed([1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 0, 0, 1, 0]))
    assert (found.assisted, found.blind) == (7 / 8, 2 / 6)
    assert (found.assisted_votes, found.blind_votes) == (8, 6)
    assert found.value == pytest.approx(7 / 8 - 2 / 6)
    # By hand from Newcombe 1998, method 10: Wilson 0.5291 to 0.9776, and 0.0968 to 0.7000.
    assert found.newcombe is not None
    low = (7 / 8 - 2 / 6) - ((7 / 8 - 0.52911) ** 2 + (0.70001 - 2 / 6) ** 2) ** 0.5
    high = (7 / 8 - 2 / 6) + ((0.97759 - 7 / 8) ** 2 + (2 / 6 - 0.09677) ** 2) ** 0.5
    assert [found.newcombe.low, found.newcombe.high] == pytest.approx([low, high], abs=1e-3)


def test_too_few_votes_of_an_arm_have_their_number_and_nothing_else() -> None:
    found = shares(observed([1.0] * 9, [0.0] * 4))
    assert (found.assisted_votes, found.blind_votes, found.value, found.by_issue) == (9, 4, None, None)


def test_medians_differ_and_their_interval_is_that_of_resampled_issues() -> None:
    random = np.random.default_rng(3)
    assisted, blind = random.integers(5, 60, 40).tolist(), random.integers(20, 90, 40).tolist()
    found = medians(observed(assisted, blind), samples=2_000)
    assert found.value == statistics.median(assisted) - statistics.median(blind)
    drawn = []
    for _ in range(2_000):
        units = random.integers(0, 40, 40)
        drawn.append(np.median(np.take(assisted, units)) - np.median(np.take(blind, units)))
    low, high = np.percentile(drawn, [2.5, 97.5])
    assert found.by_issue is not None
    assert [found.by_issue.low, found.by_issue.high] == pytest.approx([low, high], abs=3)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 4)), min_size=1, max_size=20))
def test_a_weighted_median_is_that_of_the_repeated_values(pairs: list[tuple[int, int]]) -> None:
    pairs = sorted(pairs)
    repeated = [value for value, times in pairs for _ in range(times)]
    values = np.array([float(value) for value, _ in pairs])
    (found,) = _weighted_median(values, np.array([[float(times) for _, times in pairs]]))
    assert np.isnan(found) if not repeated else found == statistics.median(repeated)


def test_a_model_beside_a_person_is_compared_over_what_both_answered() -> None:
    model = ["a", "b", "a", "a", "c", "b", "a", "c"]
    person = ["a", "b", "b", "a", "c", "a", "a", "b"]
    rows = [(unit, "model", frozenset({code})) for unit, code in enumerate(model)]
    rows += [(unit, "other", frozenset({code})) for unit, code in enumerate(person)]
    rows.append((99, "model", frozenset({"a"})))
    found = agreed(rows, Scale(), is_pair=True)
    assert found.units == 8
    assert found.percent.value == pytest.approx(5 / 8)
    assert found.kappa is not None
    crossed = np.array([[list(zip(model, person, strict=True)).count((a, b)) for b in "abc"] for a in "abc"])
    assert found.kappa.value == pytest.approx(raters.cohens_kappa(crossed).kappa)
    numbers = ["abc".index(code) for code in (*model, *person)]
    theirs = krippendorff.alpha(np.array(numbers).reshape(2, 8), level_of_measurement="nominal")
    assert found.alpha.value == pytest.approx(theirs)
    assert found.alpha.interval is not None


@pytest.mark.parametrize(("level", "scale"), [("ordinal", Scale(("1", "2", "3"))), ("interval", Scale((), True))])
def test_steps_and_numbers_have_the_alpha_that_fits(level: Literal["ordinal", "interval"], scale: Scale) -> None:
    model, person = [1, 2, 3, 1, 2, 3], [1, 3, 3, 2, 2, 2]
    rows = [(unit, "model", frozenset({str(code)})) for unit, code in enumerate(model)]
    rows += [(unit, "other", frozenset({str(code)})) for unit, code in enumerate(person)]
    theirs = krippendorff.alpha(np.array([model, person]), level_of_measurement=level)
    assert agreed(rows, scale, is_pair=True).alpha.value == pytest.approx(theirs)
