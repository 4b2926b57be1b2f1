"""Publishing into the knowledge base: what would change, doing it, and withdrawing it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Job, Member, Publication, Role
from labeling.refusals import RefusedError
from labeling.selectors.publication import preview
from labeling.services import jobs
from labeling.web.access import project_page
from labeling.web.results.jobs import hand_over


@require_safe
@project_page(Role.LEAD)
def publish_page(request: HttpRequest, member: Member) -> HttpResponse:
    """What publishing would change now."""
    publication = Publication.objects.select_related("source").filter(project=member.project_id).first()
    context = {
        "member": member,
        "project": member.project,
        "here": "results",
        "publication": publication,
        "preview": preview(project_id=member.project_id),
        "under_way": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.PUBLISH)
        or jobs.unfinished(project_id=member.project_id, kind=Job.Kind.WITHDRAW),
    }
    return render(request, "labeling/results/publish.html", context)


@require_POST
@project_page(Role.LEAD)
def publish(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for the publication to be brought up to date."""
    return _ask(request, member, Job.Kind.PUBLISH)


@require_POST
@project_page(Role.LEAD)
def withdraw(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for everything that was published to be taken back."""
    return _ask(request, member, Job.Kind.WITHDRAW)


def _ask(request: HttpRequest, member: Member, kind: Job.Kind) -> HttpResponse:
    try:
        job = jobs.begin(lead=member, kind=kind)
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:publish", member.project.slug)
    return hand_over(request, job)
