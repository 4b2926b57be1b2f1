"""The adjudicator's desk: what waits for a first opinion, what for a decision, which discussions are overdue, what is
decided, and why it came up.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from kb.web.parameters import chosen
from labeling.models import Decision, Item, Member, Role
from labeling.selectors.adjudication import Stalled, cases, causes, decided_by, desk, stalled
from labeling.selectors.axes import axis_names
from labeling.selectors.names import names_by_id
from labeling.selectors.round_lists import items_by_id
from labeling.web.access import page_context, project_page

PAGE = 25


@dataclass(frozen=True)
class OverdueLine:
    """An overdue discussion: its question and whom it waits for, both empty before the first opinion."""

    item: Item
    axis: str
    people: str


@project_page(Role.ADJUDICATOR)
def adjudication(request: HttpRequest, member: Member) -> HttpResponse:
    """What waits for the reader, and what they decided."""
    waiting = desk(adjudicator=member)
    lists = {"opinions": waiting.opinions, "decisions": waiting.decisions}
    overdue = stalled(adjudicator=member)
    decided = Paginator(decided_by(adjudicator=member), PAGE)
    default = "decisions" if waiting.decisions and not waiting.opinions else "opinions"
    tabs = [(name, name) for name in (*lists, "stalled", "decided")]
    tab = chosen(request.GET, "show", tabs, noun="list", default=default)
    context = page_context(member, "disagreements") | {
        "shown": tab,
        "counts": {name: len(axes_by_item) for name, axes_by_item in lists.items()},
        "decided_count": decided.count,
        "stalled_count": len(overdue),
        "causes": causes(decided_by(adjudicator=member)),
    }
    page: Page[int] | Page[Decision] | Page[Stalled]
    if tab == "decided":
        page = decided.get_page(request.GET.get("page"))
        context["decided"] = page.object_list
    elif tab == "stalled":
        page = Paginator(overdue, PAGE).get_page(request.GET.get("page"))
        context["stalled"] = _overdue_lines(member, list(page.object_list))
    else:
        page = Paginator(list(lists[tab]), PAGE).get_page(request.GET.get("page"))
        context["cases"] = cases(lists[tab], list(page.object_list))
    context |= {"page": page, "page_numbers": page.paginator.get_elided_page_range(page.number)}
    return render(request, "labeling/settling/adjudication.html", context)


def _overdue_lines(member: Member, rows: Sequence[Stalled]) -> list[OverdueLine]:
    items = items_by_id(item_ids=[row.item for row in rows])
    axes = axis_names(project_id=member.project_id)
    names = names_by_id(reader=member, ids=set().union(*(row.waits_for for row in rows)))
    lines = []
    for row in rows:
        people = ", ".join(name for pk, name in names.items() if pk in row.waits_for)
        lines.append(OverdueLine(items[row.item], axes.get(row.axis, ""), people))
    return lines
