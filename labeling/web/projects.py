"""The reader's projects and invitations, and the home of one project: what there is to do next."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Member, Role
from labeling.refusals import RefusedError
from labeling.selectors import guidelines, team
from labeling.selectors.invitations import shown_to
from labeling.selectors.notices import unread_count
from labeling.selectors.round_progress import progress
from labeling.selectors.rounds import rounds_of
from labeling.selectors.to_do import to_do
from labeling.selectors.visible import is_blind
from labeling.services.people import answer_invitation
from labeling.web.access import logged_in_user, page_context, project_page

SHOWN_ROUNDS = 10


@require_safe
@login_required
def projects(request: HttpRequest) -> HttpResponse:
    """The projects that the reader is a member of, with what waits for them; archived ones apart."""
    memberships = list(team.memberships(user=logged_in_user(request)))
    active = [member for member in memberships if member.project.archived_at is None]
    tasks = to_do(members=active)
    context = {
        "invited": shown_to(user=logged_in_user(request)),
        "unread": unread_count(user_id=logged_in_user(request).pk),
        "rows": [(member, tasks[member.pk]) for member in active],
        "archived": [member for member in memberships if member.project.archived_at is not None],
    }
    return render(request, "labeling/projects.html", context)


@require_POST
@login_required
def invitation(request: HttpRequest, pk: int) -> HttpResponse:
    """Join a project by an invitation that waits for the reader, or decline it."""
    try:
        member = answer_invitation(user=logged_in_user(request), pk=pk, accepts="join" in request.POST)
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect("labeling:projects")
    if member is None:
        messages.success(request, "The invitation is declined.")
        return redirect("labeling:projects")
    messages.success(request, f"Welcome to {member.project.name}. Read the guidelines first.")
    return redirect("labeling:project", member.project.slug)


@project_page()
def project(request: HttpRequest, member: Member) -> HttpResponse:
    """What the project asks, what there is to do for the reader, its rounds and newest guidelines."""
    rounds = list(rounds_of(member=member)[: SHOWN_ROUNDS + 1])
    rounds_progress = progress(member=member, rounds=rounds)
    guideline = guidelines.newest(project_id=member.project_id)
    is_lead = member.has(Role.LEAD)
    steps = []
    if is_lead and not member.project.archived_at:
        steps = _first_steps(member, has_guidelines=guideline is not None, has_rounds=bool(rounds))
    context = page_context(member, "overview") | {
        "is_lead": is_lead,
        "is_blind": is_blind(member),
        "waits": to_do(members=[member])[member.pk],
        "rounds": [(round_, rounds_progress[round_.pk]) for round_ in rounds[:SHOWN_ROUNDS]],
        "more_rounds": len(rounds) > SHOWN_ROUNDS,
        "guideline": guideline,
        "steps": steps,
    }
    return render(request, "labeling/project.html", context)


def _first_steps(member: Member, *, has_guidelines: bool, has_rounds: bool) -> list[str]:
    """What every project begins with and this one's leads have not done yet."""
    steps = []
    if not has_guidelines:
        steps.append("guidelines")
    if team.lacks_annotators(lead=member):
        steps.append("people")
    if not has_rounds:
        steps.append("rounds")
    return steps
