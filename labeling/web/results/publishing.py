"""Publishing into the knowledge base: what would change, doing it, and withdrawing it."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Job, Member, Role
from labeling.refusals import RefusedError
from labeling.selectors.publication import preview, publication_of
from labeling.services import jobs
from labeling.services.publishing import ask_to_publish, why_not_publish
from labeling.web.access import page_context, project_page
from labeling.web.results.jobs import hand_over


@require_safe
@project_page(Role.LEAD)
def publish_page(request: HttpRequest, member: Member) -> HttpResponse:
    """What publishing would change now; `?pilots=1` with pilot rounds."""
    publication = publication_of(project_id=member.project_id)
    default = "1" if publication and publication.includes_pilots else "0"
    pilots = request.GET.get("pilots", default) == "1"
    context = page_context(member, "results") | {
        "publication": publication,
        "pilots": pilots,
        "preview": preview(project_id=member.project_id, pilots=pilots),
        "why_not": why_not_publish(lead=member),
        "under_way": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.PUBLISH),
    }
    return render(request, "labeling/results/publish.html", context)


@require_POST
@project_page(Role.LEAD)
def publish(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for the publication to be brought up to date."""
    includes_pilots = request.POST.get("pilots") == "1"
    return _begin(request, member, lambda: ask_to_publish(lead=member, includes_pilots=includes_pilots))


@require_POST
@project_page(Role.LEAD)
def withdraw(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for everything that was published to be taken back."""
    return _begin(request, member, lambda: jobs.begin(lead=member, kind=Job.Kind.WITHDRAW))


def _begin(request: HttpRequest, member: Member, begin_job: Callable[[], Job]) -> HttpResponse:
    try:
        job = begin_job()
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:publish", member.project.slug)
    return hand_over(request, job)
