"""The adjudicator's desk: what waits for a first opinion, what for a decision, what is decided, and why it came up."""

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.web.parameters import chosen
from labeling.models import Decision, Member, Role
from labeling.selectors.adjudication import cases, causes, decided_by, desk
from labeling.web.access import page_context, project_page

PAGE = 25


@require_safe
@project_page(Role.ADJUDICATOR)
def adjudication(request: HttpRequest, member: Member) -> HttpResponse:
    """What waits for the reader, and what they decided."""
    waiting = desk(adjudicator=member)
    lists = {"opinions": waiting.opinions, "decisions": waiting.decisions}
    decided = Paginator(decided_by(adjudicator=member), PAGE)
    default = "decisions" if waiting.decisions and not waiting.opinions else "opinions"
    tabs = [(name, name) for name in (*lists, "decided")]
    tab = chosen(request.GET, "show", tabs, noun="list", default=default)
    context = page_context(member, "disagreements") | {
        "shown": tab,
        "counts": {name: len(axes_by_item) for name, axes_by_item in lists.items()},
        "decided_count": decided.count,
        "causes": causes(decided_by(adjudicator=member)),
    }
    page: Page[int] | Page[Decision]
    if tab == "decided":
        page = decided.get_page(request.GET.get("page"))
        context["decided"] = page.object_list
    else:
        page = Paginator(list(lists[tab]), PAGE).get_page(request.GET.get("page"))
        context["cases"] = cases(lists[tab], list(page.object_list))
    context |= {"page": page, "page_numbers": page.paginator.get_elided_page_range(page.number)}
    return render(request, "labeling/settling/adjudication.html", context)
