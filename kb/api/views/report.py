"""Checks of a draft of a report by program: its text in, what it still needs out. Nothing is stored."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kb.api.base import ReadView
from kb.api.bodies import TooLargeProblem
from kb.api.check_bodies import received_texts
from kb.api.check_schema import REFUSED_REPORT, SENT
from kb.api.diagnose_schema import RATE
from kb.api.examples import example
from kb.api.problems import InvalidParametersError
from kb.api.serializers.diagnose import serializer_of
from kb.api.throttling import DiagnosisThrottle
from kb.core.check.report import ReportCheckData, check_report
from kb.core.check.texts import NotCheckedError, TooMuchError
from kb.core.reports.format import report_facts

ReportCheckSerializer = serializer_of(ReportCheckData)


class ReportCheckView(ReadView):
    """A check of a draft."""

    response_headers = RATE
    tidied_methods = ("GET", "HEAD", "POST")
    throttle_classes = (DiagnosisThrottle,)
    serializer_class = ReportCheckSerializer

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

    def examples(self) -> Iterable[OpenApiExample]:
        """A real answer."""
        return (example("report-check", ReportCheckSerializer.keys()),)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Keep every answer out of caches."""
        response = APIView.dispatch(self, request, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        return response

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
        try:
            return Response(check_report(received_texts(request), symptom))
        except TooMuchError as error:
            raise TooLargeProblem(str(error)) from error
        except NotCheckedError as error:
            raise ParseError(str(error)) from error
