"""The reader's projects, and the home of one: what there is to do next."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.models import Member, Role, Round
from labeling.selectors import guidelines
from labeling.selectors.invitations import open_ones
from labeling.selectors.round_progress import progress
from labeling.selectors.rounds import rounds_of
from labeling.selectors.to_do import to_do
from labeling.selectors.visible import is_blind
from labeling.web.access import person, project_page

SHOWN_ROUNDS = 10


@require_safe
@login_required
def projects(request: HttpRequest) -> HttpResponse:
    """The projects that the reader is a member of, with what waits for them; archived ones apart."""
    members = Member.objects.filter(user=person(request), left_at=None).select_related("project")
    mine = list(members.order_by("project__name", "pk"))
    waits = to_do(members=[one for one in mine if one.project.archived_at is None])
    rows = [(one, waits[one.pk]) for one in mine if one.pk in waits]
    context = {"rows": rows, "archived": [one for one in mine if one.pk not in waits]}
    return render(request, "labeling/projects.html", context)


@require_safe
@project_page()
def project(request: HttpRequest, member: Member) -> HttpResponse:
    """What the project asks, what there is to do for the reader, its rounds and newest guidelines."""
    found = list(rounds_of(member=member)[: SHOWN_ROUNDS + 1])
    known = progress(member=member, rounds=found)
    is_lead = member.has(Role.LEAD)
    context = {
        "member": member,
        "project": member.project,
        "here": "overview",
        "is_lead": is_lead,
        "is_blind": is_blind(member),
        "waits": to_do(members=[member])[member.pk],
        "rounds": [(one, known[one.pk]) for one in found[:SHOWN_ROUNDS]],
        "more_rounds": len(found) > SHOWN_ROUNDS,
        "guideline": guidelines.newest(project_id=member.project_id),
        "steps": _first_steps(member, found) if is_lead and not member.project.archived_at else [],
    }
    return render(request, "labeling/project.html", context)


def _first_steps(member: Member, rounds: list[Round]) -> list[str]:
    """What a lead has not done yet, of what every project begins with."""
    steps = []
    if not guidelines.newest(project_id=member.project_id):
        steps.append("guidelines")
    others = Member.objects.filter(project=member.project_id, roles__contains=[Role.ANNOTATOR], left_at=None)
    if not others.exists() and not open_ones(lead=member).exists():
        steps.append("people")
    return [*steps, "rounds"] if not rounds else steps
