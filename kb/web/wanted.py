"""Staff's page of what is most wanted: faults that people ask about without a record, and searches in vain."""

from collections.abc import Iterator

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from kb.exports.tables import Record, as_csv
from kb.http.downloads import download
from kb.models import MissedSearch
from kb.selectors.record_facts import record_facts
from kb.services import missed_searches
from kb.starter.template import new_record
from kb.starter.wanted import Wanted, demand_draft, frameworks_wanted, most_wanted
from kb.web.diagnose.sharing import reader_of
from kb.web.parameters import chosen

PAGE = 50
PERMISSION = "kb.change_missedsearch"
SHOWN = (("", "Wanted"), ("hidden", "Hidden searches"))


@require_safe
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """The most wanted, fifty to a page."""
    _editor(request)
    shown, framework, rows = _asked(request)
    context = {
        "page": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "shown": shown,
        "views": SHOWN,
        "framework": framework,
        "frameworks": frameworks_wanted(),
        "is_counting": settings.COUNT_MISSED_SEARCHES,
    }
    return render(request, "kb/wanted/wanted.html", context)


@require_safe
@never_cache
def as_file(request: HttpRequest) -> HttpResponse:
    """All of it as CSV."""
    _editor(request)
    records = list(_records(_asked(request)[2]))
    return download("wanted.csv", as_csv(records))


@require_safe
@never_cache
def record(request: HttpRequest) -> HttpResponse:
    """The template of a record for a thread, with what mirror and history know."""
    _editor(request)
    url = request.GET.get("url", "").split("#")[0].split("?")[0].strip().rstrip("/")
    try:
        text = new_record(url=url, today=timezone.localdate(), facts=record_facts(url=url))
    except ValueError as error:
        messages.error(request, str(error))
        return redirect("wanted")
    return download(f"{url.rsplit('/', 1)[-1]}.yaml", text, "application/yaml")


@require_safe
@never_cache
def demand(request: HttpRequest, pk: int) -> HttpResponse:
    """A search as an entry of the list of wanted faults, for somebody to finish."""
    _editor(request)
    text = demand_draft(get_object_or_404(MissedSearch, pk=pk))
    return download("demand.yaml", text, "application/yaml")


@require_POST
@never_cache
def hide(request: HttpRequest, pk: int) -> HttpResponse:
    """Hide a search, or show it again."""
    _editor(request)
    is_hidden = request.POST.get("do") != "show"
    if missed_searches.hide(pk=pk, is_hidden=is_hidden):
        messages.success(request, "Hidden." if is_hidden else "Shown again.")
    return redirect("wanted")


def _editor(request: HttpRequest) -> None:
    reader = reader_of(request)
    if reader is None or not (reader.is_staff and reader.has_perm(PERMISSION)):
        raise PermissionDenied("Only staff who decide what is described next may see this.")


def _asked(request: HttpRequest) -> tuple[str, str, list[Wanted]]:
    """Which list, of which framework, and its rows."""
    shown = chosen(request.GET, "shown", SHOWN, noun="list", default="")
    known = [(slug, slug) for slug in frameworks_wanted()]
    framework = chosen(request.GET, "framework", [("", ""), *known], noun="framework", default="")
    return shown, framework, most_wanted(framework=framework, hidden=shown == "hidden")


def _records(rows: list[Wanted]) -> Iterator[Record]:
    for row in rows:
        fault, search = row.fault, row.search
        yield {
            "asked": fault.asked if fault else search.words if search else "",
            "line": fault.line if fault else "",
            "framework": fault.framework if fault else "",
            "kind": fault.kind if fault else "",
            "threads_seen": fault.seen if fault else None,
            "searches": row.searches,
            "first_searched": str(search.first_on) if search else "",
            "last_searched": str(search.last_on) if search else "",
            "threads": " ".join(fault.threads) if fault else "",
        }
