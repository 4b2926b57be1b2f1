"""How views become OpenAPI operations: their declared parameters, every status they can answer, real examples."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from kb.api import problems
from kb.api.base import ReadView
from kb.api.serializers.problems import ProblemSerializer

DETAILS = {
    HTTPStatus.BAD_REQUEST: "A query parameter is unknown or cannot be understood; `errors` names each one.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.NOT_ACCEPTABLE: "The `Accept` header leaves no form in which this address can answer.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this client; `Retry-After` says when to go on.",
}
EXAMPLES = {
    HTTPStatus.BAD_REQUEST: problems.problem(
        HTTPStatus.BAD_REQUEST,
        "Some query parameters cannot be understood.",
        [{"parameter": "symptoms", "detail": "“symptoms” is not known here. Did you mean symptom?"}],
    ),
    HTTPStatus.NOT_FOUND: problems.problem(HTTPStatus.NOT_FOUND, "There is nothing at this address."),
    HTTPStatus.TOO_MANY_REQUESTS: problems.problem(
        HTTPStatus.TOO_MANY_REQUESTS, "Request was throttled. Expected available in 12 seconds."
    ),
}
ADDRESSES = {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}


class Schema(AutoSchema):
    """Documents exactly what a view of `kb.api.base` accepts and answers."""

    view: ReadView  # type: ignore[override, unused-ignore]

    def get_override_parameters(self) -> list[Any]:
        """The parameters that the view declares, and the headers of its answers."""
        return [*self.view.parameters(), *self.view.response_headers]

    def get_filter_backends(self) -> list[Any]:
        """None: the view declares its filters as parameters."""
        return []

    def get_response_serializers(self) -> Any:
        """The answer itself, 304, and every problem."""
        return {
            200: OpenApiResponse(self._answer(), "The answer."),
            304: OpenApiResponse(None, "Unchanged since the answer whose ETag was sent."),
            **{(int(status), problems.MEDIA_TYPE): _problem(status) for status in DETAILS if self._can_answer(status)},
        }

    def _answer(self) -> Any:
        return super().get_response_serializers() if self.view.serializer_class else ADDRESSES

    def _can_answer(self, status: HTTPStatus) -> bool:
        return status != HTTPStatus.NOT_FOUND or self._has_pages() or "{" in self.path

    def _has_pages(self) -> bool:
        return getattr(self.view, "action", "") == "list"

    def get_examples(self) -> list[OpenApiExample]:
        """The view's own examples, for its answers."""
        return list(self.view.examples())


def _problem(status: HTTPStatus) -> OpenApiResponse:
    examples = [OpenApiExample(status.phrase, value=EXAMPLES[status])] if status in EXAMPLES else []
    return OpenApiResponse(ProblemSerializer, DETAILS[status], examples)


def only_public(endpoints: list[Any], **_context: Any) -> list[Any]:
    """Hook: the public description has the views of `kb.api.base` only."""
    return [one for one in endpoints if issubclass(one[3].cls, ReadView)]


def allow_fewer_keys(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Hook: `?fields=` leaves keys out, so that no key of an outermost row is promised in every answer."""
    shapes = result["components"]["schemas"]
    for path in result["paths"].values():
        if not any(one["name"] == "fields" for one in path.get("get", {}).get("parameters", ())):
            continue
        answer = path["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        name = answer.get("$ref", "").rpartition("/")[2]
        if name.startswith("Paginated"):
            name = shapes[name]["properties"]["results"]["items"]["$ref"].rpartition("/")[2]
        if shapes.get(name, {}).pop("required", None):
            shapes[name]["description"] += " Every key is there unless `fields` names fewer."
    return result
