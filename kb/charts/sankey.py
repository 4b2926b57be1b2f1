"""A flow: links between the categories of several questions, as a Plotly sankey and as the table beside it.

Pure: counted links in, plain values out. What is counted is `kb.charts.flow`. A click asks for the issues of the query
that a node or link brings: the first of its two `customdata`, beside the words that are shown on hover.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from textwrap import shorten
from typing import Any

from kb.charts.chart import Cell, Heading, Row, Table
from kb.charts.figures import few_note, is_few, percent, percent_range
from kb.charts.intervals import Interval, wilson

# The tokens of symptom, cause and fix (static/css/tokens.css), and of what is drawn together. Where a node stands says
# the same as its colour.
COLOURS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "light": ("#22262b", ("#a04e05", "#7c3a93", "#29703a"), "#85827a"),
    "dark": ("#e4e2dc", ("#f0ac66", "#d7a8e8", "#8ad197"), "#737882"),
}
LINK_OPACITY = 0.3
NODE_PIXELS, HEAD_PIXELS, WIDTH = 58, 40, 900
NODE_GAP, NODE_THICKNESS = 0.03, 16  # of the figure's height; pixels
CUT_NAME = 34  # characters
CLICK = "Click to see these issues"


@dataclass(frozen=True)
class FlowNode:
    """A category in a column: its issues are all that have it, whatever else is known. `is_rest`: several in one."""

    column: int
    heading: Heading
    query: str
    is_rest: bool = False

    @property
    def issues(self) -> int:
        """All issues with it."""
        return self.heading.issues or 0


@dataclass(frozen=True)
class Link:
    """Issues that have a category of one column and one of the next; `of` those whose next question is answered."""

    column: int
    source: Heading
    target: Heading
    issues: int
    of: int
    query: str

    @property
    def share(self) -> float:
        """P(target | source)."""
        return self.issues / self.of

    @property
    def interval(self) -> Interval:
        """Wilson's interval of the share at 95 %."""
        return wilson(self.issues, self.of)


@dataclass(frozen=True)
class Flow:
    """What is drawn, each column's nodes from the top; `many` says what several of each column are called."""

    many: tuple[str, ...]
    nodes: tuple[FlowNode, ...]
    links: tuple[Link, ...]


def table(flow: Flow) -> Table:
    """Each link as a line: the first half's, then the second half's, the largest first."""
    names = ("Leads to", "Issues", "Share", "95 % interval")
    ordered = sorted(flow.links, key=lambda link: (link.column, -link.issues))
    rows = tuple(Row(link.source, _cells(link), is_weak=is_few(link.of)) for link in ordered)
    return Table("From", tuple(Heading(name, name) for name in names), rows)


def _cells(link: Link) -> tuple[Cell, ...]:
    few = few_note(link.of)
    return (
        Cell(None, link.target.name),
        Cell(link.issues, f"{link.issues} of {link.of}", query=link.query),
        Cell(link.share, percent(link.share)),
        Cell(None, percent_range(link.interval), details=(few,) if few else ()),
    )


def sankey(flow: Flow) -> dict[str, Any]:
    """The flow as a Plotly figure, with what the page's script needs beside it.

    Nodes and links stand whole in each theme, so that however deep the script merges, nothing of them is lost.
    """
    themes = {theme: _parts(flow, theme) for theme in COLOURS}
    most = max((len(nodes) for nodes in _columns(flow).values()), default=1)
    return {
        "data": [{"type": "sankey", "orientation": "h", "arrangement": "fixed", **themes["light"]}],
        "layout": {
            "height": HEAD_PIXELS + NODE_PIXELS * most,
            "margin": {"l": 8, "r": 8, "t": HEAD_PIXELS, "b": 16},
            "annotations": [_column_head(flow, place) for place in range(len(flow.many))],
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
        },
        "themes": {theme: {"ink": COLOURS[theme][0], "traces": [parts]} for theme, parts in themes.items()},
        "min_width": WIDTH,
    }


