"""Finding an issue by its address, and redirecting from old addresses."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.urls import reverse

from kb.core.public_ids import public_id_of
from kb.models import Issue
from kb.search import Reference, find_reference
from kb.selectors import issues as read
from kb.selectors.other_reports import is_other_report
from kb.web.search.links import issues_url


def trail_of(issue: Issue) -> list[tuple[str, str]]:
    """Names and addresses of the pages above an issue's."""
    framework = issue.repository.framework
    return [("Issues", reverse("search")), (framework.name, issues_url(framework=framework.slug))]


def find_issue(*, public_id: str = "", host: str = "", owner: str = "", name: str = "", ref: str = "") -> Issue:
    """The issue at an address: by its public id, or by its place on its host.

    By former ids, the repository's old names and former addresses too. Raises `Http404`.
    """
    try:
        if public_id:
            return read.get_fault(public_id=public_id_of(public_id) or "")
        return read.get_issue(host=host, full_name=f"{owner}/{name}", ref=ref)
    except Issue.DoesNotExist:
        issue = None if public_id else find_reference(Reference(ref=ref, name=name, owner=owner, host=host))
    if issue is None:
        raise Http404("This issue is not known here.")
    return issue


def redirect_to(request: HttpRequest, issue: Issue, ref: str | None, part: str = "") -> HttpResponse:
    """A redirect to the issue's present address, or to a part of it, with the same query string.

    A report that a record answers may be mirrored one day: then it has a page of its own.
    """
    query = request.META["QUERY_STRING"]
    to = f"{issue.get_absolute_url()}{part}{f'?{query}' if query else ''}"
    if ref and is_other_report(issue, ref):
        return HttpResponseRedirect(to if part else f"{to}#reports")
    return HttpResponsePermanentRedirect(to)
