"""The lead's dashboard. It tells of everybody's work, so it is for those who are not blind only."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.models import Member, Role
from labeling.selectors import results, visible
from labeling.selectors.progress import progress
from labeling.web.access import project_page
from labeling.web.results.agreement_rows import headline


@require_safe
@project_page(Role.LEAD, Role.OBSERVER)
def progress_page(request: HttpRequest, member: Member) -> HttpResponse:
    """How the project gets on."""
    if visible.is_blind(member):
        raise PermissionDenied("You label or adjudicate here, so others' pace and votes are kept from you.")
    steps = results.by_round(member=member)
    found = progress(member=member)
    busiest = max(found.per_day, default=0) or 1
    context = {
        "member": member,
        "project": member.project,
        "here": "progress",
        "progress": found,
        "per_day": [
            (day, number, round(100 * number / busiest)) for day, number in zip(found.days, found.per_day, strict=True)
        ],
        "steps": [(step, headline(step.reports), _weak(step)) for step in steps],
    }
    return render(request, "labeling/results/progress.html", context)


def _weak(step: results.Step) -> list[str]:
    """The weakest categories of a round."""
    return [weak.code for report in step.reports for weak in report.weak[:3]]
