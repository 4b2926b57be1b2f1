"""Schemes, nodes, crosswalks, cause links, studies and sources."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view

from kb.api import parameters as declared
from kb.api.base import ReadViewSet
from kb.api.serializers import codebook as shapes
from kb.filters import CauseLinkFilter, CrosswalkFilter, NodeFilter
from kb.models import CauseLink, Crosswalk, Node, Scheme, Source, Study
from kb.selectors import catalogue
from kb.selectors.codebook import schemes, studies

SLUG = declared.Parameter("slug", str, declared.PATH, description="Slug of the row.")
ID = declared.Parameter("id", int, declared.PATH, description="Number of the row (`id`).")


@extend_schema_view(
    list=extend_schema(summary="List schemes", description="The house codebook and every study's categories."),
    retrieve=extend_schema(summary="One scheme", description="One scheme with its axes."),
)
class SchemeViewSet(ReadViewSet):
    """Schemes."""

    serializer_class = shapes.SchemeSerializer
    lookup_field = "slug"
    path_parameters = (SLUG,)
    example_name = "scheme"

    def get_queryset(self) -> QuerySet[Scheme]:
        """Every scheme with its axes."""
        return schemes().prefetch_related("axes").order_by("slug", "pk")


@extend_schema_view(
    list=extend_schema(
        summary="List nodes", description="The nodes of all schemes, in the order of their axes, retired ones included."
    ),
    retrieve=extend_schema(summary="One node", description="One node with its children and the number of its issues."),
)
class NodeViewSet(ReadViewSet):
    """Nodes."""

    serializer_class = shapes.NodeSerializer
    detail_serializer_class = shapes.NodeDetailSerializer
    filterset_class = NodeFilter
    path_parameters = (
        declared.Parameter("scheme", str, declared.PATH, description="Slug of the scheme, such as `house`."),
        declared.Parameter("axis", str, declared.PATH, description="Code of the axis, such as `symptom`."),
        declared.Parameter("code", str, declared.PATH, description="Code of the node, such as `hang`."),
    )
    example_name = "node"

    def get_queryset(self) -> QuerySet[Node]:
        """Every node."""
        return catalogue.nodes()

    def get_object(self) -> Node:
        """The node that the address names."""
        where: dict[str, Any] = self.kwargs
        return get_object_or_404(
            self.get_queryset().prefetch_related("children__axis__scheme"),
            axis__scheme__slug=where["scheme"],
            axis__code=where["axis"],
            code=where["code"],
        )


@extend_schema_view(
    list=extend_schema(
        summary="List crosswalk relations", description="How studies' categories relate to the house codebook (SKOS)."
    ),
    retrieve=extend_schema(summary="One crosswalk relation", description="One relation with both nodes."),
)
class CrosswalkViewSet(ReadViewSet):
    """Crosswalks."""

    serializer_class = shapes.CrosswalkSerializer
    filterset_class = CrosswalkFilter
    path_parameters = (ID,)
    example_name = "crosswalk"

    def get_queryset(self) -> QuerySet[Crosswalk]:
        """Every relation."""
        return catalogue.crosswalks()


@extend_schema_view(
    list=extend_schema(
        summary="List cause links",
        description=(
            "Which root causes go with a symptom, source by source: how many issues, of how many, "
            "with the 95 % interval of the share."
        ),
    ),
    retrieve=extend_schema(summary="One cause link", description="One symptom, one root cause, one source."),
)
class CauseLinkViewSet(ReadViewSet):
    """Cause links."""

    serializer_class = shapes.CauseLinkSerializer
    filterset_class = CauseLinkFilter
    path_parameters = (ID,)
    example_name = "cause-link"

    def get_queryset(self) -> QuerySet[CauseLink]:
        """Every link."""
        return catalogue.cause_links()


@extend_schema_view(
    list=extend_schema(summary="List studies", description="Published studies with their numbers and provenance."),
    retrieve=extend_schema(summary="One study", description="One study with its numbers and provenance."),
)
class StudyViewSet(ReadViewSet):
    """Studies."""

    serializer_class = shapes.StudySerializer
    lookup_field = "slug"
    path_parameters = (SLUG,)
    example_name = "study"

    def get_queryset(self) -> QuerySet[Study]:
        """Every study."""
        return studies().prefetch_related("overlaps").order_by("code", "pk")


@extend_schema_view(
    list=extend_schema(summary="List sources of labels", description="Who holds labels and how far to trust them."),
    retrieve=extend_schema(summary="One source of labels", description="One source with the number of its labels."),
)
class SourceViewSet(ReadViewSet):
    """Sources."""

    serializer_class = shapes.SourceSerializer
    lookup_field = "slug"
    path_parameters = (SLUG,)
    example_name = "source"

    def get_queryset(self) -> QuerySet[Source]:
        """Every source."""
        return catalogue.sources()
