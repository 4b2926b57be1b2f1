"""The description of the labeling API, which anybody may read."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from labeling.api.schema import document


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The OpenAPI description as YAML."""
    return HttpResponse(document(), content_type="application/yaml; charset=utf-8")
