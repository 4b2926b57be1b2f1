"""What the figures share: Plotly's JSON, its background, and texts that it may read as HTML."""

from collections.abc import Iterable
from html import escape
from typing import Any

# A figure of Plotly, or a part of one, as the browser gets it.
PlotlyJson = dict[str, Any]

SURFACE: PlotlyJson = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(128,128,128,0.07)",
    "dragmode": False,
}
CLICK = "Click to see these issues"


def rgba(colour: str, opacity: float) -> str:
    """A colour such as `#3f9aac` with this opacity."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red},{green},{blue},{opacity})"


def safe(text: str) -> str:
    """The text escaped: Plotly reads a little HTML in names and hover texts."""
    return escape(text, quote=False)


def safe_lines(lines: Iterable[str]) -> str:
    """The lines, escaped, below one another.

    Nothing is bold: Plotly would set a style attribute for it, which the content policy forbids.
    """
    return "<br>".join(safe(line) for line in lines)
