"""A flow: links between the categories of several questions, as a Plotly sankey and as the table beside it.

What is counted is `kb.charts.flow`. A click asks for the issues of the query that a node or link brings: the first of
its two `customdata`, beside the hover text.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten
from typing import NamedTuple

from kb.charts.chart import Cell, Heading, Row, Table, named
from kb.charts.figures import issues_text
from kb.charts.plotly import CLICK, PlotlyJson, rgba, safe
from kb.charts.shares import Share


class Colours(NamedTuple):
    """A theme's colours of writing, of the nodes by column, and of nodes that stand for several categories."""

    ink: str
    columns: tuple[str, ...]
    rest: str


# The tokens of symptom, cause and fix (static/css/tokens.css), and of what is drawn together. Where a node stands says
# the same as its colour.
COLOURS = {
    "light": Colours("#22262b", ("#a04e05", "#7c3a93", "#29703a"), "#85827a"),
    "dark": Colours("#e4e2dc", ("#f0ac66", "#d7a8e8", "#8ad197"), "#737882"),
}
LINK_OPACITY, SMALL_LINK_OPACITY = 0.3, 0.12
NODE_PIXELS, HEAD_PIXELS, WIDTH = 58, 40, 900
NODE_GAP, NODE_THICKNESS = 0.03, 16  # of the figure's height; pixels
CUT_NAME = 34  # characters
ANCHORS = ("left", "center", "right")

# A node's column and code.
Key = tuple[int, str]


@dataclass(frozen=True)
class FlowNode:
    """A category in a column, with all issues that have it; `is_rest`: it stands for several categories."""

    column: int
    heading: Heading
    query: str
    is_rest: bool = False

    @property
    def key(self) -> Key:
        """Its column and code."""
        return self.column, self.heading.code

    @property
    def issues(self) -> int:
        """All issues that have the category."""
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
    def source_key(self) -> Key:
        """The key of the node that it leaves."""
        return self.column, self.source.code

    @property
    def target_key(self) -> Key:
        """The key of the node that it enters."""
        return self.column + 1, self.target.code

    @property
    def share(self) -> Share:
        """P(target | source)."""
        return Share(self.issues, self.of)


@dataclass(frozen=True)
class Flow:
    """Each column's nodes from the top and the links between them; `many` is the plural of each column's categories."""

    many: tuple[str, ...]
    nodes: tuple[FlowNode, ...]
    links: tuple[Link, ...]


def table(flow: Flow) -> Table:
    """Each link as a line: the first half's, then the second half's, the largest first and small samples last."""
    rows = []
    for link in sorted(flow.links, key=lambda link: (link.column, link.share.is_small, -link.issues)):
        cells = (Cell(None, link.target.name), *link.share.cells(link.query))
        rows.append(Row(link.source, cells, is_weak=link.share.is_small))
    return Table("From", named("Leads to", "Issues", "Share", "95 % interval"), tuple(rows))


def sankey(flow: Flow) -> PlotlyJson:
    """The flow as a Plotly figure, with what the page's script needs beside it.

    Nodes and links stand whole in each theme, so that however deep the script merges, nothing of them is lost.
    """
    parts = {theme: _nodes_and_links(flow, colours) for theme, colours in COLOURS.items()}
    themes = {theme: {"ink": colours.ink, "traces": [parts[theme]]} for theme, colours in COLOURS.items()}
    columns = Counter(node.column for node in flow.nodes)
    return {
        "data": [{"type": "sankey", "orientation": "h", "arrangement": "fixed", **parts["light"]}],
        "layout": {
            "height": HEAD_PIXELS + NODE_PIXELS * max(columns.values(), default=1),
            "margin": {"l": 8, "r": 8, "t": HEAD_PIXELS, "b": 16},
            "annotations": [_column_head(flow, column) for column in range(len(flow.many))],
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
        },
        "themes": themes,
        "min_width": WIDTH,
    }


