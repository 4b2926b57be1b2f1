"""Checks by program: texts of a set-up in, known faults that affect it out. Nothing is stored; no account is needed."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kb.api.base import ReadView
from kb.api.bodies import TooLargeProblem
from kb.api.check_bodies import received_texts
from kb.api.check_schema import CHECKED, SENT, CheckSerializer
from kb.api.diagnose_schema import RATE
from kb.api.examples import example
from kb.api.throttling import DiagnosisThrottle
from kb.check.answer import check
from kb.core.check.texts import NotCheckedError, TooMuchError


class CheckView(ReadView):
    """A check of what is sent."""

    response_headers = RATE
    tidied_methods = ("GET", "HEAD", "POST")
    throttle_classes = (DiagnosisThrottle,)
    serializer_class = CheckSerializer

    def parameters(self) -> Iterable[OpenApiParameter]:
        """It takes none."""
        return ()

    def examples(self) -> Iterable[OpenApiExample]:
        """A real answer."""
        return (example("check", CheckSerializer.keys()),)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Keep every answer out of caches."""
        response = APIView.dispatch(self, request, *args, **kwargs)
        response.headers["Cache-Control"] = "no-store"
        return response

    @extend_schema(
        operation_id="check",
        summary="Check a set-up",
        description=(
            "Say which known faults affect a set-up, before it runs. Takes pip freeze, requirements, lock files, conda "
            "lists, environment dumps, configurations, scripts and launch commands, recognised by content; all texts "
            "of one request are one set-up. Up to 1 MB and 200 texts. Nothing is stored. No finding is not a proof of "
            "safety: only known faults are compared."
        ),
        tags=["check"],
        request=SENT,
        responses=CHECKED,
    )
    def post(self, request: Request) -> Response:
        """Check what was sent."""
        try:
            return Response(check(received_texts(request)))
        except TooMuchError as error:
            raise TooLargeProblem(str(error)) from error
        except NotCheckedError as error:
            raise ParseError(str(error)) from error