def _column_head(flow: Flow, place: int) -> dict[str, Any]:
    """What stands above a column."""
    anchor = ("left", "center", "right")
    return {
        "text": _text(flow.many[place].capitalize()),
        "x": place / max(1, len(flow.many) - 1),
        "xanchor": anchor[place % len(anchor)],
        "y": 1,
        "yanchor": "bottom",
        "yshift": 6,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
    }


def _columns(flow: Flow) -> dict[int, list[FlowNode]]:
    columns: dict[int, list[FlowNode]] = defaultdict(list)
    for node in flow.nodes:
        columns[node.column].append(node)
    return columns


def _parts(flow: Flow, theme: str) -> dict[str, Any]:
    """The nodes and links in a theme's colours."""
    places = {(node.column, node.heading.code): place for place, node in enumerate(flow.nodes)}
    x, y = _positions(flow)
    _, hues, rest = COLOURS[theme]
    colours = {key: rest if flow.nodes[at].is_rest else hues[key[0] % len(hues)] for key, at in places.items()}
    return {
        "node": {
            "label": [_text(shorten(node.heading.name, CUT_NAME, placeholder=" …")) for node in flow.nodes],
            "x": x,
            "y": y,
            "pad": 12,
            "thickness": NODE_THICKNESS,
            "line": {"width": 0},
            "color": list(colours.values()),
            "customdata": [[node.query, _node_hover(node)] for node in flow.nodes],
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
        "link": {
            "source": [places[link.column, link.source.code] for link in flow.links],
            "target": [places[link.column + 1, link.target.code] for link in flow.links],
            "value": [link.issues for link in flow.links],
            "color": [_pale(colours[link.column, link.source.code]) for link in flow.links],
            "customdata": [[link.query, _link_hover(link)] for link in flow.links],
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
    }


def _positions(flow: Flow) -> tuple[list[float], list[float]]:
    """Where the middle of each node is, from 0 to 1: its column, and below those above it."""
    heights = _heights(flow)
    columns = _columns(flow)
    last = max(columns, default=1) or 1
    x: list[float] = []
    y: list[float] = []
    for column, nodes in sorted(columns.items()):
        whole = sum(heights[column, node.heading.code] for node in nodes) + NODE_GAP * (len(nodes) - 1)
        top = (1 - whole) / 2
        for node in nodes:
            height = heights[column, node.heading.code]
            x.append(_within(column / last))
            y.append(_within(top + height / 2))
            top += height + NODE_GAP
    return x, y


def _heights(flow: Flow) -> dict[tuple[int, str], float]:
    """How high each node is drawn, so that the fullest column fits: the larger of what comes in and what goes on."""
    into: Counter[tuple[int, str]] = Counter()
    out: Counter[tuple[int, str]] = Counter()
    for link in flow.links:
        out[link.column, link.source.code] += link.issues
        into[link.column + 1, link.target.code] += link.issues
    through = {
        (n.column, n.heading.code): max(into[n.column, n.heading.code], out[n.column, n.heading.code], 1)
        for n in flow.nodes
    }
    scale = min(
        (
            (1 - NODE_GAP * (len(nodes) - 1)) / sum(through[column, node.heading.code] for node in nodes)
            for column, nodes in _columns(flow).items()
        ),
        default=1,
    )
    return {key: value * scale for key, value in through.items()}


def _within(place: float) -> float:
    """Plotly takes a node at the very edge for one without a place."""
    return min(max(place, 0.001), 0.999)


def _pale(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{LINK_OPACITY})"


def _text(name: str) -> str:
    """Plotly reads a little HTML in names. Nothing is in bold, which is by inline style: forbidden by the policy."""
    return escape(name, quote=False)


def _issues(number: int) -> str:
    return f"{number} issue{'' if number == 1 else 's'}"


def _node_hover(node: FlowNode) -> str:
    return _lines(_text(node.heading.name), _issues(node.issues), CLICK if node.query else "")


def _link_hover(link: Link) -> str:
    return _lines(
        f"{_text(link.source.name)} → {_text(link.target.name)}",
        f"{link.issues} of {_issues(link.of)}: {percent(link.share)} (95 % interval {percent_range(link.interval)})",
        few_note(link.of),
        CLICK if link.query else "",
    )


def _lines(*lines: str) -> str:
    return "<br>".join(filter(None, lines))
