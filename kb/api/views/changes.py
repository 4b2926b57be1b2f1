"""What changed of described faults, for programs that keep a copy."""

import base64
import binascii

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.base import ReadView
from kb.api.problems import InvalidParametersError
from kb.api.serializers.changes import ChangesSerializer
from kb.http.site import absolute
from kb.selectors.fault_changes import UnknownPlaceError, changes_since

MOST = 500
LONGEST_CURSOR = 40
BAD_CURSOR = "This is no cursor of this server, or its database was restored: begin again without `since`."


class ChangesView(ReadView):
    """The changes since a cursor."""

    serializer_class = ChangesSerializer
    own_parameters = (
        OpenApiParameter(
            "since",
            {"type": "string", "maxLength": LONGEST_CURSOR},
            description="`next` of an earlier answer; without it, every fault there is or was.",
        ),
    )
    example_name = "changes"

    @extend_schema(
        operation_id="changes",
        summary="What changed",
        description=(
            f"Faults that were described, changed or withdrawn since a cursor, at most {MOST} at a time. A change is "
            "listed some seconds after it is made, and never before one that became visible earlier: who follows the "
            "cursor misses none. Each id stands once, with its last change."
        ),
        tags=["issues"],
    )
    def get(self, request: Request) -> Response:
        """The changes. Raises `InvalidParametersError`."""
        since = _place(request.query_params.get("since", ""))
        try:
            found = changes_since(since, limit=MOST)
        except UnknownPlaceError as error:
            raise InvalidParametersError({"since": [BAD_CURSOR]}) from error
        rows = [
            {
                "public_id": row.public_id,
                "change": row.kind_since(since),
                "changed_at": row.changed_at,
                "replaced_by": row.replaced_by,
                "page": None if row.is_withdrawn else absolute(request, reverse("fault", args=(row.public_id,))),
            }
            for row in found.rows
        ]
        answer = {"changes": rows, "next": _cursor(found.place), "has_more": found.has_more}
        return Response(ChangesSerializer(answer, context={"request": request}).data)


def _cursor(place: int) -> str:
    return base64.urlsafe_b64encode(f"changes:{place}".encode()).decode().rstrip("=")


def _place(cursor: str) -> int:
    """The place that a cursor stands for. Raises `InvalidParametersError`."""
    if not cursor:
        return 0
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    kind, _, number = text.partition(":")
    if kind != "changes" or not number.isdecimal() or len(number) > 18:
        raise InvalidParametersError({"since": [BAD_CURSOR]})
    return int(number)
