"""Playbooks: of fix patterns, and of common faults."""

from collections.abc import Sequence

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request

from kb.api import parameters as declared
from kb.api.base import ListedViewSet, NamedViewSet, ReadViewSet
from kb.api.examples import JsonObject
from kb.api.paging import ListPaging
from kb.api.serializers.playbooks import FaultPlaybookSerializer, PlaybookSerializer
from kb.core.fault_playbooks import FaultPlaybook, fault_playbook, fault_playbooks
from kb.models import Playbook
from kb.selectors import playbooks as read
from kb.selectors.fix_patterns import pattern_counts


@extend_schema_view(
    list=extend_schema(
        summary="List playbooks of fix patterns",
        description="How each fix pattern is applied: when, how, what to mind, an example, and how often it is used.",
    ),
    retrieve=extend_schema(summary="One playbook of a fix pattern", description="The playbook of one fix pattern."),
)
class PlaybookViewSet(ReadViewSet):
    """Playbooks of fix patterns."""

    serializer_class = PlaybookSerializer
    pagination_class = ListPaging
    paging_parameters = (declared.PAGE, declared.PAGE_SIZE_PARAMETER)
    path_parameters = (OpenApiParameter("code", str, declared.PATH, description="Code of the fix pattern."),)
    example_name = "playbook"
    rows = staticmethod(read.playbooks)

    def get_serializer_context(self) -> JsonObject:
        """With the issues and fixes of every pattern."""
        context = super().get_serializer_context()
        # The description of the API is made without a database.
        return context | {"counts": pattern_counts() if self.request else {}}

    def get_object(self) -> Playbook:
        """The playbook that the address names."""
        found: Playbook = get_object_or_404(self.get_queryset(), node__code=self.kwargs["code"])
        return found


@extend_schema_view(
    list=extend_schema(
        summary="List playbooks of common faults",
        description="What to check first about faults that many people meet, what each check tells, and what to do.",
    ),
    retrieve=extend_schema(summary="One playbook of a common fault", description="The whole tree of checks."),
)
class FaultPlaybookViewSet(NamedViewSet, ListedViewSet):
    """Playbooks of common faults."""

    serializer_class = FaultPlaybookSerializer
    example_name = "fault-playbook"

    def found(self, request: Request) -> Sequence[FaultPlaybook]:  # noqa: ARG002
        """All of them, by name."""
        return fault_playbooks()

    def get_object(self) -> FaultPlaybook:
        """The playbook that the address names."""
        found = fault_playbook(self.kwargs["slug"])
        if found is None:
            raise Http404
        return found
