"""What an upgrade of a package changes."""

from typing import Any

from django.core.paginator import Paginator
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from kb.api.base import ReadView
from kb.api.bodies import TooLargeProblem
from kb.api.check_bodies import received_texts
from kb.api.check_schema import REFUSED, SENT
from kb.api.paging import MAX_PAGE, whole_number
from kb.api.problems import MEDIA_TYPE, InvalidParametersError
from kb.api.serializers.problems import ProblemSerializer
from kb.api.serializers.upgrades import UpgradeSerializer
from kb.api.throttling import DiagnosisThrottle
from kb.core.check.texts import NotCheckedError, TooMuchError, limited
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup
from kb.core.versions import as_version
from kb.exports.upgrades import upgrade_document
from kb.http.site import absolute
from kb.selectors.releases import find_package
from kb.selectors.upgrades import upgrade

FIXES_PER_PAGE = 100
NO_VERSION = "This is no version: write it as 0.15.4."
UNKNOWN = "No history of this package was read, and no record names its versions."
MISSING: dict[Any, OpenApiResponse] = {(404, MEDIA_TYPE): OpenApiResponse(ProblemSerializer, UNKNOWN)}
# Of what PEP 440 allows the forms that packages are released under, and builds' numbers.
PATTERN = (
    r"^(v?[0-9]+(\.[0-9]+)*((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?|b[0-9]{2,6})$"
)
NAME = {"type": "string", "minLength": 1, "maxLength": 120}
VERSION = {"type": "string", "pattern": PATTERN, "maxLength": 60}


class UpgradeView(ReadView):
    """One package, two versions."""

    serializer_class = UpgradeSerializer
    may_be_missing = True
    tidied_methods = ("GET", "HEAD", "POST")

    own_parameters = (
        OpenApiParameter(
            "package", NAME, required=True, description="Its name on PyPI such as `deepspeed`, or owner/name."
        ),
        OpenApiParameter("from", VERSION, required=True, description="The version you have, such as `0.14.2`."),
        OpenApiParameter("to", VERSION, required=True, description="The version you think of, such as `0.15.4`."),
        OpenApiParameter(
            "page", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE}, description="Page of `fixes`; default 1."
        ),
    )
    example_name = "upgrade"

    def get_throttles(self) -> list[BaseThrottle]:
        """A set-up costs what a check does."""
        if self.request.method == "POST":
            self.throttle_classes = (DiagnosisThrottle,)
        return super().get_throttles()

    @extend_schema(
        operation_id="upgrade_retrieve",
        summary="What an upgrade changes",
        description=(
            "Faults that are fixed, that come and that stay between two versions of a package, each with what its "
            "bounds rest on, and the fixes that the repository's history has in between. A downgrade is answered as "
            "the upgrade back. What nobody reported or described is not in it."
        ),
        tags=["versions"],
    )
    def get(self, request: Request) -> Response:
        """The upgrade. Raises `InvalidParametersError` or `NotFound`."""
        return self._answer(request)

    @extend_schema(
        operation_id="upgrade_of_setup",
        summary="What an upgrade changes for a set-up",
        description=(
            "The same without faults whose condition the set-up does not meet; those with an unknown condition stay. "
            "The set-up is sent as for a check: all texts of one request are one set-up. Nothing is stored."
        ),
        tags=["versions"],
        request=SENT,
        responses={200: OpenApiResponse(UpgradeSerializer, "The answer."), **REFUSED, **MISSING},
    )
    def post(self, request: Request) -> Response:
        """The upgrade for the set-up that was sent. Raises as `get`, and API exceptions that say what to send."""
        try:
            return self._answer(request, read_setup(limited(received_texts(request))))
        except TooMuchError as error:
            raise TooLargeProblem(str(error)) from error
        except NotCheckedError as error:
            raise ParseError(str(error)) from error

    def _answer(self, request: Request, setup: Setup | None = None) -> Response:
        params = request.query_params
        page = whole_number(params, "page", default=1, smallest=1, largest=MAX_PAGE)
        package = find_package(params.get("package", ""))
        first, second = as_version(params.get("from", "")), as_version(params.get("to", ""))
        if first is None or second is None:
            given = {"from": first, "to": second}
            raise InvalidParametersError({name: [NO_VERSION] for name, version in given.items() if version is None})
        if package is None:
            raise NotFound(UNKNOWN)
        start, target = sorted((first, second))
        changes = upgrade(package, start, target, setup)
        fixes = Paginator(changes.fixes, FIXES_PER_PAGE).get_page(page).object_list
        return Response(upgrade_document(changes, lambda path: absolute(request, path), fixes=list(fixes)))
