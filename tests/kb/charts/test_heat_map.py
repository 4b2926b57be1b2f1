"""The heat map, its table and its list of pairs: the same numbers everywhere."""

from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.charts.chart import Heading
from kb.charts.heat_map import MANY_COLUMNS, SHADES, Grid, Measure, Pair, heat_map, table

CODES = ("a", "b", "c")


def make_pair(issues: int, row_issues: int, column_issues: int, all_issues: int, query: str = "symptom=hang") -> Pair:
    return Pair(issues, row_issues, column_issues, all_issues, query)


def make_grid(pairs: dict[tuple[str, str], Pair], name: str = "Hang") -> Grid:
    symptoms = tuple(Heading(f"s-{code}", f"{name} {code}", 50, f"/s/{code}") for code in CODES)
    causes = tuple(Heading(f"c-{code}", f"Cause {code}", 5, f"/c/{code}") for code in CODES)
    return Grid(
        "symptom", "root cause", symptoms, causes, {(f"s-{s}", f"c-{c}"): pair for (s, c), pair in pairs.items()}
    )


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    places = draw(st.sets(st.sampled_from([(s, c) for s in CODES for c in CODES]), min_size=1))
    pairs = {}
    for place in sorted(places):
        issues = draw(st.integers(1, 50))
        symptom, cause = issues + draw(st.integers(0, 50)), issues + draw(st.integers(0, 50))
        pairs[place] = make_pair(issues, symptom, cause, symptom + cause, query="-".join(place))
    return make_grid(pairs)


def trace_of(grid: Grid, measure: Measure) -> dict[str, Any]:
    trace: dict[str, Any] = heat_map(grid, measure)["data"][0]
    return trace


class TestFigureAndTable:
    @given(grids(), st.sampled_from(Measure))
    def test_hold_the_same_numbers_texts_and_addresses(self, grid: Grid, measure: Measure) -> None:
        trace = trace_of(grid, measure)
        for row, z, text, data in zip(
            table(grid, measure).rows, trace["z"], trace["text"], trace["customdata"], strict=True
        ):
            assert [cell.query for cell in row.cells] == data
            assert [cell.text if cell.query else "" for cell in row.cells] == text
            heights = [None if h is None else 2**h if measure is Measure.LIFT else h for h in z]
            assert heights == [cell.value if cell.value is None else pytest.approx(cell.value) for cell in row.cells]

    def test_too_many_columns_for_a_table_are_listed_pair_by_pair_with_every_measure(self) -> None:
        causes = tuple(Heading(f"c-{i}", f"Cause {i}", 5) for i in range(MANY_COLUMNS + 1))
        pairs = {("s", "c-3"): make_pair(14, 29, 19, 99), ("s", "c-0"): make_pair(15, 29, 60, 99)}
        listed = table(Grid("symptom", "root cause", (Heading("s", "Hang", 29),), causes, pairs), Measure.COUNT)
        assert [heading.name for heading in listed.columns] == [
            "Root cause",
            "Issues",
            "Share",
            "95 % interval",
            "Lift",
        ]
        assert [[cell.text for cell in row.cells] for row in listed.rows] == [
            ["Cause 0", "15 of 29", "52 %", "34–69 %", "0.9×"],
            ["Cause 3", "14 of 29", "48 %", "31–66 %", "2.5×"],
        ]

    @given(grids(), st.sampled_from(Measure))
    def test_have_a_row_per_symptom_and_a_column_per_cause(self, grid: Grid, measure: Measure) -> None:
        trace = trace_of(grid, measure)
        assert trace["y"] == [row.code for row in grid.rows]
        assert trace["x"] == [column.code for column in grid.columns]
        assert {len(row.cells) for row in table(grid, measure).rows} == {len(CODES)}


class TestFigure:
    @settings(max_examples=10)  # Plotly's check of a figure is slow
    @given(grids(), st.sampled_from(Measure))
    def test_is_one_that_plotly_accepts(self, grid: Grid, measure: Measure) -> None:
        figure = heat_map(grid, measure)
        for theme in figure["themes"].values():
            trace = figure["data"][0] | {"colorscale": theme["scale"], "textfont": {"color": theme["ink"]}}
            go.Figure({"data": [trace], "layout": figure["layout"]})

    def test_shows_names_as_text_not_as_markup(self) -> None:
        grid = make_grid({("a", "b"): make_pair(1, 1, 1, 1)}, name='<a href="javascript:x">&')
        figure = heat_map(grid, Measure.COUNT)
        assert "<a" not in "".join(figure["layout"]["yaxis"]["ticktext"])
        assert "<a" not in str(figure["data"][0]["hovertext"])
        assert "&lt;a" in str(figure["data"][0]["hovertext"])

    def test_says_the_basis_and_the_interval_on_hover(self) -> None:
        grid = make_grid({("a", "b"): make_pair(14, 29, 19, 99)})
        text = trace_of(grid, Measure.COUNT)["hovertext"][0][1]
        assert "14 of 29 issues" in text
        assert "48 % (95 % interval 31–66 %)" in text
        assert "over 99 issues" in text
        assert "lift 2.5× (95 % interval " in text

    def test_puts_half_and_twice_as_usual_equally_far_from_the_middle(self) -> None:
        half, twice = make_pair(5, 20, 50, 100), make_pair(10, 20, 25, 100)
        heights = trace_of(make_grid({("a", "a"): half, ("b", "b"): twice}), Measure.LIFT)["z"]
        assert (heights[0][0], heights[1][1]) == (-1, 1)


class TestTable:
    def test_a_share_has_its_basis_and_interval(self) -> None:
        cell = table(make_grid({("a", "a"): make_pair(14, 29, 19, 99)}), Measure.SHARE).rows[0].cells[0]
        assert (cell.text, cell.details) == ("48 %", ("14 of 29", "31–66 %"))

    @pytest.mark.parametrize("measure", Measure)
    def test_rows_of_small_samples_are_pale_and_say_so(self, measure: Measure) -> None:
        rows = (Heading("large", "Large", 10), Heading("small", "Small", 9))
        pairs = {(row.code, "c"): make_pair(8, row.issues or 0, 16, 40) for row in rows}
        grid = Grid("symptom", "root cause", rows, (Heading("c", "C", 10),), pairs)
        figure = heat_map(grid, measure)
        assert [row.is_weak for row in table(grid, measure).rows] == [False, True]
        assert figure["layout"]["yaxis"]["ticktext"] == ["Large", "Small<br>small sample (n = 9)"]
        large, small = (abs(row[0]) for row in figure["data"][0]["z"])
        text = [row[0] for row in figure["data"][0]["text"]]
        assert small < large
        assert text == [row.cells[0].text for row in table(grid, measure).rows]
        (frame,) = figure["layout"]["shapes"]
        assert frame["y0"] < 1 < frame["y1"]

    def test_a_pair_that_never_occurs_is_no_link(self) -> None:
        empty = table(make_grid({("a", "a"): make_pair(1, 1, 1, 1)}), Measure.COUNT).rows[0].cells[1]
        assert (empty.value, empty.text, empty.query, empty.shade) == (None, "0", "", "")

    @given(grids(), st.sampled_from(Measure))
    def test_shades_are_those_that_the_style_sheet_has(self, grid: Grid, measure: Measure) -> None:
        known = {f"{way}-{step}" for way in ("up", "down") for step in range(1, SHADES + 1)} | {""}
        assert {cell.shade for row in table(grid, measure).rows for cell in row.cells} <= known
