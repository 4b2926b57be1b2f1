"""Logistic regression by Newton's method, for a handful of measures. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 30
ENOUGH = 1e-7
Vector = list[float]


@dataclass(frozen=True)
class Sample:
    """Measures, whether they are those of the better one, and how much this counts."""

    measures: Sequence[float]
    is_better: bool
    weight: float = 1.0


def fit(samples: Sequence[Sample], *, ridge: float) -> Vector:
    """The weights that make the samples likeliest; `ridge` pulls all of them towards 0."""
    size = len(samples[0].measures)
    weights = [0.0] * size
    for _ in range(ROUNDS):
        gradient = [-ridge * weights[i] for i in range(size)]
        curvature = [[ridge if i == j else 0.0 for j in range(size)] for i in range(size)]
        for sample in samples:
            _add(sample, weights, gradient, curvature)
        step = solve(curvature, gradient)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
        if max(map(abs, step)) < ENOUGH:
            break
    return weights


def _add(sample: Sample, weights: Vector, gradient: Vector, curvature: list[Vector]) -> None:
    values = sample.measures
    score = sum(weight * value for weight, value in zip(weights, values, strict=True))
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
    missed = sample.weight * (sample.is_better - likely)
    spread = sample.weight * max(likely * (1 - likely), 1e-9)
    for i, value in enumerate(values):
        gradient[i] += missed * value
        row = curvature[i]
        for j, other in enumerate(values):
            row[j] += spread * value * other


def solve(matrix: Sequence[Vector], right: Vector) -> Vector:
    """Gauss' elimination with the largest pivot first."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for place in range(size):
        best = max(range(place, size), key=lambda i: abs(rows[i][place]))
        rows[place], rows[best] = rows[best], rows[place]
        for other in range(size):
            if other != place:
                factor = rows[other][place] / rows[place][place]
                rows[other] = [one - factor * two for one, two in zip(rows[other], rows[place], strict=True)]
    return [rows[i][-1] / rows[i][i] for i in range(size)]
