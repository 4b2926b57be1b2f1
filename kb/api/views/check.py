"""Checks by program: texts of a set-up in, known faults that affect it out. Nothing is stored; no account is needed."""

from collections.abc import Callable

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.base import UncachedView
from kb.api.bodies import TooLargeProblem
from kb.api.check_bodies import received_texts
from kb.api.check_schema import CHECKED, SENT, CheckSerializer
from kb.api.diagnose_schema import RATE
from kb.api.throttling import DiagnosisThrottle
from kb.check.answer import check
from kb.core.check.texts import NamedText, NotCheckedError, TooMuchError


class SentTextsView(UncachedView):
    """A check of the texts that are sent."""

    response_headers = RATE
    throttle_classes = (DiagnosisThrottle,)

    def checked(self, request: Request, work: Callable[[list[NamedText]], object]) -> Response:
        """What `work` makes of the texts."""
        try:
            return Response(work(received_texts(request)))
        except TooMuchError as error:
            raise TooLargeProblem(str(error)) from error
        except NotCheckedError as error:
            raise ParseError(str(error)) from error


class CheckView(SentTextsView):
    """A check of a set-up."""

    serializer_class = CheckSerializer
    example_name = "check"

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
        return self.checked(request, check)
