"""The OpenAPI description of the views: declared parameters, every possible status, real examples."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from kb.api import problems
from kb.api.base import ReadView
from kb.api.examples import JsonObject
from kb.api.serializers.problems import ProblemSerializer

DETAILS = {
    HTTPStatus.BAD_REQUEST: "A query parameter is unknown or invalid; `errors` names each one.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.NOT_ACCEPTABLE: "This address cannot answer in a format that the `Accept` header allows.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this client; `Retry-After` says when to retry.",
}
EXAMPLES = {
    HTTPStatus.BAD_REQUEST: problems.problem(
        HTTPStatus.BAD_REQUEST,
        "Some query parameters are invalid.",
        [{"parameter": "symptoms", "detail": "“symptoms” is not known here. Did you mean symptom?"}],
    ),
    HTTPStatus.NOT_FOUND: problems.problem(HTTPStatus.NOT_FOUND, "There is nothing at this address."),
    HTTPStatus.TOO_MANY_REQUESTS: problems.problem(
        HTTPStatus.TOO_MANY_REQUESTS, "Request was throttled. Expected available in 12 seconds."
    ),
}
ADDRESSES = {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}


class Schema(AutoSchema):
    """Documents the views of `kb.api.base`."""

    view: ReadView  # type: ignore[override, unused-ignore]

    def get_override_parameters(self) -> list[Any]:
        """The view's declared parameters and response headers."""
        return [*self.view.parameters(), *self.view.response_headers]

    def get_filter_backends(self) -> list[Any]:
        """None: the view declares its filters as parameters."""
        return []

    def get_response_serializers(self) -> Any:
        """The answer, 304, and every error."""
        answer = super().get_response_serializers() if self.view.serializer_class else ADDRESSES
        responses: dict[Any, OpenApiResponse] = {
            200: OpenApiResponse(answer, "The answer."),
            304: OpenApiResponse(None, "Unchanged since the answer whose ETag was sent."),
        }
        # A list has no page after its last one; an address with a variable part may name nothing.
        may_be_missing = getattr(self.view, "action", "") == "list" or "{" in self.path or self.view.may_be_missing
        for status, text in DETAILS.items():
            if status != HTTPStatus.NOT_FOUND or may_be_missing:
                examples = [OpenApiExample(status.phrase, value=EXAMPLES[status])] if status in EXAMPLES else []
                responses[int(status), problems.MEDIA_TYPE] = OpenApiResponse(ProblemSerializer, text, examples)
        return responses

    def get_examples(self) -> list[OpenApiExample]:
        """The view's own examples."""
        return list(self.view.examples())


# What the server may answer to any request, before or instead of its view.
FOR_ALL = {
    HTTPStatus.REQUEST_URI_TOO_LONG: "The address is longer than 64 KB. No body.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The headers are longer than the server takes. No body.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The database is away, or too many ask at the moment; `Retry-After` says when to "
    "retry. A plain text where the server had no turn for the request.",
}
LABELING = "/api/v1/labeling/"


def only_public(endpoints: list[Any], **_context: Any) -> list[Any]:
    """Preprocessing hook of drf-spectacular: keep only the views of `kb.api.base`."""
    return [
        (path, pattern, method, view) for path, pattern, method, view in endpoints if issubclass(view.cls, ReadView)
    ]


def allow_fewer_keys(result: JsonObject, **_context: Any) -> JsonObject:
    """Postprocessing hook of drf-spectacular: no key of an outermost row is required where `?fields=` is accepted."""
    shapes = result["components"]["schemas"]
    for path in result["paths"].values():
        parameters = path.get("get", {}).get("parameters", ())
        if "fields" not in [parameter["name"] for parameter in parameters]:
            continue
        answer = path["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        name = answer.get("$ref", "").rpartition("/")[2]
        if name.startswith("Paginated"):
            name = shapes[name]["properties"]["results"]["items"]["$ref"].rpartition("/")[2]
        if shapes.get(name, {}).pop("required", None):
            shapes[name]["description"] += " Every key is there unless `fields` names fewer."
    return result


def declare_for_all(result: JsonObject, **_context: Any) -> JsonObject:
    """Postprocessing hook of drf-spectacular: what holds for every public address. It opens without any credentials."""
    for path, operations in result["paths"].items():
        if path.startswith(LABELING):
            continue
        for operation in operations.values():
            operation["security"] = []
            for status, text in FOR_ALL.items():
                operation["responses"].setdefault(str(int(status)), {"description": text})
    return result
