"""Bars: what Plotly takes, with colours that can be told apart from the ground, and never colour alone."""

from itertools import pairwise

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.charts.bars import COLOURS, GROUNDS, PATTERNS, Bar, Series, bars
from kb.charts.chart import Heading
from kb.core.intervals import wilson

CODES = ("a", "b", "c")


@st.composite
def series(draw: st.DrawFn) -> tuple[Series, ...]:
    found = []
    for place in range(draw(st.integers(1, 4))):
        codes = draw(st.sets(st.sampled_from(CODES)))
        with_interval = draw(st.booleans())
        values = {code: draw(st.integers(0, 20)) for code in sorted(codes)}
        interval = {code: wilson(n, 20) if with_interval else None for code, n in values.items()}
        found.append(
            Series(
                f"S{place}",
                {c: Bar(n / 20, hover=("n",), query=f"q={c}", interval=interval[c]) for c, n in values.items()},
            )
        )
    return tuple(found)


PLACES = tuple(Heading(code, f"<b>{code}&", 5) for code in CODES)


@settings(max_examples=15)  # Plotly's check of a figure is slow
@given(series(), st.booleans(), st.sampled_from(["stack", "group"]), st.booleans())
def test_plotly_accepts_them_in_either_theme(found: tuple[Series, ...], upright: bool, mode: str, share: bool) -> None:
    figure = bars(PLACES, found, upright=upright, mode=mode, share=share)
    for theme in figure["themes"].values():
        data = [trace | {"marker": look["marker"]} for trace, look in zip(figure["data"], theme["traces"], strict=True)]
        go.Figure({"data": data, "layout": figure["layout"]})


@given(series(), st.booleans())
def test_hold_each_bar_once_with_its_query_and_interval(found: tuple[Series, ...], upright: bool) -> None:
    figure = bars(PLACES, found, upright=upright)
    along, across = ("y", "x") if upright else ("x", "y")
    for one, trace in zip(found, figure["data"], strict=True):
        assert dict(zip(trace[across], trace[along], strict=True)) == {c: bar.value for c, bar in one.bars.items()}
        assert dict(zip(trace[across], trace["customdata"], strict=True)) == {c: b.query for c, b in one.bars.items()}
        for length, low, high in zip(
            trace[along],
            trace.get(f"error_{along}", {}).get("arrayminus", []),
            trace.get(f"error_{along}", {}).get("array", []),
            strict=False,
        ):
            assert 0 <= length - low <= length + high <= 1 + 1e-12


def test_names_are_text_and_not_markup() -> None:
    figure = bars(PLACES, (Series("<i>", {"a": Bar(1, hover=("<u>",))}),))
    assert "<b>a" not in "".join(figure["layout"]["yaxis"]["ticktext"])
    assert figure["data"][0]["name"] == "&lt;i&gt;"
    assert "<u>" not in figure["data"][0]["hovertext"][0]


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", COLOURS)
def test_every_colour_stands_out_from_the_ground_and_has_a_pattern_of_its_own(theme: str) -> None:
    assert len(set(PATTERNS)) == len(PATTERNS) == len(set(COLOURS[theme])) == len(COLOURS[theme])
    for colour in COLOURS[theme]:
        assert contrast(colour, GROUNDS[theme]) >= 3, colour
    assert all(one != other for one, other in pairwise(COLOURS[theme]))
