"""Evaluates families of coefficients: their values, or the reasons why they have none, and bootstrap intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from labeling.agreement.patterns import Patterns, Sizes
from labeling.agreement.votes import Floats

SAMPLES = 1_000
SEED = 20_260_501
NO_ROOM = 1e-12


@dataclass(frozen=True)
class BootstrapInterval:
    """The middle 95 % of a coefficient's values when units are resampled with replacement.

    Efron and Tibshirani 1993, chapter 13. In `undefined` of the `samples` the coefficient was undefined; the bounds
    are of the others. `low` and `high` are None, and `reason` says why, when there are no bounds.
    """

    low: float | None
    high: float | None
    samples: int
    undefined: int
    reason: str = ""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient's value, or the reason why it has none.

    `key` is for programs, `name` for people. `value` is None exactly if `reason` is not empty. `observed` and
    `expected` are agreements from 0 to 1; percent agreement has no expected one. `units`, `votes` and `missing`: see
    `patterns.Sizes`.
    """

    key: str
    name: str
    value: float | None
    reason: str
    observed: float | None
    expected: float | None
    units: int
    votes: int
    missing: int
    interval: BootstrapInterval | None = None


@dataclass(frozen=True, eq=False)
class Parts:
    """Values with the agreements they are computed from, samples x items each; NaN where undefined."""

    value: Floats
    observed: Floats
    expected: Floats


@dataclass(frozen=True)
class Item:
    """One coefficient of a family: its name, its sizes, and why it is undefined ("" if it is defined)."""

    key: str
    name: str
    sizes: Sizes
    reason: str


@dataclass(frozen=True)
class Family:
    """Coefficients that are computed together; `evaluate` maps weights, samples x patterns, to their parts."""

    items: tuple[Item, ...]
    evaluate: Callable[[Floats], Parts]


def corrected(observed: Floats, expected: Floats) -> Parts:
    """(observed - expected) / (1 - expected), undefined where the expected agreement is 1."""
    room = 1 - expected
    room = np.where(room > NO_ROOM, room, np.nan)
    return Parts((observed - expected) / room, observed, expected)


def quotient(part: Floats, whole: Floats) -> Floats:
    """`part` / `whole`, NaN where `whole` is 0."""
    return part / np.where(whole > 0, whole, np.nan)


def measure(
    patterns: Patterns, families: Sequence[Family], *, samples: int = 0, seed: int = SEED
) -> list[tuple[Coefficient, ...]]:
    """The coefficients of each family, with intervals unless `samples` is 0.

    All families see the same samples.
    """
    coefficients = [_coefficients(patterns, family) for family in families]
    if samples < 1:
        return coefficients
    values: list[list[Floats]] = [[] for _ in families]
    if patterns.sizes(all_votes=False).units > 1:
        for weights in patterns.resampled(samples, seed):
            for family_values, family in zip(values, families, strict=True):
                family_values.append(family.evaluate(weights).value)
    with_intervals = []
    for of_family, family_values in zip(coefficients, values, strict=True):
        with_interval = []
        for column, coefficient in enumerate(of_family):
            if coefficient.value is not None:
                interval = _interval(coefficient, [batch[:, column] for batch in family_values], samples)
                coefficient = replace(coefficient, interval=interval)
            with_interval.append(coefficient)
        with_intervals.append(tuple(with_interval))
    return with_intervals


def _coefficients(patterns: Patterns, family: Family) -> tuple[Coefficient, ...]:
    parts = family.evaluate(patterns.repeats[None, :].astype(np.float64))
    coefficients = []
    for column, item in enumerate(family.items):
        value = None if item.reason else _number(parts.value[0, column])
        observed, expected = _number(parts.observed[0, column]), _number(parts.expected[0, column])
        sizes = item.sizes
        coefficients.append(
            Coefficient(
                item.key, item.name, value, item.reason, observed, expected, sizes.units, sizes.votes, sizes.missing
            )
        )
    return tuple(coefficients)


def _number(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _interval(coefficient: Coefficient, batches: list[Floats], samples: int) -> BootstrapInterval:
    """The interval of a defined coefficient from its values in the samples."""
    if coefficient.units < 2:
        return BootstrapInterval(None, None, samples, samples, "An interval needs two issues with two votes each.")
    values = np.concatenate(batches)
    defined = values[~np.isnan(values)]
    undefined = samples - len(defined)
    if not len(defined):
        return BootstrapInterval(None, None, samples, undefined, "The coefficient is undefined in every sample.")
    low, high = np.percentile(defined, [2.5, 97.5])
    return BootstrapInterval(float(low), float(high), samples, undefined)
