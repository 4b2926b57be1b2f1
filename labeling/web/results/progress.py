"""The lead's dashboard. It tells of everybody's work, so it is for those who are not blind only."""

from collections.abc import Mapping

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.models import Member, ProjectAxis, Role
from labeling.selectors import results, visible
from labeling.selectors.names import name_of
from labeling.selectors.progress import progress
from labeling.tasks import measure_project
from labeling.web.access import project_page
from labeling.web.results.agreement_rows import Number, headline
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, is_left_to_workers, worker_lives


@require_safe
@project_page(Role.LEAD, Role.OBSERVER)
def progress_page(request: HttpRequest, member: Member) -> HttpResponse:
    """How the project gets on."""
    if visible.is_blind(member):
        raise PermissionDenied("You label or adjudicate here, so others' pace and votes are kept from you.")
    steps = results.by_round(member=member, only_known=worker_lives())
    measuring = not all(step.reports for step in steps)
    if measuring:
        is_left_to_workers(f"measured:project:{member.pk}", measure_project, member.pk)
    found = progress(member=member)
    axes = dict(ProjectAxis.objects.filter(project=member.project_id).values_list("code", "name"))
    busiest = max(found.per_day, default=0) or 1
    context = {
        "measuring": measuring,
        "member": member,
        "project": member.project,
        "here": "results",
        "progress": found,
        "people": [(name_of(reader=member, other=one.member), one) for one in found.people],
        "passes": [(name_of(reader=member, other=one.member), one) for one in found.passes],
        "per_day": [
            (day, number, round(100 * number / busiest)) for day, number in zip(found.days, found.per_day, strict=True)
        ],
        "steps": [(step, _named(step, axes), _weak(step)) for step in steps if step.reports],
    }
    response = render(request, "labeling/results/progress.html", context)
    if measuring:
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


def _named(step: results.Step, axes: Mapping[str, str]) -> list[tuple[str, list[Number]]]:
    """Each question's name with its numbers."""
    return [(axes[report.axis], numbers) for report, numbers in headline(step.reports)]


def _weak(step: results.Step) -> list[str]:
    """The weakest categories of a round."""
    return [weak.code for report in step.reports for weak in report.weak[:3]]
