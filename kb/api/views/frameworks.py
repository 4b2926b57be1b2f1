"""Frameworks and repositories."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view

from kb.api import parameters as declared
from kb.api.base import ReadViewSet
from kb.api.serializers.frameworks import FrameworkSerializer, RepositorySerializer
from kb.filters import RepositoryFilter
from kb.models import Framework, Repository
from kb.selectors import catalogue


@extend_schema_view(
    list=extend_schema(summary="List frameworks", description="Products that people report faults of."),
    retrieve=extend_schema(summary="One framework", description="One framework with its repositories."),
)
class FrameworkViewSet(ReadViewSet):
    """Frameworks."""

    serializer_class = FrameworkSerializer
    lookup_field = "slug"
    path_parameters = (declared.Parameter("slug", str, declared.PATH, description="Slug, such as `deepspeed`."),)
    example_name = "framework"

    def get_queryset(self) -> QuerySet[Framework]:
        """Every framework."""
        return catalogue.frameworks()


@extend_schema_view(
    list=extend_schema(summary="List repositories", description="Where issues live, with the names they had before."),
    retrieve=extend_schema(summary="One repository", description="One repository with the names it had before."),
)
class RepositoryViewSet(ReadViewSet):
    """Repositories."""

    serializer_class = RepositorySerializer
    filterset_class = RepositoryFilter
    path_parameters = (declared.Parameter("id", int, declared.PATH, description="Number of the row (`id`)."),)
    example_name = "repository"

    def get_queryset(self) -> QuerySet[Repository]:
        """Every repository."""
        return catalogue.repositories()
