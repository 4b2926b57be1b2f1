"""A logarithmic axis for Plotly, with room for 0 at its left."""

from collections.abc import Sequence
from math import log10

from kb.charts.plotly import PlotlyJson

# 0 has no logarithm. It stands so far left of 1, and what lies between them stands between them.
ZERO_PLACE = -0.5
MARGIN = 0.08


def place(value: float) -> float:
    """Where a number stands on the axis: its decimal logarithm from 1 on. Raises `ValueError` for a number below 0."""
    if value < 0:
        raise ValueError(f"{value} has no place on the axis")
    return log10(value) if value >= 1 else ZERO_PLACE * (1 - value)


def log_axis(title: str, ticks: Sequence[tuple[float, str]], most: float) -> PlotlyJson:
    """The axis from 0 to `most`, with those ticks that lie on it."""
    shown = [(value, text) for value, text in ticks if value <= most]
    return {
        "title": {"text": title},
        "tickmode": "array",
        "tickvals": [place(value) for value, _ in shown],
        "ticktext": [text for _, text in shown],
        "range": [ZERO_PLACE - MARGIN, place(max(most, 1)) + MARGIN],
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": "rgba(128,128,128,0.25)",
        "automargin": True,
    }
