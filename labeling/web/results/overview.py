"""Where all results of a project are found."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.models import Member, Role, Round
from labeling.selectors import visible
from labeling.web.access import project_page


@require_safe
@project_page()
def results(request: HttpRequest, member: Member) -> HttpResponse:
    """The rounds with something to see, and ways to everything that leaves the project."""
    rounds = Round.objects.filter(project=member.project_id).exclude(state=Round.State.DRAFT)
    shown = rounds.filter(items__in=visible.released_items(member=member)).distinct().order_by("-number")
    context = {
        "member": member, "project": member.project, "here": "results", "rounds": list(shown),
        "leads": member.has(Role.LEAD), "watches": not visible.is_blind(member),
    }  # fmt: skip
    return render(request, "labeling/results/overview.html", context)
