"""The description of the labeling API: a document of its own, since it is private and the public one reads only."""

from collections.abc import Callable, Iterable
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.plumbing import alpha_operation_sorter
from drf_spectacular.renderers import OpenApiYamlRenderer2
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS

from kb.api.problems import MEDIA_TYPE
from kb.api.schema import Schema
from labeling.api.scopes import Scope

PREFIX = "/api/v1/labeling/"
DETAILS = {
    HTTPStatus.BAD_REQUEST: "A parameter or the body is invalid; `errors` names each place.",
    HTTPStatus.UNAUTHORIZED: "Nobody is logged in.",
    HTTPStatus.FORBIDDEN: "Not for your role in the project or the token's scopes, or the CSRF token is missing.",
    HTTPStatus.NOT_FOUND: "There is nothing at this address, or not for you.",
    HTTPStatus.CONFLICT: "It may not be done, or not now; `detail` says why and what to do instead.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "Incomplete ballot; `errors` names each place (`axis:CODE`, `rule:ID` ...).",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests; `Retry-After` says when to retry.",
}
SESSION = "session"
SESSION_SCHEME = {
    "type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": "The session of the pages.",
}  # fmt: skip
BEARER = "token"
TOKEN_SCHEME = {
    "type": "http", "scheme": "bearer", "description": "A token from your account page, with the scope that is named.",
}  # fmt: skip
READING = (400, 401, 403, 404, 429)
WRITING = (400, 401, 403, 404, 409, 429)
DESCRIPTION = (
    "What a member of a labeling project can do on its pages, for programs. It opens with a token from your account "
    "page (`Authorization: Bearer ...`; scope `labeling:read` for reading, `labeling:vote` for voting), or with the "
    "session of the pages: log in there, send the session's cookie, and with everything that writes the CSRF token as "
    "`X-CSRFToken`. "
    "Others' votes, notes and drafts stay as hidden as on the pages. Nothing here may be cached. Every error is "
    "`application/problem+json` (RFC 9457)."
)
Shape = type[serializers.Serializer[Any]] | serializers.BaseSerializer[Any]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class LabelingSchema(Schema):
    """Documents a view of `labeling.api.base`."""

    def get_override_parameters(self) -> list[Any]:
        """The parameters that the view declares for reading."""
        return list(self.view.query_parameters) if self.method == "GET" else []  # type: ignore[attr-defined, unused-ignore]

    def get_examples(self) -> list[Any]:
        """None: what a member sees is nobody else's."""
        return []

    def get_auth(self) -> list[Any]:
        """The session of the pages, and a token where its scope allows this verb."""
        needed = Scope.READ if self.method in SAFE_METHODS else self.view.write_scope  # type: ignore[attr-defined, unused-ignore]
        return [{SESSION: []}, *([{BEARER: [needed.value]}] if needed else [])]

    def get_operation_id(self) -> str:
        """Verb and path: no two are the same."""
        words = self.path.removeprefix(PREFIX).replace("{", "").replace("}", "").strip("/").split("/")
        return "_".join([self.method.lower(), *words])

    def get_tags(self) -> list[str]:
        """One group."""
        return ["labeling"]


class FaultPlaceSerializer(serializers.Serializer[Any]):
    """What is wrong at one place."""

    place = serializers.CharField(required=False, help_text="Place in the body or on the ballot.")
    parameter = serializers.CharField(required=False, help_text="Name of the query parameter.")
    detail = serializers.CharField(help_text="What is wrong with it, and what would be right.")


class LabelingProblemSerializer(serializers.Serializer[Any]):
    """An error in the form of RFC 9457."""

    type = serializers.CharField(help_text="`about:blank`: the status says what kind of problem it is.")
    title = serializers.CharField(help_text="The status in words.")
    status = serializers.IntegerField(help_text="The HTTP status.")
    detail = serializers.CharField(help_text="What happened, in a sentence.")
    # The stubs know the name from forms only; as a declared key it never reaches an instance.
    errors = FaultPlaceSerializer(many=True, required=False, help_text="The places.")  # type: ignore[assignment]


def answers(shape: Shape, summary: str, text: str, *, nothing: bool = False) -> Decorator:
    """Documents a verb without a body."""
    responses = {200: OpenApiResponse(shape, "The answer.")}
    empty = {204: OpenApiResponse(None, "There is none now.")} if nothing else {}
    problems = _problems(WRITING)
    return extend_schema(summary=summary, description=text, request=None, responses={**responses, **empty, **problems})


def accepts(
    sent: type[serializers.Serializer[Any]], shape: Shape, summary: str, text: str, *, code: int = 200
) -> Decorator:
    """Documents a verb with a body."""
    responses = {code: OpenApiResponse(shape, "Done."), **_problems((*WRITING, 422))}
    return extend_schema(summary=summary, description=text, request=sent, responses=responses)


def pages_of(shape: type[serializers.Serializer[Any]], summary: str, text: str) -> Decorator:
    """Documents a list."""
    page = _page_of(shape)
    responses = {200: OpenApiResponse(page, "One page."), **_problems(READING)}
    return extend_schema(summary=summary, description=text, request=None, responses=responses)


@cache
def _page_of(shape: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The shape of a page of these rows."""
    name = f"{shape.__name__.removesuffix('Serializer')}Page"
    fields: dict[str, Any] = {
        "__doc__": "One page of a list.",
        "count": serializers.IntegerField(help_text="Total number of results."),
        "next": serializers.URLField(allow_null=True, help_text="Address of the next page; null on the last one."),
        "previous": serializers.URLField(allow_null=True, help_text="Address of the page before; null on the first."),
        "results": shape(many=True, help_text="The rows."),
    }
    return type(f"{name}Serializer", (serializers.Serializer,), fields)


def _problems(codes: Iterable[int]) -> dict[Any, OpenApiResponse]:
    return {(code, MEDIA_TYPE): OpenApiResponse(LabelingProblemSerializer, DETAILS[HTTPStatus(code)]) for code in codes}


class LabelingEndpoints(EndpointEnumerator):
    """The endpoints below the prefix, and nothing else."""

    def get_api_endpoints(self, patterns: Any = None, prefix: str = "") -> list[Any]:
        """Path, regular expression, method and view of each, in the order of paths."""
        endpoints = self._get_api_endpoints(patterns, prefix)  # type: ignore[no-untyped-call]
        below = [endpoint for endpoint in endpoints if endpoint[0].startswith(PREFIX)]
        return sorted(below, key=alpha_operation_sorter)


class LabelingGenerator(SchemaGenerator):
    """Writes the document."""

    endpoint_inspector_cls = LabelingEndpoints

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        """The document, with a title of its own."""
        document: dict[str, Any] = super().get_schema(request=request, public=public)  # type: ignore[no-untyped-call]
        document["info"] |= {"title": "Faultbook labeling API", "description": DESCRIPTION}
        document["components"]["securitySchemes"] = {SESSION: SESSION_SCHEME, BEARER: TOKEN_SCHEME}
        document["tags"] = [{"name": "labeling", "description": "What a member of a project can do."}]
        return document


@cache
def document() -> bytes:
    """The description as YAML; it cannot change while the process lives."""
    schema = LabelingGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    text: bytes = OpenApiYamlRenderer2().render(schema, renderer_context={})  # type: ignore[no-untyped-call]
    return text
