"""Bootstrap intervals: seeded, of the right width, honest about samples without a value."""

from math import sqrt

import pytest

from labeling.agreement import SAMPLES, Coefficient, tabulate
from labeling.agreement.patterns import fold
from tests.labeling.agreement.strategies import coefficient, seeded
from tests.labeling.agreement.tables import crossed, rows_of, table_of


def bounds(coefficient: Coefficient) -> list[float]:
    interval = coefficient.interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    return [interval.low, interval.high]


def test_a_seed_gives_the_same_interval_and_another_seed_another() -> None:
    table = seeded(1, units=60, annotators=3)
    first, again, other = (coefficient(table, "alpha_nominal", samples=SAMPLES, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.interval != other.interval


def test_the_interval_of_a_share_is_that_of_a_binomial() -> None:
    # 340 of 400 agree: the standard error of a share is known.
    half = 1.96 * sqrt(0.85 * 0.15 / 400)
    found = bounds(coefficient(crossed([[200, 40], [20, 140]]), "percent", samples=SAMPLES))
    assert found == pytest.approx([0.85 - half, 0.85 + half], abs=0.004)


def test_the_interval_of_kappa_is_that_of_its_standard_error() -> None:
    # Fleiss, Levin and Paik 2003, table 18.1, tenfold: kappa 0.676; Fleiss, Cohen and Everitt's (1969) standard error.
    counts = [[750, 10, 40], [50, 40, 10], [0, 0, 100]]
    half = 1.96 * standard_error(counts)
    found = bounds(coefficient(crossed(counts), "cohen_mean", samples=SAMPLES))
    assert found == pytest.approx([0.676 - half, 0.676 + half], abs=0.005)


def standard_error(counts: list[list[int]]) -> float:
    """Fleiss, Cohen and Everitt, Psychological Bulletin 72 (1969), formula 13."""
    total = sum(map(sum, counts))
    p = [[n / total for n in row] for row in counts]
    rows, columns = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
    size = range(len(p))
    expected: float = sum(rows[i] * columns[i] for i in size)
    kappa: float = (sum(p[i][i] for i in size) - expected) / (1 - expected)
    same: float = sum(p[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2 for i in size)
    other: float = sum(p[i][j] * (columns[i] + rows[j]) ** 2 for i in size for j in size if i != j) * (1 - kappa) ** 2
    return sqrt((same + other - (kappa - expected * (1 - kappa)) ** 2) / total) / (1 - expected)


def test_samples_without_a_value_are_counted() -> None:
    # Two units of four say b: one sample in sixteen draws a alone, and one in sixteen b alone.
    interval = coefficient(table_of("a a", "a a", "b b", "b b"), "alpha_nominal", samples=SAMPLES).interval
    assert interval is not None
    assert interval.samples == 1_000
    assert 60 < interval.undefined < 200
    assert (interval.low, interval.high) == (1, 1)


def test_one_unit_has_no_interval() -> None:
    interval = coefficient(table_of("a b a", "a . ."), "ac1", samples=SAMPLES).interval
    assert interval is not None
    assert (interval.low, interval.high, interval.undefined) == (None, None, 1_000)
    assert interval.reason == "An interval needs two issues with two votes each."


def test_no_samples_mean_no_interval() -> None:
    assert coefficient(table_of("a b", "a a"), "ac1", samples=0).interval is None


def test_an_undefined_coefficient_has_no_interval() -> None:
    assert coefficient(table_of("a a", "a a"), "ac1", samples=SAMPLES).interval is None


def test_every_sample_has_as_many_units_as_there_are() -> None:
    patterns = fold(tabulate(rows_of([["a", "b"], ["a", "b"], ["b", "b"], ["a", None]])))
    assert patterns.repeats.tolist() == [1, 2, 1]
    drawn = [sample for samples in patterns.resampled(50, 1) for sample in samples.tolist()]
    assert len(drawn) == 50
    assert {sum(sample) for sample in drawn} == {4}
    assert len({tuple(sample) for sample in drawn}) > 5


def test_folding_does_not_mix_up_rows_of_many_annotators() -> None:
    # 40 annotators and 26 answers: a row as one number would not fit into 64 bits.
    table = seeded(3, units=300, annotators=40, codes="abcdefghijklmnopqrstuvwxyz", missing=0.5)
    patterns = fold(table)
    rows = {tuple(row) for row in table.cells.tolist()}
    assert {tuple(row) for row in patterns.cells.tolist()} == rows
    assert (len(rows), patterns.units) == (300, 300)
