"""Studies' published tables, and the priorities that people name."""

from collections.abc import Sequence

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView, ReadViewSet
from kb.api.paging import ListPaging
from kb.api.serializers.studies import PrioritiesSerializer, StudyTableSerializer
from kb.charts.study_tables import StudyTable, study_tables
from kb.exports import Document
from kb.exports.priorities import priorities_document
from kb.exports.studies import table_document
from kb.http.site import absolute
from kb.models import Study
from kb.priorities.published import published
from kb.priorities.survey import EXPERIENCES, ROLES, Audience
from kb.selectors import codebook as read
from kb.selectors import priorities as read_priorities

AUDIENCES = {"role": [*filter(None, ROLES)], "experience": [*filter(None, EXPERIENCES)]}


@extend_schema_view(
    list=extend_schema(
        summary="List a study's published tables",
        description="Every table that the study published, with the same numbers counted again where its data is here.",
    ),
    retrieve=extend_schema(summary="One published table", description="One table of one study."),
)
class StudyTableViewSet(ReadViewSet):
    """Published tables."""

    serializer_class = StudyTableSerializer
    pagination_class = ListPaging
    paging_parameters = (declared.PAGE, declared.PAGE_SIZE_PARAMETER)
    path_parameters = (
        OpenApiParameter("slug", str, declared.PATH, description="Slug of the study."),
        OpenApiParameter("table", str, declared.PATH, description="Slug of the table."),
    )
    list_parameters = path_parameters[:1]
    example_name = "study-table"

    def list(self, request: Request, slug: str) -> Response:  # type: ignore[override]
        """One page of the study's tables."""
        page = self.paginate_queryset(_tables(slug))
        documents = [_document(shown, request) for shown in page or ()]
        return self.get_paginated_response(self.get_serializer(documents, many=True).data)

    def get_object(self) -> Document:
        """The table that the address names."""
        for shown in _tables(self.kwargs["slug"]):
            if shown.table.slug == self.kwargs["table"]:
                return _document(shown, self.request)
        raise Http404


def _tables(slug: str) -> Sequence[StudyTable]:
    try:
        study = read.study_detail(slug=slug)
    except Study.DoesNotExist as error:
        raise Http404 from error
    return study_tables(study=study, is_imported=bool(read.imported_counts(study=study).issues))


def _document(shown: StudyTable, request: Request) -> Document:
    return table_document(shown, url=absolute(request, shown.table.get_absolute_url()))


class PrioritiesView(ReadView):
    """The survey's results and the published orders."""

    serializer_class = PrioritiesSerializer
    own_parameters = (
        OpenApiParameter("role", {"type": "string", "enum": list(AUDIENCES["role"])}, description="Only theirs."),
        OpenApiParameter(
            "experience", {"type": "string", "enum": list(AUDIENCES["experience"])}, description="Only with so much."
        ),
    )
    example_name = "priorities"

    @extend_schema(
        operation_id="priorities_retrieve",
        summary="What presses people most",
        description="The themes in the order of the survey on this site, and the orders that studies published.",
        tags=["studies"],
    )
    def get(self, request: Request) -> Response:
        """The results of the audience. Raises `InvalidParametersError`."""
        audience = Audience(**declared.chosen(request, AUDIENCES))
        themes = read_priorities.themes()
        results = read_priorities.survey_results(offered=themes)
        return Response(priorities_document(themes, results, published(), audience))
