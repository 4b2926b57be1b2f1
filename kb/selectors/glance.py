"""A house node as plain values, for pages that show hundreds of them."""

from dataclasses import dataclass

from kb.models import node_path


@dataclass(frozen=True)
class AxisName:
    """The code of an axis."""

    code: str


@dataclass(frozen=True)
class NodeName:
    """A house node's name and address, the part of a `Node` that a tag on a page shows."""

    axis: AxisName
    code: str
    name: str
    definition: str = ""

    def get_absolute_url(self) -> str:
        """The node's page."""
        return node_path("house", self.axis.code, self.code)
