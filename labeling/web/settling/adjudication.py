"""The adjudicator's desk: what waits for a first opinion, what for a decision, what is decided, and why it came up."""

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from kb.web.parameters import chosen
from labeling.models import Decision, Member, ProjectAxis, Role
from labeling.selectors.adjudication import Case, cases, causes, decided_by, desk
from labeling.web.access import project_page

PAGE = 25


@require_safe
@project_page(Role.ADJUDICATOR)
def adjudication(request: HttpRequest, member: Member) -> HttpResponse:
    """What waits for the reader, and what they decided."""
    waiting = desk(adjudicator=member)
    decided = decided_by(adjudicator=member)
    lists = {"opinions": waiting.opinions, "decisions": waiting.decisions}
    first = next((name for name, some in lists.items() if some), "opinions")
    here = chosen(request.GET, "show", [(name, name) for name in (*lists, "decided")], noun="list", default=first)
    context: dict[str, object] = {
        "member": member,
        "project": member.project,
        "here": "disagreements",
        "shown": here,
        "counts": {name: len(some) for name, some in lists.items()},
        "decided_count": decided.count(),
        "causes": causes(decided),
    }
    page: Page[int] | Page[Decision]
    if here == "decided":
        page = Paginator(decided, PAGE).get_page(request.GET.get("page"))
        context["decided"] = page.object_list
    else:
        page = Paginator(list(lists[here]), PAGE).get_page(request.GET.get("page"))
        context["cases"] = _cases(lists[here], page)
    context |= {"page": page, "page_numbers": page.paginator.get_elided_page_range(page.number)}
    return render(request, "labeling/settling/adjudication.html", context)


def _cases(waiting: dict[int, tuple[ProjectAxis, ...]], page: Page[int]) -> list[Case]:
    return cases(waiting, list(page.object_list))
