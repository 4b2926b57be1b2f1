"""The hints by root cause and by symptom."""

from typing import get_args

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadViewSet
from kb.api.paging import ListPaging
from kb.api.problems import InvalidParametersError
from kb.api.serializers.hints import HintSerializer
from kb.codebook.hints import HintAxis, HintRow, hints

AXES = get_args(HintAxis)


@extend_schema_view(
    list=extend_schema(
        summary="List hints",
        description=(
            "By root cause: a test that catches it, what a log should say, and the smallest set-up that shows it. By "
            "symptom: the smallest set-up. Our advice, from the records named with it."
        ),
    ),
    retrieve=extend_schema(summary="One category's hints", description="The hints of one root cause or symptom."),
)
class HintViewSet(ReadViewSet):
    """Hints."""

    serializer_class = HintSerializer
    pagination_class = ListPaging
    paging_parameters = (declared.PAGE, declared.PAGE_SIZE_PARAMETER)
    list_parameters = (
        OpenApiParameter("axis", {"type": "string", "enum": list(AXES)}, description="Only hints of this axis."),
    )
    path_parameters = (
        OpenApiParameter("axis", str, declared.PATH, description="`root_cause` or `symptom`."),
        OpenApiParameter("code", str, declared.PATH, description="Code of the category."),
    )
    example_name = "hint"

    def list(self, request: Request) -> Response:
        """One page of the hints. Raises `InvalidParametersError`."""
        axis = request.query_params.get("axis", "")
        if axis and axis not in AXES:
            raise InvalidParametersError({"axis": [f"“{axis[:60]}” has no hints. Choose one of: {', '.join(AXES)}."]})
        found = [row for row in hints().rows() if axis in ("", row.axis)]
        return self.get_paginated_response(self.get_serializer(self.paginate_queryset(found), many=True).data)

    def get_object(self) -> HintRow:
        """The hints that the address names."""
        wanted = (self.kwargs["axis"], self.kwargs["code"])
        found = next((row for row in hints().rows() if (row.axis, row.code) == wanted), None)
        if found is None:
            raise Http404
        return found
