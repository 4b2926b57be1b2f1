"""Jobs as people see them: handing one to a worker, its page with its progress, and trying again."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Job, Member, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors.jobs import job_of, round_number, waiting_file
from labeling.selectors.names import name_of
from labeling.services import jobs
from labeling.tasks import run_job
from labeling.web.access import page_context, project_action, project_page
from labeling.web.results.queueing import send, worker_is_alive

LOOK_AGAIN_SECONDS = 3


def hand_over(request: HttpRequest, job: Job) -> HttpResponse:
    """Give a job to the workers on commit, and redirect to its page."""
    send_job(request, job)
    return redirect("labeling:job", job.project.slug, job.pk)


def send_job(request: HttpRequest, job: Job) -> None:
    """Give a job to the workers on commit; the next page says so where they cannot be reached."""

    def on_commit() -> None:
        if not send(run_job, job.pk):
            messages.error(request, "No worker can be reached right now. The job is kept: try again later.")

    transaction.on_commit(on_commit)


@project_page(Role.LEAD)
def job_page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """How far a job is, and what came of it."""
    with missing_as_404():
        job = job_of(member=member, pk=number)
    waits = job.state in jobs.UNFINISHED
    counts = [(name.replace("_", " "), count) for name, count in job.result.items() if isinstance(count, int)]
    context = page_context(member, "results") | {
        "job": job,
        "waits": waits,
        "by": name_of(reader=member, other=job.member) if job.member else "the site's staff",
        "no_worker": waits and not worker_is_alive(),
        "back": _page_of(job),
        "results": counts,
    }
    response = render(request, "labeling/results/job.html", context)
    if waits:
        # Without scripts too: the browser itself looks again.
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


@project_action(Role.LEAD)
def job_again(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Hand a job over once more: it failed, or its worker is gone."""
    with missing_as_404():
        job = job_of(member=member, pk=number)
    try:
        job = jobs.try_again(lead=member, job=job)
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:job", member.project.slug, number)
    return hand_over(request, job)


def _page_of(job: Job) -> str:
    """The URL of the page where the job was asked for; all rounds where its round was discarded."""
    slug = job.project.slug
    if job.kind == Job.Kind.FILL:
        number = round_number(job=job)
        if number is None:
            return reverse("labeling:rounds", args=[slug])
        return reverse("labeling:round", args=[slug, number])
    if job.kind == Job.Kind.ITEMS:
        file = waiting_file(job=job)
        return reverse("labeling:items-file", args=[slug, file]) if file else reverse("labeling:items", args=[slug])
    pages = {Job.Kind.RELEASE: "labeling:releases", Job.Kind.IMPORT: "labeling:exchange"}
    return reverse(pages.get(Job.Kind(job.kind), "labeling:publish"), args=[slug])
