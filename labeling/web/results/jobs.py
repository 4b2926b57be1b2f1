"""Jobs as people see them: handing one to a worker, its page with its progress, and trying again."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Job, Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.names import name_of
from labeling.services import jobs
from labeling.tasks import run_job
from labeling.web.access import project_page
from labeling.web.results.queueing import send as send_task
from labeling.web.results.queueing import worker_lives

LOOK_AGAIN_SECONDS = 3


def hand_over(request: HttpRequest, job: Job) -> HttpResponse:
    """Give a job to the workers once it is written down, and go to its page."""
    send_job(request, job)
    return redirect("labeling:job", job.project.slug, job.pk)


def send_job(request: HttpRequest, job: Job) -> None:
    """Give a job to the workers once it is written down; say so where they cannot be reached."""

    def send() -> None:
        if not send_task(run_job, job.pk):
            messages.error(request, "The workers cannot be reached now. The job is kept: try it again later.")

    transaction.on_commit(send)


@require_safe
@project_page(Role.LEAD)
def job_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """How far a job is, and what came of it."""
    job = _job(member, number)
    waits = job.state in jobs.UNFINISHED
    context = {
        "member": member, "project": member.project, "here": "results", "job": job, "waits": waits,
        "by": name_of(reader=member, other=job.member) if job.member else "the site's staff",
        "no_worker": waits and not worker_lives(), "back": _back(job), "results": _counts(job),
    }  # fmt: skip
    response = render(request, "labeling/results/job.html", context)
    if waits:
        # Without scripts too: the browser itself looks again.
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


@require_POST
@project_page(Role.LEAD)
def job_again(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Hand a job over once more: it failed, or its worker is gone."""
    try:
        job = jobs.try_again(lead=member, job=_job(member, number))
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:job", member.project.slug, number)
    return hand_over(request, job)


def _job(member: Member, number: int) -> Job:
    found = Job.objects.select_related("project", "member__user").filter(project=member.project_id, pk=number).first()
    if found is None:
        raise Http404
    return found


def _back(job: Job) -> str:
    """Where the job was asked for."""
    if job.kind == Job.Kind.FILL:
        return _round_of(job)
    pages = {Job.Kind.RELEASE: "labeling:releases", Job.Kind.IMPORT: "labeling:exchange"}
    return reverse(pages.get(Job.Kind(job.kind), "labeling:publish"), args=[job.project.slug])


def _round_of(job: Job) -> str:
    """The round that the job is about, else all of them: it may have been discarded."""
    round_ = Round.objects.filter(pk=job.arguments["round"], project=job.project_id).first()
    if round_ is None:
        return reverse("labeling:rounds", args=[job.project.slug])
    return reverse("labeling:round", args=[job.project.slug, round_.number])


def _counts(job: Job) -> list[tuple[str, int]]:
    return [(name.replace("_", " "), number) for name, number in job.result.items() if isinstance(number, int)]
