"""Publishing into the knowledge base, as leads see it: what would change, asking for it, and withdrawing it."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Job, Member, Role
from labeling.refusals import RefusedError
from labeling.selectors.publication import preview, publication_of
from labeling.selectors.publication_requests import history
from labeling.selectors.readers import assisted_decisions
from labeling.services import jobs
from labeling.services import publication_requests as services
from labeling.web.access import page_context, project_action, project_page
from labeling.web.forms import act_and_redirect
from labeling.web.results.answer_table import answer_table, chosen_scope
from labeling.web.results.jobs import hand_over


@project_page(Role.LEAD)
def publish_page(request: HttpRequest, member: Member) -> HttpResponse:
    """What publishing would change now, `?pilots=1` with pilot rounds, and everything published so far."""
    publication = publication_of(project_id=member.project_id)
    default = "1" if publication and publication.includes_pilots else "0"
    pilots = request.GET.get("pilots", default) == "1"
    shown = preview(project_id=member.project_id, pilots=pilots)
    context = page_context(member, "results") | {
        "publication": publication,
        "pilots": pilots,
        "preview": shown,
        "why_not": services.why_not_ask(lead=member),
        "waiting": services.waiting_request(project_id=member.project_id),
        "under_way": jobs.unfinished(project_id=member.project_id, kind=Job.Kind.PUBLISH),
        "history": history(project_id=member.project_id),
        "assisted": assisted_decisions(project_id=member.project_id),
        **answer_table(request, shown.rows, project_id=member.project_id, pilots=pilots),
    }
    return render(request, "labeling/results/publish.html", context)


@project_action(Role.LEAD)
def publish(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask curators to publish; a demo is published at once."""
    pilots = request.POST.get("pilots") == "1"
    if member.project.is_demo:
        return _begin(request, member, lambda: services.publish_demo(lead=member, pilots=pilots))
    return act_and_redirect(
        request,
        lambda: services.ask_for_publication(lead=member, scope=chosen_scope(request), pilots=pilots),
        "Asked. A curator looks at it; this page tells what they decide.",
        _page(member),
    )


@project_action(Role.LEAD)
def take_back(request: HttpRequest, member: Member) -> HttpResponse:
    """Take the request that waits back."""
    return act_and_redirect(
        request, lambda: services.take_request_back(lead=member), "The request is taken back.", _page(member)
    )


@project_action(Role.LEAD)
def withdraw(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for everything that was published to be taken out."""
    return _begin(request, member, lambda: services.ask_to_withdraw(lead=member))


def _begin(request: HttpRequest, member: Member, begin_job: Callable[[], Job]) -> HttpResponse:
    try:
        job = begin_job()
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect(_page(member))
    return hand_over(request, job)


def _page(member: Member) -> str:
    return reverse("labeling:publish", args=[member.project.slug])
