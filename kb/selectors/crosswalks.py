"""Studies' categories and their crosswalks to the house codebook, for comparing studies."""

from collections.abc import Collection
from typing import NamedTuple

from kb.models import Axis, Crosswalk, Node, Study


class StudyNode(NamedTuple):
    """A study's category in its tree."""

    study: int
    axis: str
    code: str
    name: str
    parent: str | None


class Relation(NamedTuple):
    """A SKOS relation from a study's category to a house node."""

    study: int
    axis: str
    code: str
    to_axis: str
    to_code: str
    relation: str


def studies() -> tuple[Study, ...]:
    """All studies in the order of their codes, with the studies that they may overlap with."""
    return tuple(Study.objects.prefetch_related("overlaps").order_by("code"))


def study_nodes(*, studies: Collection[Study]) -> list[StudyNode]:
    """The studies' categories in the order of their trees."""
    rows = Node.objects.filter(axis__scheme__study__in=studies).order_by("axis__position", "position")
    return [
        StudyNode(*row) for row in rows.values_list("axis__scheme__study", "axis__code", "code", "name", "parent__code")
    ]


def relations(*, studies: Collection[Study]) -> list[Relation]:
    """All relations of the studies' categories to house nodes."""
    rows = Crosswalk.objects.filter(from_node__axis__scheme__study__in=studies, to_node__axis__scheme__study=None)
    fields = ("from_node__axis__scheme__study", "from_node__axis__code", "from_node__code", "to_node__axis__code")
    return [Relation(*row) for row in rows.order_by("pk").values_list(*fields, "to_node__code", "relation")]


def house_axes() -> dict[str, str]:
    """The house codebook's axes in their order: code → name."""
    return dict(Axis.objects.filter(scheme__study=None).order_by("position").values_list("code", "name"))


def house_nodes(*, axis: str) -> tuple[Node, ...]:
    """The active nodes of a house axis in the order of the tree."""
    nodes = Node.objects.house().filter(axis__code=axis, status=Node.Status.ACTIVE)
    return tuple(nodes.select_related("axis__scheme").order_by("position", "pk"))
