"""How surely a known issue is the fault that a report tells of: probabilities from what the two share (`pairs`).

Two logistic regressions, fitted on pairs of a real report and an issue that were read and graded, and flattened by what
cross-validation showed (docs/decisions/0057-same-fault.md). `make relevance` prints how reliable they are.
"""

import math
from collections.abc import Mapping

CONSTANT = "constant"
# The same mechanism fails in the same component.
SAME_FAULT = {
    "title": 1.1, "title_in_framework": 5.13, "line": 2.4, "line_of_others": -4.35, "text": 1.23, "title_told": 1.34,
    CONSTANT: -5.0,
}  # fmt: skip
# The same fault, or one that shows alike and is worth reading.
SAME_KIND = {
    "title": 4.36, "title_in_framework": 2.99, "line": 2.49, "line_of_others": -0.71, "text": 1.73, "title_told": 0.78,
    CONSTANT: -3.56,
}  # fmt: skip
# What is less probable than this is not offered.
LEAST_SAME, LEAST_KIND = 0.1, 0.3
BASIS = (
    "Logistic regression over 274 pairs of a real report and an issue, read and graded by one reader. On 300 other "
    "reports of vLLM, SGLang and llama.cpp, the calibration error of the best match's probability of the same fault is "
    "0.03 (95 % interval 0.02 to 0.04), of the same kind 0.08. Of all graded matches at 0.9 or more, 6 of 6 are the "
    "same fault (61 to 100 %), at 0.7 or more 14 of 17."
)


def probability(measures: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The probability that these measures make, by these weights."""
    score = weights[CONSTANT] + sum(weight * measures[name] for name, weight in weights.items() if name != CONSTANT)
    return 1 / (1 + math.exp(-score))
