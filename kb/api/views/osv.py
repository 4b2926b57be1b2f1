"""One issue in OSV's format."""

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView
from kb.api.serializers.osv import OsvSerializer
from kb.exports.osv import Exporter
from kb.http.site import absolute
from kb.selectors.faults import issues_with_ranges
from kb.selectors.public_ids import number_of_issue


class OsvView(ReadView):
    """An issue's affected versions for tools that read OSV."""

    serializer_class = OsvSerializer
    own_parameters = (declared.ISSUE_ID,)
    example_name = "osv"

    @extend_schema(
        operation_id="issue_osv",
        summary="One issue in OSV's format",
        description=(
            "The versions that a fault is in, as OSV's schema puts them. Faults are no vulnerabilities, and ids with "
            "`x_` belong to no database of osv.dev. An event is the widest bound that is known; `database_specific` "
            "of a range says what it rests on. 404 where only reports name versions."
        ),
        tags=["versions"],
    )
    def get(self, request: Request, pk: str) -> Response:
        """The document. Raises `Http404`."""
        issue = issues_with_ranges().filter(pk=number_of_issue(pk)).first()
        document = Exporter(lambda path: absolute(request, path)).document(issue) if issue else None
        if document is None:
            raise Http404
        return Response(document)