def _column_head(flow: Flow, column: int) -> PlotlyJson:
    return {
        "text": safe(flow.many[column].capitalize()),
        "x": column / max(1, len(flow.many) - 1),
        "xanchor": ANCHORS[column % len(ANCHORS)],
        "y": 1,
        "yanchor": "bottom",
        "yshift": 6,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
    }


def _nodes_and_links(flow: Flow, theme: Colours) -> PlotlyJson:
    places = {node.key: place for place, node in enumerate(flow.nodes)}
    colours = {}
    for node in flow.nodes:
        colours[node.key] = theme.rest if node.is_rest else theme.columns[node.column % len(theme.columns)]
    node_data = []
    for node in flow.nodes:
        lines = [safe(node.heading.name), issues_text(node.issues)]
        if node.query:
            lines.append(CLICK)
        node_data.append([node.query, "<br>".join(lines)])
    x, y = _positions(flow)
    return {
        "node": {
            "label": [_node_label(node) for node in flow.nodes],
            "x": x,
            "y": y,
            "pad": 12,
            "thickness": NODE_THICKNESS,
            "line": {"width": 0},
            "color": list(colours.values()),
            "customdata": node_data,
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
        "link": {
            "source": [places[link.source_key] for link in flow.links],
            "target": [places[link.target_key] for link in flow.links],
            "value": [link.issues for link in flow.links],
            "color": [_link_colour(link, colours[link.source_key]) for link in flow.links],
            "customdata": [[link.query, _link_hover(link)] for link in flow.links],
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
    }


def _positions(flow: Flow) -> tuple[list[float], list[float]]:
    """Where the middle of each node is, from 0 to 1: by column across, below those above it down."""
    columns: dict[int, list[FlowNode]] = defaultdict(list)
    for node in flow.nodes:
        columns[node.column].append(node)
    heights = _heights(flow, columns.values())
    last = max(columns, default=1) or 1
    x, y = [], []
    for column, nodes in sorted(columns.items()):
        whole = sum(heights[node.key] for node in nodes) + NODE_GAP * (len(nodes) - 1)
        top = (1 - whole) / 2
        for node in nodes:
            x.append(_inside(column / last))
            y.append(_inside(top + heights[node.key] / 2))
            top += heights[node.key] + NODE_GAP
    return x, y


def _heights(flow: Flow, columns: Iterable[list[FlowNode]]) -> dict[Key, float]:
    """How high each node is drawn, so that the fullest column fits: the larger of what comes in and what goes on."""
    coming: Counter[Key] = Counter()
    going: Counter[Key] = Counter()
    for link in flow.links:
        going[link.source_key] += link.issues
        coming[link.target_key] += link.issues
    issues = {node.key: max(coming[node.key], going[node.key], 1) for node in flow.nodes}
    scales = []
    for nodes in columns:
        scales.append((1 - NODE_GAP * (len(nodes) - 1)) / sum(issues[node.key] for node in nodes))
    scale = min(scales, default=1)
    return {key: number * scale for key, number in issues.items()}


def _inside(place: float) -> float:
    """Plotly takes a node at the very edge for one without a place."""
    return min(max(place, 0.001), 0.999)


def _link_colour(link: Link, colour: str) -> str:
    return rgba(colour, SMALL_LINK_OPACITY if link.share.is_small else LINK_OPACITY)


def _node_label(node: FlowNode) -> str:
    name = shorten(node.heading.name, CUT_NAME, placeholder=" …")
    return safe(f"{name}, {node.heading.size}" if node.heading.is_small else name)


def _link_hover(link: Link) -> str:
    lines = [
        f"{safe(link.source.name)} → {safe(link.target.name)}",
        f"{link.issues} of {issues_text(link.of)}: {link.share.text}",
        *link.share.small_details,
    ]
    if link.query:
        lines.append(CLICK)
    return "<br>".join(lines)
