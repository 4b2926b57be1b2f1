"""Totals over the rows of a data set. They count rows, as the studies do; an issue that occurs twice counts twice."""

from dataclasses import dataclass

from django.db.models import Count, F
from django.db.models.functions import Coalesce

from ingest.models import ImportedAnswer
from kb.models import Source


@dataclass(frozen=True)
class NodeRows:
    """How many rows of a framework were answered with a node."""

    framework: str
    code: str
    rows: int


@dataclass(frozen=True)
class PairRows:
    """How many rows were answered with a pair of nodes of two axes."""

    first: str
    second: str
    rows: int


def count_rows_by_node(*, source: Source, axis: str) -> list[NodeRows]:
    """Count the source's rows by framework (its slug) and by the node that answers the axis."""
    counted = (
        ImportedAnswer.objects.filter(row__file__source=source, node__axis__code=axis)
        .values(framework=F("row__issue__repository__framework__slug"), code=F("node__code"))
        .annotate(rows=Count("row"))
        .order_by("framework", "code")
    )
    return [NodeRows(**row) for row in counted]


def count_row_pairs(*, source: Source, first_axis: str, second_axis: str) -> list[PairRows]:
    """Count the source's rows by the names of the topmost nodes that answer two axes."""
    counted = (
        ImportedAnswer.objects.filter(
            row__file__source=source, node__axis__code=first_axis, row__answers__axis__code=second_axis
        )
        .values(first=_topmost("node"), second=_topmost("row__answers"))
        .annotate(rows=Count("row"))
        .order_by("first", "second")
    )
    return [PairRows(**row) for row in counted]


def _topmost(node: str) -> Coalesce:
    """The name of the root above the node at this path; trees are at most three deep."""
    return Coalesce(f"{node}__parent__parent__name", f"{node}__parent__name", f"{node}__name")
