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
from kb.models import Issue, Label, Node, Source
from kb.search import similar_issues
from kb.selectors import issues as read
from kb.starter.claims import unlinked
from kb.web.issue.addresses import find_issue, moved_to_today, trail_of
from kb.web.issue.threads import thread_context
from kb.web.markup import mirrored
from kb.web.search import results


@dataclass(frozen=True)
class Related:
    """A relative: on our page where we know it, else at its own address."""

    url: str
    name: str
    issue: Issue | None


@require_safe
def issue_page(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """Everything that is known about one issue, and how it is known."""
    issue = find_issue(host, owner, name, ref)
    if issue.get_absolute_url() != request.path:
        return moved_to_today(request, issue.get_absolute_url())
    house = read.labels_by_axis(issue, house=True)
    by_axis = {group.axis.code: group.labels for group in house}
    open_axes = read.axes_without_labels(house)
    fix, more_fixes = results.first_fix(issue)
    context = {
        "issue": issue,
        "trail": trail_of(issue),
        "canonical": absolute(request, issue.get_absolute_url()),
        "cite_url": _cite_url(issue),
        "tags": {axis: _once(label.node for label in labels) for axis, labels in by_axis.items()},
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
        "unlinked": _unlinked(issue, by_axis.get("root_cause", ())),
        "similar": similar_issues(issue),
        "related": _related(issue),
        "body": mirrored.render(issue.body) if issue.body else None,
        **thread_context(issue),
    }
    return render(request, "kb/issue/issue.html", context)


def _unlinked(issue: Issue, causes: Iterable[Label]) -> list[str]:
    """What the record claims without a link; nothing where there is no record."""
    is_stated = {
        "cause": any(label.source.kind == Source.Kind.CURATED for label in causes),
        "resolution": bool(issue.resolution),
        "workaround": bool(issue.workaround),
    }
    stated = [claim for claim, is_said in is_stated.items() if is_said]
    supported = [line["supports"] for line in issue.evidence]
    return unlinked(stated, supported, has_fix=bool(issue.fixes.all())) if issue.summary else []


def _once(nodes: Iterable[Node]) -> list[Node]:
    """The nodes, each once: several sources may agree."""
    return list(dict.fromkeys(nodes))


def _cite_url(issue: Issue) -> str:
    return f"{issue.get_absolute_url()}/cite"


def _related(issue: Issue) -> list[Related]:
    known = {other.url: other for other in issue.related.all()}
    urls = dict.fromkeys((*known, *issue.related_urls))
    return [Related(url, _short(url), known.get(url)) for url in urls]


def _short(url: str) -> str:
    """`owner/name#7` for an issue or pull request on a known host; else the address without its scheme."""
    try:
        address = parse_issue_address(url)
    except BadAddressError:
        return url.removeprefix("https://")
    return f"{address.repository.full_name}#{address.ref}"


@require_safe
def cite(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """How to cite the issue's page: a page, or with `?format=bibtex` or `?format=csl` the file alone."""
    issue = find_issue(host, owner, name, ref)
    if _cite_url(issue) != request.path:
        return moved_to_today(request, _cite_url(issue))
    item = citations.Item(
        key=citations.item_key(owner, name, ref),
        title=issue.display_title,
        name=issue.short_name,
        page_url=absolute(request, issue.get_absolute_url()),
        original_url=issue.url,
        read_on=issue.read_on,
    )
    today = timezone.localdate()
    wanted = request.GET.get("format")
    if wanted == "bibtex":
        return _file(citations.bibtex(item, accessed=today), "application/x-bibtex", f"{item.key}.bib")
    if wanted == "csl":
        return JsonResponse(citations.csl_json(item, accessed=today), safe=False)
    context = {
        "issue": issue,
        "trail": [*trail_of(issue), (issue.short_name, issue.get_absolute_url())],
        "text": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }
    return render(request, "kb/issue/cite.html", context)


def _file(text: str, kind: str, name: str) -> HttpResponse:
    return HttpResponse(
        text, content_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
