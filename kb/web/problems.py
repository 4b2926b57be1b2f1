"""The pages that the `type` of the API's errors leads to."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.http.problem_types import PROBLEM_TYPES


@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """What a kind of error means, and what to do. Raises `Http404`."""
    if slug not in PROBLEM_TYPES:
        raise Http404
    return render(request, "kb/problem.html", {"problem": PROBLEM_TYPES[slug], "others": PROBLEM_TYPES.values()})
