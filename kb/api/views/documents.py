"""The API's own documents: what it offers, its OpenAPI description, the page to try it, and "nothing here"."""

from functools import cache
from typing import Any

from django.http import Http404, HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve, reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kb.api.base import ReadView

LISTS = (
    "issues", "fixes", "frameworks", "repositories", "schemes", "nodes", "crosswalks", "cause-links", "studies",
    "sources",
)  # fmt: skip


class RootView(ReadView):
    """What the API offers."""

    @extend_schema(
        summary="What there is",
        description="The addresses of every list, of this description and of its page.",
        tags=["about"],
    )
    def get(self, request: Request) -> Response:
        """Addresses of everything."""
        names = {name: f"api-{name}" for name in LISTS} | {
            "openapi": "api-openapi-json",
            "openapi_yaml": "api-openapi-yaml",
            "docs": "api-docs",
        }
        return Response({key: request.build_absolute_uri(reverse(name)) for key, name in names.items()})


@cache
def openapi() -> dict[str, Any]:
    """The description of the API; it cannot change while the process lives."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


@extend_schema(exclude=True)
class OpenApiYamlView(ReadView):
    """The OpenAPI description as YAML."""

    renderer_classes = [OpenApiYamlRenderer2, OpenApiJsonRenderer2]

    def get(self, request: Request) -> Response:  # noqa: ARG002
        """The whole description."""
        return Response(openapi())


class OpenApiJsonView(OpenApiYamlView):
    """The OpenAPI description as JSON."""

    renderer_classes = [OpenApiJsonRenderer2]


class DocsView(SpectacularSwaggerSplitView):
    """The page to read and try the API; its scripts are files, as the content policy demands."""

    url_name = "api-openapi-json"
    template_name = "kb/api_docs.html"
    title = "Faultbook API"


@extend_schema(exclude=True)
class NothingView(ReadView):
    """Every address below `/api/` that nothing else answers."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Whatever was sent here: there is nothing."""
        APIView.initial(self, request, *args, **kwargs)
        raise Http404

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Send a reader who forgot the last slash on; refuse everybody else."""
        if request.method in ("GET", "HEAD") and is_known(f"{request.path}/"):
            query = request.META["QUERY_STRING"]
            return HttpResponsePermanentRedirect(f"{request.path}/" + (f"?{query}" if query else ""))
        return super().dispatch(request, *args, **kwargs)


def is_known(path: str) -> bool:
    """Does something else than `NothingView` answer there?"""
    try:
        return resolve(path).url_name != "api-nothing"
    except Resolver404:
        return False
