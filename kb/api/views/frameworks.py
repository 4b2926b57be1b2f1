"""Frameworks and repositories."""

from drf_spectacular.utils import extend_schema, extend_schema_view

from kb.api import parameters as declared
from kb.api.base import NamedViewSet, NumberedViewSet
from kb.api.serializers.frameworks import FrameworkSerializer, RepositorySerializer
from kb.filters.lists import RepositoryFilter
from kb.selectors import catalogue


@extend_schema_view(
    list=extend_schema(summary="List frameworks", description="Products whose faults are recorded."),
    retrieve=extend_schema(summary="One framework", description="One framework with its repositories."),
)
class FrameworkViewSet(NamedViewSet):
    """Frameworks."""

    serializer_class = FrameworkSerializer
    path_parameters = (declared.Parameter("slug", str, declared.PATH, description="Slug, such as `deepspeed`."),)
    example_name = "framework"
    rows = staticmethod(catalogue.frameworks)


@extend_schema_view(
    list=extend_schema(summary="List repositories", description="Repositories with their former names."),
    retrieve=extend_schema(summary="One repository", description="One repository with its former names."),
)
class RepositoryViewSet(NumberedViewSet):
    """Repositories."""

    serializer_class = RepositorySerializer
    filterset_class = RepositoryFilter
    example_name = "repository"
    rows = staticmethod(catalogue.repositories)
