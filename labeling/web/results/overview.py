"""Where all results of a project are found."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from labeling.models import Member, Role
from labeling.selectors.axes import axis_names
from labeling.selectors.results import by_round
from labeling.selectors.round_lists import rounds_with_visible_votes
from labeling.selectors.visible import is_blind
from labeling.web.access import page_context, project_page
from labeling.web.results.over_rounds import over_rounds
from labeling.web.results.queueing import worker_is_alive


@project_page()
def results(request: HttpRequest, member: Member) -> HttpResponse:
    """The rounds whose votes the reader may see, and links to everything that leaves the project."""
    context = page_context(member, "results") | {
        "rounds": list(rounds_with_visible_votes(member=member)),
        "agreement": over_rounds(
            by_round(member=member, only_known=worker_is_alive()), axis_names(project_id=member.project_id)
        ),
        "leads": member.has(Role.LEAD),
        "watches": not is_blind(member),
    }
    return render(request, "labeling/results/overview.html", context)
