"""The agreement of the passes over the curated records as figures of the site's page on how good Faultbook is.

What is measured is in `records.py`, which makes the report of `docs/agreement.md` of the same numbers.
"""

from collections.abc import Iterator, Sequence

from kb.core.quality.figures import DIGITS, Figure, Measured
from kb.starter.passes import Passes
from labeling.agreement.records import Parents, measured
from labeling.agreement.report import AxisReport

# The names of the coefficients that are told: of the codes that were given, and of the uppermost ones.
GIVEN = {"percent": "same_answer", "alpha_nominal": "alpha", "alpha_masi": "alpha_masi"}
UPPERMOST = {"percent": "same_answer_top", "alpha_nominal": "alpha_top"}


def as_figures(passes: Sequence[Passes], parents: Parents) -> Measured:
    """All of them; the day is that of the last second pass. Raises `ValueError` without any pass."""
    figures: list[Figure] = []
    for report in measured(passes):
        figures += _told(report, GIVEN)
    for report in measured(passes, parents):
        figures += _told(report, UPPERMOST)
    last = max(record.second.date for record in passes)
    return Measured(of="labels", measured_on=last, figures=tuple(figures))


def _told(report: AxisReport, names: dict[str, str]) -> Iterator[Figure]:
    for coefficient in report.coefficients:
        if coefficient.key not in names or coefficient.value is None:
            continue
        interval = coefficient.interval
        low, high = (interval.low, interval.high) if interval else (None, None)
        value = round(coefficient.value, DIGITS)
        yield Figure(
            among=report.axis,
            name=names[coefficient.key],
            value=value,
            n=report.units,
            low=None if low is None else min(round(low, DIGITS), value),
            high=None if high is None else max(round(high, DIGITS), value),
        )
