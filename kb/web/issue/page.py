"""One issue's page, and its citation."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.exports import citations
from kb.http.site import absolute
from kb.models import Issue, Label, Source
from kb.search import similar_issues
from kb.selectors import issues as read
from kb.starter.claims import unlinked
from kb.web.issue.addresses import find_issue, redirect_to, trail_of
from kb.web.issue.threads import thread_context
from kb.web.markup import mirrored
from kb.web.search import results


@dataclass(frozen=True)
class Related:
    """A related issue, named like `owner/name#7` if possible; `issue` is None where only its address is known."""

    url: str
    name: str
    issue: Issue | None


@require_safe
def issue_page(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """Everything that is known about one issue, and how it became known."""
    issue = find_issue(host, owner, name, ref)
    if issue.get_absolute_url() != request.path:
        return redirect_to(request, issue.get_absolute_url())
    house = read.labels_by_axis(issue, house=True)
    by_axis = {group.axis.code: group.labels for group in house}
    open_axes = read.axes_without_labels(house)
    fix, more_fixes = results.first_fix(issue)
    context = {
        "issue": issue,
        "trail": trail_of(issue),
        "canonical": absolute(request, issue.get_absolute_url()),
        "cite_url": _cite_url(issue),
        "tags": {axis: list(dict.fromkeys(label.node for label in labels)) for axis, labels in by_axis.items()},
        "fix": fix,
        "more_fixes": more_fixes,
        "house": house,
        "causes": by_axis.get("root_cause", ()),
        "symptoms": by_axis.get("symptom", ()),
        "patterns": by_axis.get("fix_pattern", ()),
        "open_axes": open_axes,
        "read_twice": read.read_twice(issue, (*(group.axis for group in house), *open_axes)),
        "suggestions": read.suggestions(issue),
        "studies": read.study_labels(issue),
        "known_by": read.became_known(issue),
        "fixes": issue.fixes.all(),
        "unlinked": _unlinked(issue, by_axis.get("root_cause", ())) if issue.summary else [],
        "similar": similar_issues(issue),
        "related": _related(issue),
        "body": mirrored.render(issue.body) if issue.body else None,
        **thread_context(issue),
    }
    return render(request, "kb/issue/issue.html", context)


def _unlinked(issue: Issue, causes: Iterable[Label]) -> list[str]:
    """The record's claims without evidence."""
    stated = []
    if any(label.source.kind == Source.Kind.CURATED for label in causes):
        stated.append("cause")
    if issue.resolution:
        stated.append("resolution")
    if issue.workaround:
        stated.append("workaround")
    supported = [line["supports"] for line in issue.evidence]
    return unlinked(stated, supported, has_fix=bool(issue.fixes.all()))


def _cite_url(issue: Issue) -> str:
    return f"{issue.get_absolute_url()}/cite"


def _related(issue: Issue) -> list[Related]:
    known = {other.url: other for other in issue.related.all()}
    related = []
    for url in dict.fromkeys((*known, *issue.related_urls)):
        try:
            address = parse_issue_address(url)
            name = f"{address.repository.full_name}#{address.ref}"
        except BadAddressError:
            name = url.removeprefix("https://")
        related.append(Related(url, name, known.get(url)))
    return related


@require_safe
def cite(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """The citation of the issue's page as a page, or as a file with `?format=bibtex` or `?format=csl`."""
    issue = find_issue(host, owner, name, ref)
    if _cite_url(issue) != request.path:
        return redirect_to(request, _cite_url(issue))
    item = citations.Item(
        key=citations.item_key(owner, name, ref),
        title=issue.display_title,
        name=issue.short_name,
        page_url=absolute(request, issue.get_absolute_url()),
        original_url=issue.url,
        read_on=issue.read_on,
    )
    today = timezone.localdate()
    bibtex = citations.bibtex(item, accessed=today)
    match request.GET.get("format"):
        case "bibtex":
            response = HttpResponse(bibtex, content_type="application/x-bibtex; charset=utf-8")
            response["Content-Disposition"] = f'attachment; filename="{item.key}.bib"'
            return response
        case "csl":
            return JsonResponse(citations.csl_json(item, accessed=today), safe=False)
    context = {
        "issue": issue,
        "trail": [*trail_of(issue), (issue.short_name, issue.get_absolute_url())],
        "text": citations.plain_text(item, accessed=today),
        "bibtex": bibtex,
    }
    return render(request, "kb/issue/cite.html", context)
