"""The number that a study published for a category: its cases, or the short phrases that it lists under it."""

from dataclasses import dataclass
from typing import TypeVar

from django.db.models import OuterRef, QuerySet, Subquery

from kb.models import Crosswalk, Node, PublishedCell, PublishedTable

UNITS = ("cases", "phrases")

Row = TypeVar("Row", Node, Crosswalk)


@dataclass(frozen=True)
class PublishedNumber:
    """A published number, its unit, and how far it can be trusted."""

    count: int | None
    counted: str
    percent: float | None
    percent_of: str
    trust: str


def published_number(node: Node) -> PublishedNumber | None:
    """The number of a node from a query that went through `with_listed`; None where the study published none."""
    if node.published_count is not None or node.published_percent is not None:
        return PublishedNumber(
            node.published_count, "cases", node.published_percent, node.percent_of, node.published_trust
        )
    listed = getattr(node, "listed_count", None)
    if listed is None:
        return None
    return PublishedNumber(listed, "phrases", None, "", getattr(node, "listed_trust", ""))


def with_listed(rows: QuerySet[Row], node: str = "") -> QuerySet[Row]:
    """The rows with `listed_count` and `listed_trust` of the node at this path; None where no phrases are listed."""
    path = f"{node}__" if node else ""
    cells = PublishedCell.objects.filter(
        table__study=OuterRef(f"{path}axis__scheme__study"),
        table__rows_by=OuterRef(f"{path}axis__code"),
        table__columns_by="",
        table__unit=PublishedTable.Unit.PHRASES,
        row=OuterRef(f"{path}code"),
        column="",
        count__isnull=False,
    ).order_by("pk")
    return rows.annotate(
        listed_count=Subquery(cells.values("count")[:1]), listed_trust=Subquery(cells.values("table__trust")[:1])
    )
