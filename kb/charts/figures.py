"""Formats numbers as text, in charts, tables and sentences alike."""

from kb.core.intervals import Interval


def percent(share: float) -> str:
    """Write 0.384 as `38 %`; only 0 itself reads `0 %`, and only 1 itself `100 %`."""
    rounded = round(share * 100)
    if rounded == 0 and share > 0:
        return "<1 %"
    if rounded == 100 and share < 1:
        return ">99 %"
    return f"{rounded} %"


def percent_range(interval: Interval) -> str:
    """Write an interval as `23–55 %`."""
    return f"{round(interval.low * 100)}–{round(interval.high * 100)} %"


def times(ratio: float) -> str:
    """Write a ratio as `2.5×`: two digits below one tenth, none from ten on."""
    digits = 1
    if ratio < 0.1:
        digits = 2
    elif ratio >= 10:
        digits = 0
    return f"{ratio:.{digits}f}×"


def times_range(interval: Interval) -> str:
    """Write the interval of a ratio as `0.8–1.9×`."""
    return f"{times(interval.low).removesuffix('×')}–{times(interval.high)}"


def issues_text(number: int) -> str:
    """Write `1 issue`, `5 issues`."""
    return "1 issue" if number == 1 else f"{number} issues"


def decimal(value: float, digits: int = 2) -> str:
    """Write a number with so many digits behind the point and a real minus sign; zero has no sign."""
    rounded = round(value, digits)
    return f"{rounded:.{digits}f}".replace("-", "−" if rounded else "")


def decimal_range(low: float | None, high: float | None, digits: int = 2) -> str:
    """Write an interval as `(0.31 to 0.55)`, or `(no spread)` where there is none."""
    if low is None or high is None:
        return "(no spread)"
    return f"({decimal(low, digits)} to {decimal(high, digits)})"


def chance(probability: float) -> str:
    """Write 0.0312 as `3.1 %`; anything rarer than one in a thousand as `less than 0.1 %`."""
    return "less than 0.1 %" if probability < 0.001 else f"{probability * 100:.1f} %"
