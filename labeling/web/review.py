"""A curator's page of a request to publish: the diff of public answers, and the decision on it."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from kb.exports.tables import csv_lines
from kb.http.downloads import streamed
from labeling.models import PublicationRequest
from labeling.refusals import missing_as_404
from labeling.selectors.oversight import waiting_categories
from labeling.selectors.publication import digest_of, preview
from labeling.selectors.publication_requests import request_of
from labeling.selectors.publication_rows import lines
from labeling.selectors.readers import assisted_decisions
from labeling.selectors.withdrawals import names_of_scope
from labeling.services import publication_requests as services
from labeling.web.forms import act_and_redirect
from labeling.web.oversight import reason_of, staff_page
from labeling.web.results.answer_table import answer_table, chosen_scope, filtered
from labeling.web.results.jobs import send_job


@require_safe
@staff_page
def review(request: HttpRequest, staff: User, pk: int) -> HttpResponse:
    """What would be public, next to what is; the project's new categories; and what changed since it was asked for."""
    with missing_as_404():
        asked = request_of(pk=pk)
    project = asked.project
    shown = preview(project_id=project.pk, pilots=asked.pilots)
    rows = shown.within(asked.scope)
    digest = digest_of(rows)
    names = names_of_scope([asked.scope, asked.accepted_scope])
    now = {row.decision for row in rows}
    context = {
        "asked": asked,
        "project": project,
        "preview": shown,
        "digest": digest,
        "is_waiting": asked.state == PublicationRequest.State.WAITING,
        "has_changed": digest != asked.digest,
        "gone": sum(1 for decision in asked.decisions if decision not in now),
        "new": sum(1 for decision in now if decision is not None and decision not in set(asked.decisions)),
        "scope": [names.get(entry, entry) for entry in asked.scope],
        "why_not": services.why_not_accept(user=staff, project=project),
        "assisted": assisted_decisions(project_id=project.pk),
        "categories": [one for one in waiting_categories() if one.request.node.axis.project_id == project.pk],
        **answer_table(request, rows, project_id=project.pk, pilots=asked.pilots, asked=asked.decisions),
    }
    return render(request, "labeling/oversight/review.html", context)


@require_safe
@staff_page
def answers(request: HttpRequest, _staff: User, pk: int) -> HttpResponseBase:
    """The same as CSV, filtered as the page is."""
    with missing_as_404():
        asked = request_of(pk=pk)
    rows = filtered(request, preview(project_id=asked.project_id, pilots=asked.pilots).within(asked.scope))
    table = lines(rows, project_id=asked.project_id, pilots=asked.pilots, asked=asked.decisions)
    return streamed(f"publication-{asked.pk}.csv", csv_lines(table))


@require_POST
@staff_page
def accept(request: HttpRequest, staff: User, pk: int) -> HttpResponse:
    """Accept what the page showed, all of it or the part that is ticked."""
    with missing_as_404():
        asked = request_of(pk=pk)

    def action() -> None:
        job = services.accept_publication(
            by=staff, request=asked, digest=request.POST.get("digest", ""), scope=chosen_scope(request)
        )
        send_job(request, job)

    return act_and_redirect(request, action, "Accepted: it is being published.", _page(pk))


@require_POST
@staff_page
def refuse(request: HttpRequest, staff: User, pk: int) -> HttpResponse:
    """Refuse the request, with a reason."""
    with missing_as_404():
        asked = request_of(pk=pk)
    return act_and_redirect(
        request,
        lambda: services.refuse_publication(by=staff, request=asked, reason=reason_of(request)),
        "Refused. The project's leads see the reason.",
        _page(pk),
    )


def _page(pk: int) -> str:
    return reverse("labeling:oversight-request", args=[pk])
