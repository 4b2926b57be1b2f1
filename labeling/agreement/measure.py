"""From a family of coefficients to their values, reasons and bootstrap intervals."""

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
    """The middle 95 % of a coefficient's values when units are drawn again with replacement.

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
    `expected` are agreements from 0 to 1; percent agreement expects nothing. What `units`, `votes` and `missing`
    count: see `patterns.Sizes`.
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
    """Values with the agreements they come from, samples x items each; NaN where undefined."""

    value: Floats
    observed: Floats
    expected: Floats


@dataclass(frozen=True)
class Item:
    """One coefficient of a family: how it is called, what it stands on, and why it is undefined ("" if it is not)."""

    key: str
    name: str
    sizes: Sizes
    reason: str


@dataclass(frozen=True)
class Family:
    """Coefficients that are computed together; `evaluate` takes weights, samples x patterns, to their parts."""

    items: tuple[Item, ...]
    evaluate: Callable[[Floats], Parts]


def corrected(observed: Floats, expected: Floats) -> Parts:
    """(observed - expected) / (1 - expected), undefined where chance alone agrees always."""
    room = 1 - expected
    room = np.where(room > NO_ROOM, room, np.nan)
    return Parts((observed - expected) / room, observed, expected)


def quotient(part: Floats, whole: Floats) -> Floats:
    """`part` / `whole`, NaN where there is nothing to divide by."""
    return part / np.where(whole > 0, whole, np.nan)


def measure(
    patterns: Patterns, families: Sequence[Family], *, samples: int = 0, seed: int = SEED
) -> list[tuple[Coefficient, ...]]:
    """The coefficients of each family, with intervals if there are to be `samples`.

    All families see the same samples.
    """
    point = [_point(patterns, family) for family in families]
    if samples < 1:
        return point
    drawn: list[list[Floats]] = [[] for _ in families]
    if patterns.sizes(all_votes=False).units > 1:
        for weights in patterns.resampled(samples, seed):
            for values, family in zip(drawn, families, strict=True):
                values.append(family.evaluate(weights).value)
    return [
        tuple(_with_interval(one, values, number, samples) for number, one in enumerate(coefficients))
        for coefficients, values in zip(point, drawn, strict=True)
    ]


def _point(patterns: Patterns, family: Family) -> tuple[Coefficient, ...]:
    parts = family.evaluate(patterns.repeats[None, :].astype(np.float64))
    return tuple(
        _coefficient(item, _known(parts.value[0, at]), _known(parts.observed[0, at]), _known(parts.expected[0, at]))
        for at, item in enumerate(family.items)
    )


def _coefficient(item: Item, value: float | None, observed: float | None, expected: float | None) -> Coefficient:
    return Coefficient(
        key=item.key,
        name=item.name,
        value=None if item.reason else value,
        reason=item.reason,
        observed=observed,
        expected=expected,
        units=item.sizes.units,
        votes=item.sizes.votes,
        missing=item.sizes.missing,
    )


def _known(number: np.float64) -> float | None:
    return None if np.isnan(number) else float(number)


def _with_interval(coefficient: Coefficient, drawn: list[Floats], at: int, samples: int) -> Coefficient:
    """The coefficient with its interval; an undefined one stays as it is."""
    if coefficient.value is None:
        return coefficient
    if coefficient.units < 2:
        reason = "An interval needs two issues with two votes each."
        return replace(coefficient, interval=BootstrapInterval(None, None, samples, samples, reason))
    values = np.concatenate([values[:, at] for values in drawn])
    defined = values[~np.isnan(values)]
    undefined = samples - len(defined)
    if not len(defined):
        reason = "The coefficient is undefined in every sample."
        return replace(coefficient, interval=BootstrapInterval(None, None, samples, undefined, reason))
    low, high = np.percentile(defined, [2.5, 97.5])
    return replace(coefficient, interval=BootstrapInterval(float(low), float(high), samples, undefined))
