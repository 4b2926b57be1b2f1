"""One issue's page, and its citation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from kb.core.setups.condition_words import in_words
from kb.exports import citations
from kb.http.site import absolute
from kb.models import Issue, Source
from kb.search import Similar, similar_issues
from kb.selectors import issues as read
from kb.selectors.affected import ranges_of
from kb.selectors.other_reports import answers_to, neighbours_of, reports_of
from kb.web import json_ld
from kb.web.issue.addresses import find_issue, redirect_to, trail_of
from kb.web.issue.answer import answer_card, link_name
from kb.web.issue.threads import thread_context
from kb.web.issue.unheld import unheld_page
from kb.web.markup import mirrored
from kb.web.parameters import reads

# So many of the nearest issues are looked at for solved ones; so many solved and other ones are shown.
NEAREST, SOLVED, OTHERS = 40, 4, 2

CITE = "/cite"


@dataclass(frozen=True)
class Related:
    """A related issue, named like `owner/name#7` if possible; `issue` is None where only its address is known."""

    url: str
    name: str
    issue: Issue | None


@reads()
@require_safe
def issue_page(request: HttpRequest, **address: str) -> HttpResponse:
    """The answer that is known of one issue, its signs, its relatives, and how all of it became known.

    `address`: as `find_issue` takes it.
    """
    try:
        issue = find_issue(**address)
    except Http404:
        unheld = None if "public_id" in address else unheld_page(request, **address)
        if unheld is None:
            raise
        return unheld
    if issue.get_absolute_url() != request.path:
        return redirect_to(request, issue, address.get("ref"))
    return _held_page(request, issue)


def _held_page(request: HttpRequest, issue: Issue) -> HttpResponse:
    house = read.labels_by_axis(issue, house=True)
    labels = {group.axis.code: group.labels for group in house}
    open_axes = read.axes_without_labels(house)
    solved, others = _siblings(issue)
    thread = thread_context(issue)
    context = {
        "issue": issue,
        "trail": trail_of(issue),
        "canonical": absolute(request, issue.get_absolute_url()),
        "json_ld": json_ld.of_record(request, issue),
        "answer": answer_card(issue, labels, thread=thread, solved=solved),
        "versions": ranges_of(issue),
        "condition": in_words(issue.affects_when),
        "where": [*labels.get("stage", ()), *labels.get("component", ())],
        "hardware": labels.get("hardware", ()),
        "answered_by": () if issue.is_curated else answers_to(issue),
        "reports": reports_of(issue) if issue.is_curated else (),
        "neighbours": [(neighbour, link_name(neighbour.url)) for neighbour in neighbours_of(issue)],
        "solved": solved,
        "others": others,
        "related": _related(issue),
        "by_people": any(label.source.kind == Source.Kind.CONSENSUS for group in house for label in group.labels),
        "house": house,
        "open_axes": open_axes,
        "read_twice": read.read_twice(issue, (*(group.axis for group in house), *open_axes)),
        "suggestions": read.suggestions(issue),
        "studies": read.study_labels(issue),
        "known_by": read.became_known(issue),
        "evidence": [(line["supports"], line["url"], link_name(line["url"]), line["by"]) for line in issue.evidence],
        "cite_url": _cite_url(issue),
        "citation": citations.cite(_citation_item(request, issue), accessed=timezone.localdate()),
        "body": mirrored.render(issue.body) if issue.body else None,
        **thread,
    }
    return render(request, "kb/issue/issue.html", context)


def _siblings(issue: Issue) -> tuple[Sequence[Similar], Sequence[Similar]]:
    """The nearest issues: the solved ones, and others."""
    nearest = similar_issues(issue, limit=NEAREST)
    solved: Sequence[Similar] = [other for other in nearest if other.card.resolved or other.card.fix][:SOLVED]
    if not issue.is_curated:
        # A report's own words find other reports: described ones are looked for apart.
        solved = similar_issues(issue, limit=SOLVED, solved=True)
    shown = {other.card.id for other in solved}
    return solved, [other for other in nearest if other.card.id not in shown][:OTHERS]


def _cite_url(issue: Issue) -> str:
    return f"{issue.get_absolute_url()}{CITE}"


def _citation_item(request: HttpRequest, issue: Issue) -> citations.Item:
    owner, name = issue.repository.full_name.split("/")
    return citations.Item(
        key=citations.item_key(issue.public_id or f"{owner} {name} {issue.ref}"),
        title=issue.display_title,
        name=f"{issue.public_id}, {issue.short_name}" if issue.public_id else issue.short_name,
        page_url=absolute(request, issue.get_absolute_url()),
        original_url=issue.url,
        read_on=issue.read_on,
    )


def _related(issue: Issue) -> list[Related]:
    known = {other.url: other for other in issue.related.all()}
    return [Related(url, link_name(url), known.get(url)) for url in dict.fromkeys((*known, *issue.related_urls))]


@require_safe
def cite(request: HttpRequest, **address: str) -> HttpResponse:
    """The citation of the issue's page as a page, or as a file with `?format=bibtex` or `?format=csl`."""
    issue = find_issue(**address)
    if _cite_url(issue) != request.path:
        return redirect_to(request, issue, address.get("ref"), CITE)
    item = _citation_item(request, issue)
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
