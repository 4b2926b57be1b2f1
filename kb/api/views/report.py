"""Checks of a draft of a report by program: its text in, what it still needs out. Nothing is stored."""

from collections.abc import Iterable

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.check_schema import REFUSED_REPORT, SENT
from kb.api.problems import InvalidParametersError
from kb.api.serializers.diagnose import serializer_of
from kb.api.views.check import SentTextsView
from kb.core.check.report import ReportCheckData, check_report
from kb.core.reports.format import report_facts

ReportCheckSerializer = serializer_of(ReportCheckData)


class ReportCheckView(SentTextsView):
    """A check of a draft."""

    serializer_class = ReportCheckSerializer
    example_name = "report-check"

    def parameters(self) -> Iterable[OpenApiParameter]:
        """The symptom."""
        symptoms = list(report_facts().symptoms)
        return (
            OpenApiParameter(
                "symptom",
                {"type": "string", "enum": symptoms},
                description="What the report is of; without it the text tells.",
            ),
        )

    @extend_schema(
        operation_id="check_report",
        summary="Check a report's draft",
        description=(
            "Say which facts a report of this symptom needs, which stand in the draft, and the commands that get the "
            "others, with an issue template of the same facts. All texts of one request are one draft, up to 65,536 "
            "characters. Read by fixed rules; nothing is stored."
        ),
        tags=["check"],
        request=SENT,
        responses={200: OpenApiResponse(ReportCheckSerializer, "What is there and what is missing."), **REFUSED_REPORT},
    )
    def post(self, request: Request) -> Response:
        """Check what was sent. Raises `InvalidParametersError`."""
        symptom = request.query_params.get("symptom", "")
        known = report_facts().symptoms
        if symptom and symptom not in known:
            raise InvalidParametersError({"symptom": [f"Choose one of: {', '.join(known)}."]})
        return self.checked(request, lambda texts: check_report(texts, symptom))
