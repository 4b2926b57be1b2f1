"""Searching issues, one issue's page, and its citation."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from kb.addresses import BadAddressError, parse_issue_address
from kb.exports import citations
from kb.models import Issue, Node
from kb.search import MAX_CHARACTERS, MOST_REACHABLE, Reference, SearchResult, Sort, find_reference, search, words_alone
from kb.selectors import issues as read
from kb.selectors.similar import similar_issues
from kb.site import absolute
from kb.web import mirrored, results
from kb.web.issue_links import issues_url

PER_PAGE = 20
MOST_DIGITS = 9
SORTS = {
    Sort.RELEVANCE: "best match",
    Sort.NEWEST: "newest",
    Sort.DISCUSSED: "most discussed",
    Sort.QUICKEST: "quickest closed",
}


@require_safe
def search_page(request: HttpRequest) -> HttpResponse:
    """Search results with facets. An exact name or address of an issue leads to its page at once."""
    result, number = _page_of(request.GET)
    as_you_type = bool(request.htmx) and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    named = find_reference(result.query.reference) if result.query.reference else None
    if named and not as_you_type:
        return redirect(named)
    template = "kb/_results.html" if as_you_type else "kb/search.html"
    response = render(request, template, _search_context(request, result, number, named) | {"is_partial": as_you_type})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _page_of(params: QueryDict) -> tuple[SearchResult, int]:
    """The page that is asked for, and its number; beyond the last one, the last one."""
    typed = params.get("page", "1")
    number = max(1, int(typed)) if typed.isdecimal() and len(typed) <= MOST_DIGITS else 1
    result = search(params, offset=(number - 1) * PER_PAGE, limit=PER_PAGE)
    last = max(1, -(-min(result.total, MOST_REACHABLE) // PER_PAGE))
    if number > last:
        return search(params, offset=(last - 1) * PER_PAGE, limit=PER_PAGE), last
    return result, number


def _search_context(request: HttpRequest, result: SearchResult, number: int, named: Issue | None) -> dict[str, object]:
    rows = results.rows(result)
    page = results.CountedPaginator(rows, PER_PAGE, result.total).page(number)
    facets = results.facet_views(result.facets)
    chips = results.chips(result.asked)
    return {
        "result": result,
        "q": result.query.text,
        "words_alone": words_alone(result.query),
        "most_characters": MAX_CHARACTERS,
        "named": named,
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "rows": rows,
        "facets": facets,
        "chips": chips,
        "kept": results.kept_fields(request.GET),
        "sorts": [(sort.value, name, sort is result.sort) for sort, name in SORTS.items()],
        "ways_out": [] if result.total else results.ways_out(result.asked, result.errors),
    }


@dataclass(frozen=True)
class Related:
    """A relative: on our page where we know it, else at its own address."""

    url: str
    name: str
    issue: Issue | None


@require_safe
def issue_page(request: HttpRequest, host: str, owner: str, name: str, ref: str) -> HttpResponse:
    """Everything that is known about one issue, and how it is known."""
    issue = _find(host, owner, name, ref)
    if issue.get_absolute_url() != request.path:
        return _moved(request, issue.get_absolute_url())
    house = read.labels_by_axis(issue, house=True)
    by_axis = {group.axis.code: group.labels for group in house}
    fix, more_fixes = results.first_fix(issue)
    context = {
        "issue": issue,
        "trail": _trail(issue),
        "canonical": absolute(request, issue.get_absolute_url()),
        "cite_url": _cite_url(issue),
        "tags": {axis: _once(label.node for label in labels) for axis, labels in by_axis.items()},
        "fix": fix,
        "more_fixes": more_fixes,
        "house": house,
        "causes": by_axis.get("root_cause", ()),
        "symptoms": by_axis.get("symptom", ()),
        "patterns": by_axis.get("fix_pattern", ()),
        "open_axes": read.axes_without_labels(house),
        "studies": read.study_labels(issue),
        "fixes": issue.fixes.all(),
        "similar": similar_issues(issue),
        "related": _related(issue),
        "body": mirrored.render(issue.body) if issue.body else None,
    }
    return render(request, "kb/issue.html", context)


def _trail(issue: Issue) -> list[tuple[str, str]]:
    framework = issue.repository.framework
    return [("Issues", reverse("search")), (framework.name, issues_url(framework=framework.slug))]


def _once(nodes: Iterable[Node]) -> list[Node]:
    """The nodes, each once: several sources may agree."""
    return list(dict.fromkeys(nodes))


def _find(host: str, owner: str, name: str, ref: str) -> Issue:
    """The issue that an address names, by its repository's old names too. Raises `Http404` when it is not known."""
    try:
        return read.get_issue(host=host, full_name=f"{owner}/{name}", ref=ref)
    except Issue.DoesNotExist:
        issue = find_reference(Reference(ref=ref, name=name, owner=owner, host=host))
    if issue is None:
        raise Http404("This issue is not known here.")
    return issue


def _moved(request: HttpRequest, to: str) -> HttpResponse:
    """A permanent redirect to the present address, with the query that was asked."""
    query = request.META["QUERY_STRING"]
    return HttpResponsePermanentRedirect(f"{to}?{query}" if query else to)


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
    issue = _find(host, owner, name, ref)
    if _cite_url(issue) != request.path:
        return _moved(request, _cite_url(issue))
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
        "trail": [*_trail(issue), (issue.short_name, issue.get_absolute_url())],
        "text": citations.plain_text(item, accessed=today),
        "bibtex": citations.bibtex(item, accessed=today),
    }
    return render(request, "kb/cite.html", context)


def _file(text: str, kind: str, name: str) -> HttpResponse:
    return HttpResponse(
        text, content_type=f"{kind}; charset=utf-8", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
