"""Finding an issue by its address, and redirecting from old addresses."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse

from kb.models import Issue
from kb.search import Reference, find_reference
from kb.selectors import issues as read
from kb.web.search.links import issues_url


def trail_of(issue: Issue) -> list[tuple[str, str]]:
    """Names and addresses of the pages above an issue's."""
    framework = issue.repository.framework
    return [("Issues", reverse("search")), (framework.name, issues_url(framework=framework.slug))]


def find_issue(host: str, owner: str, name: str, ref: str) -> Issue:
    """The issue at an address, by the repository's old names and former addresses too. Raises `Http404`."""
    try:
        return read.get_issue(host=host, full_name=f"{owner}/{name}", ref=ref)
    except Issue.DoesNotExist:
        issue = find_reference(Reference(ref=ref, name=name, owner=owner, host=host))
    if issue is None:
        raise Http404("This issue is not known here.")
    return issue


def redirect_to(request: HttpRequest, to: str) -> HttpResponse:
    """A permanent redirect to the present address with the same query string."""
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{to}?{query}" if query else to)
