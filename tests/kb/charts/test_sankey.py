"""The flow's figure and its table: the same links, places within the figure, and names as text."""

from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.charts.chart import Heading
from kb.charts.sankey import Flow, FlowNode, Link, sankey, table

CODES = ("a", "b", "c")
MANY = ("symptoms", "root causes", "fix patterns")
EVIL = '<a href="javascript:x">&'


def heading(code: str, name: str = "") -> Heading:
    return Heading(code, name or code.upper(), 9)


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    places = draw(st.sets(st.tuples(st.integers(0, 1), st.sampled_from(CODES), st.sampled_from(CODES)), min_size=1))
    links = []
    for column, source, target in sorted(places):
        issues = draw(st.integers(1, 60))
        of = issues + draw(st.integers(0, 60))
        links.append(Link(column, heading(source), heading(target), issues, of, f"{column}={source}-{target}"))
    ends = {(one.column, one.source.code) for one in links} | {(one.column + 1, one.target.code) for one in links}
    nodes = tuple(FlowNode(column, heading(code), f"n{column}={code}") for column, code in sorted(ends))
    return Flow(MANY, nodes, tuple(links))


def parts(flow: Flow, theme: str = "light") -> dict[str, Any]:
    found: dict[str, Any] = sankey(flow)["themes"][theme]["traces"][0]
    return found


def one_link(name: str = "A", issues: int = 3, of: int = 4) -> Flow:
    link = Link(0, heading("a", name), heading("b"), issues, of, "symptom=a&cause=b")
    return Flow(MANY, (FlowNode(0, link.source, "symptom=a"), FlowNode(1, link.target, "cause=b")), (link,))


class TestFigureAndTable:
    @given(flows())
    def test_hold_the_same_links(self, flow: Flow) -> None:
        drawn = parts(flow)["link"]
        listed = table(flow).rows
        cells = {(row.cells[1].query, row.cells[1].value) for row in listed}
        assert cells == {(data[0], value) for data, value in zip(drawn["customdata"], drawn["value"], strict=True)}
        assert len(listed) == len(drawn["value"])

    @given(flows())
    def test_every_link_runs_from_its_column_to_the_next(self, flow: Flow) -> None:
        drawn = parts(flow)["link"]
        for source, target in zip(drawn["source"], drawn["target"], strict=True):
            assert flow.nodes[target].column == flow.nodes[source].column + 1

    def test_a_line_has_its_n_share_and_interval_and_says_that_few_are_few(self) -> None:
        (row,) = table(one_link()).rows
        assert [cell.text for cell in row.cells] == ["B", "3 of 4", "75 %", "30–95 %"]
        assert row.cells[3].details == ("small sample (n = 4)",)
        assert row.is_weak
        assert not table(one_link(issues=10, of=10)).rows[0].is_weak


class TestFigure:
    @settings(max_examples=10)  # Plotly's check of a figure is slow
    @given(flows())
    def test_is_one_that_plotly_accepts_in_either_theme(self, flow: Flow) -> None:
        figure = sankey(flow)
        for theme in figure["themes"].values():
            go.Figure({"data": [figure["data"][0] | theme["traces"][0]], "layout": figure["layout"]})

    @given(flows())
    def test_nodes_stand_within_it_and_no_two_in_one_place(self, flow: Flow) -> None:
        node = parts(flow)["node"]
        places = list(zip(node["x"], node["y"], strict=True))
        assert all(0 < x < 1 and 0 < y < 1 for x, y in places)
        assert len(set(places)) == len(places) == len(flow.nodes)
        columns = [round(x * 2) for x in node["x"]]
        assert columns == [one.column * 2 // max(1, max(each.column for each in flow.nodes)) for one in flow.nodes]

    @given(flows())
    def test_themes_differ_in_colours_alone(self, flow: Flow) -> None:
        light, dark = parts(flow), parts(flow, "dark")
        assert light["node"]["color"] != dark["node"]["color"]
        for part in ("node", "link"):
            assert light[part] | {"color": ()} == dark[part] | {"color": ()}

    def test_shows_names_as_text_not_as_markup(self) -> None:
        assert "<a" not in str(sankey(one_link(EVIL)))
        assert "&lt;a" in parts(one_link(EVIL))["node"]["label"][0]

    def test_says_n_and_interval_on_hover_and_invites_a_click_only_where_there_is_one(self) -> None:
        text = parts(one_link())["link"]["customdata"][0][1]
        assert "3 of 4 issues: 75 % (95 % interval 30–95 %)" in text
        assert "Click" in text
        without = Flow(MANY, (FlowNode(0, heading("*"), "", is_rest=True),), ())
        assert "Click" not in parts(without)["node"]["customdata"][0][1]

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_what_is_drawn_together_has_a_colour_of_its_own(self, theme: str) -> None:
        nodes = (FlowNode(0, heading("a"), "q"), FlowNode(0, heading("*"), "q", is_rest=True))
        first, rest = parts(Flow(MANY, nodes, ()), theme)["node"]["color"]
        assert first != rest
