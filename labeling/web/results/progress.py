"""The lead's dashboard. It shows everybody's work, so it is only for those who are not blind."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from labeling.models import Member, Role
from labeling.selectors import results
from labeling.selectors.axes import axis_names
from labeling.selectors.names import name_of
from labeling.selectors.progress import progress
from labeling.selectors.shortfall import shortfall
from labeling.selectors.visible import is_blind
from labeling.tasks import measure_project
from labeling.web.access import page_context, project_page
from labeling.web.results.agreement_rows import headline
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, delegate, worker_is_alive

# How many of each axis' weakest categories are named.
WEAKEST = 3


@project_page(Role.LEAD, Role.OBSERVER)
def progress_page(request: HttpRequest, member: Member) -> HttpResponse:
    """How the project gets on."""
    if is_blind(member):
        raise PermissionDenied("You label or adjudicate here, so others' progress and votes are hidden from you.")
    steps = results.by_round(member=member, only_known=worker_is_alive())
    is_measuring = not all(step.reports for step in steps)
    if is_measuring:
        delegate(f"measured:project:{member.pk}", measure_project, member.pk)
    names = axis_names(project_id=member.project_id)
    measured_steps = []
    for step in steps:
        weakest = []
        for report in step.reports:
            weakest += [node.code for node in report.weak[:WEAKEST]]
        if step.reports:
            axes = [(names[report.axis], numbers) for report, numbers in headline(step.reports)]
            measured_steps.append((step, axes, weakest))
    figures = progress(member=member)
    busiest = max(figures.per_day, default=0) or 1
    days = zip(figures.days, figures.per_day, strict=True)
    context = page_context(member, "results") | {
        "measuring": is_measuring,
        "progress": figures,
        "is_lead": member.has(Role.LEAD),
        "shortfalls": [(row.round, shortfall(member=member, round_=row.round)) for row in figures.rounds],
        "people": [(name_of(reader=member, other=person.member), person) for person in figures.people],
        "passes": [(name_of(reader=member, other=row.member), row) for row in figures.passes],
        "has_votes": any(figures.per_day),
        "per_day": [(day, votes, round(100 * votes / busiest)) for day, votes in days],
        "steps": measured_steps,
    }
    response = render(request, "labeling/results/progress.html", context)
    if is_measuring:
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response
