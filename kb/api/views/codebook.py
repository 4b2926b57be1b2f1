"""Schemes, nodes, crosswalks, cause links, studies and sources."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view

from kb.api import parameters as declared
from kb.api.base import NamedViewSet, NumberedViewSet, ReadViewSet
from kb.api.serializers import codebook as shapes
from kb.filters.lists import CauseLinkFilter, CrosswalkFilter, NodeFilter
from kb.models import Node
from kb.selectors import catalogue


@extend_schema_view(
    list=extend_schema(summary="List schemes", description="The house codebook and every study's categories."),
    retrieve=extend_schema(summary="One scheme", description="One scheme with its axes."),
)
class SchemeViewSet(NamedViewSet):
    """Schemes."""

    serializer_class = shapes.SchemeSerializer
    example_name = "scheme"
    rows = staticmethod(catalogue.schemes)


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
    rows = staticmethod(catalogue.nodes)

    def get_object(self) -> Node:
        """The node that the address names."""
        nodes: QuerySet[Node] = self.get_queryset()
        return get_object_or_404(
            nodes.prefetch_related("children__axis__scheme"),
            axis__scheme__slug=self.kwargs["scheme"],
            axis__code=self.kwargs["axis"],
            code=self.kwargs["code"],
        )


@extend_schema_view(
    list=extend_schema(
        summary="List crosswalk relations", description="How studies' categories relate to the house codebook (SKOS)."
    ),
    retrieve=extend_schema(summary="One crosswalk relation", description="One relation with both nodes."),
)
class CrosswalkViewSet(NumberedViewSet):
    """Crosswalks."""

    serializer_class = shapes.CrosswalkSerializer
    filterset_class = CrosswalkFilter
    example_name = "crosswalk"
    rows = staticmethod(catalogue.crosswalks)


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
class CauseLinkViewSet(NumberedViewSet):
    """Cause links."""

    serializer_class = shapes.CauseLinkSerializer
    filterset_class = CauseLinkFilter
    example_name = "cause-link"
    rows = staticmethod(catalogue.cause_links)


@extend_schema_view(
    list=extend_schema(summary="List studies", description="Published studies with their numbers and provenance."),
    retrieve=extend_schema(summary="One study", description="One study with its numbers and provenance."),
)
class StudyViewSet(NamedViewSet):
    """Studies."""

    serializer_class = shapes.StudySerializer
    example_name = "study"
    rows = staticmethod(catalogue.studies)


@extend_schema_view(
    list=extend_schema(summary="List sources of labels", description="Who holds labels and how far to trust them."),
    retrieve=extend_schema(summary="One source of labels", description="One source with the number of its labels."),
)
class SourceViewSet(NamedViewSet):
    """Sources."""

    serializer_class = shapes.SourceSerializer
    example_name = "source"
    rows = staticmethod(catalogue.sources)
