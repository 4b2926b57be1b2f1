"""The API's root, its OpenAPI description, and 404 for every other address below `/api/`. Its page is in `kb/web`."""

from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kb.api.base import ReadView

LISTS = (
    "issues", "fixes", "frameworks", "repositories", "schemes", "nodes", "crosswalks", "cause-links", "studies",
    "claims", "playbooks", "fault-playbooks", "sources", "signals", "hints",
)  # fmt: skip


class RootView(ReadView):
    """What the API offers."""

    @extend_schema(
        summary="What there is",
        description="The addresses of every list, of this description and of its page.",
        tags=["about"],
    )
    def get(self, request: Request) -> Response:
        """The addresses by name."""
        names = {name: f"api-{name}" for name in LISTS} | {
            "search": "api-search",
            "search_suggest": "api-search-suggest",
            "search_similar": "api-search-similar",
            "charts": "api-charts",
            "priorities": "api-priorities",
            "check": "api-check",
            "check_report": "api-check-report",
            "diagnose": "api-diagnose",
            "quality": "api-quality",
            "upgrades": "api-upgrade",
            "openapi": "api-openapi-json",
            "openapi_yaml": "api-openapi-yaml",
            "docs": "api-docs",
        }
        return Response({key: request.build_absolute_uri(reverse(name)) for key, name in names.items()})


@cache
def openapi(renderer: type[BaseRenderer]) -> bytes:
    """The description in one format; cached, since it cannot change while the process lives."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    text = renderer().render(document, renderer_context={})
    return text if isinstance(text, bytes) else text.encode()


class Yaml(OpenApiYamlRenderer2):
    """The description as YAML."""

    def render(self, *_args: Any, **_kwargs: Any) -> bytes:
        """The cached description; errors have their own renderer."""
        return openapi(OpenApiYamlRenderer2)


class Json(OpenApiJsonRenderer2):
    """The description as JSON."""

    def render(self, *_args: Any, **_kwargs: Any) -> bytes:
        """The cached description; errors have their own renderer."""
        return openapi(OpenApiJsonRenderer2)


@extend_schema(exclude=True)
class OpenApiYamlView(ReadView):
    """The OpenAPI description as YAML."""

    renderer_classes = [Yaml]

    def get(self, request: Request) -> Response:  # noqa: ARG002
        """The whole description."""
        return Response({})


class OpenApiJsonView(OpenApiYamlView):
    """The OpenAPI description as JSON."""

    renderer_classes = [Json]


@extend_schema(exclude=True)
class NothingView(ReadView):
    """Every address below `/api/` that nothing else answers."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises `Http404` whatever the parameters and the method are."""
        APIView.initial(self, request, *args, **kwargs)
        raise Http404

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Redirect where only the trailing slash is missing; else 404."""
        if request.method in ("GET", "HEAD") and is_known(f"{request.path}/"):
            return HttpResponsePermanentRedirect(request.get_full_path(force_append_slash=True))
        return super().dispatch(request, *args, **kwargs)


def is_known(path: str) -> bool:
    """Whether another view than `NothingView` answers at this path."""
    try:
        return resolve(path).url_name != "api-nothing"
    except Resolver404:
        return False
