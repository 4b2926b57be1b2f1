"""The hints by root cause and by symptom."""

from collections.abc import Sequence
from typing import get_args

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request

from kb.api import parameters as declared
from kb.api.base import ListedViewSet
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
class HintViewSet(ListedViewSet):
    """Hints."""

    serializer_class = HintSerializer
    list_parameters = (
        OpenApiParameter("axis", {"type": "string", "enum": list(AXES)}, description="Only hints of this axis."),
    )
    path_parameters = (
        OpenApiParameter("axis", str, declared.PATH, description="`root_cause` or `symptom`."),
        OpenApiParameter("code", str, declared.PATH, description="Code of the category."),
    )
    example_name = "hint"

    def found(self, request: Request) -> Sequence[HintRow]:
        """The hints, of one axis if wanted."""
        axis = declared.chosen(request, {"axis": AXES})["axis"]
        return [row for row in hints().rows() if axis in ("", row.axis)]

    def get_object(self) -> HintRow:
        """The hints that the address names."""
        wanted = (self.kwargs["axis"], self.kwargs["code"])
        found = next((row for row in hints().rows() if (row.axis, row.code) == wanted), None)
        if found is None:
            raise Http404
        return found
