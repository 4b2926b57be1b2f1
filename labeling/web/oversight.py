"""The staff's pages of all projects: suspending, withdrawing publications, and new categories of the house codebook."""

from collections.abc import Callable
from functools import wraps

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Job
from labeling.refusals import RefusedError, missing_as_404
from labeling.rights import REFUSALS, Right, has_right
from labeling.selectors import oversight as selectors
from labeling.selectors.publication import public_rows, source_of
from labeling.selectors.publication_requests import history, waiting_requests
from labeling.selectors.publication_rows import choices
from labeling.selectors.withdrawals import withdrawn_of
from labeling.services import categories
from labeling.services import oversight as services
from labeling.services.publication_requests import waiting_request
from labeling.web.forms import PlainForm, act_and_redirect
from labeling.web.results.answer_table import chosen_scope
from labeling.web.results.jobs import send_job

PAGE = 50
# What staff can do to a project -> the service, and what the next page says.
ACTS: dict[str, tuple[Callable[..., Job | None], str]] = {
    "suspend": (services.suspend_project, "Suspended."),
    "resume": (services.resume_project, "Resumed."),
    "withdraw": (
        services.withdraw_publication, "It is blocked, and what is public of it is being withdrawn."
    ),
    "allow": (services.allow_publication, "It may be published again. Nothing is restored automatically."),
}  # fmt: skip


class ReasonForm(PlainForm):
    """Why staff do something; the project's members see it."""

    reason = forms.CharField(max_length=1_000)


def staff_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view for those who may oversee projects, which gets their account; 403 for others."""

    @wraps(view)
    def wrapper(request: HttpRequest, **kwargs: str | int) -> HttpResponseBase:
        if isinstance(request.user, AnonymousUser):
            return redirect_to_login(request.get_full_path())
        if not has_right(request.user, Right.OVERSEE):
            raise PermissionDenied(REFUSALS[Right.OVERSEE])
        response = view(request, request.user, **kwargs)
        add_never_cache_headers(response)
        return response

    return wrapper


@require_safe
@staff_page
def projects(request: HttpRequest, _staff: User) -> HttpResponse:
    """Every project of the site, and the categories that wait for a curator."""
    page = Paginator(selectors.all_projects(), PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "waiting": selectors.waiting_categories(), "requests": waiting_requests()}
    return render(request, "labeling/oversight/projects.html", context)


@require_safe
@staff_page
def project(request: HttpRequest, _staff: User, slug: str) -> HttpResponse:
    """One project: its counts, what staff did to it and why, and what they can do."""
    with missing_as_404():
        row = selectors.project_of(slug=slug)
    context = {
        "row": row,
        "actions": selectors.staff_actions(project_id=row.pk),
        "withdrawing": selectors.withdrawing(project_id=row.pk),
        "withdrawn": withdrawn_of(project_id=row.pk),
        "choices": choices(public_rows(source=source_of(row.pk))),
        "history": history(project_id=row.pk),
        "waiting": waiting_request(project_id=row.pk),
    }
    return render(request, "labeling/oversight/project.html", context)


@require_POST
@staff_page
def act(request: HttpRequest, staff: User, slug: str, do: str) -> HttpResponse:
    """Do one of `ACTS` to a project."""
    with missing_as_404():
        row = selectors.project_of(slug=slug)
    service, success = ACTS[do]

    def action() -> None:
        scope = {"scope": chosen_scope(request)} if do in ("withdraw", "allow") else {}
        job = service(by=staff, project=row, reason=reason_of(request), **scope)
        if job is not None:
            send_job(request, job)

    return act_and_redirect(request, action, success, reverse("labeling:oversight-project", args=[slug]))


@require_POST
@staff_page
def category(request: HttpRequest, staff: User, pk: int) -> HttpResponse:
    """Accept or refuse a category for the house codebook."""
    with missing_as_404():
        category_request = selectors.category_request(pk=pk)

    try:
        if request.POST.get("do") == "accept":
            node = categories.accept_category(by=staff, request=category_request)
            text = f"“{node.name}” is in the house codebook. Answers that name it can be published now."
        else:
            categories.refuse_category(by=staff, request=category_request, reason=reason_of(request))
            text = "Refused. The project's members see the reason."
        messages.success(request, text)
    except RefusedError as error:
        messages.error(request, str(error))
    waiting = waiting_request(project_id=category_request.node.axis.project_id)
    if request.POST.get("from") == "request" and waiting:
        return redirect("labeling:oversight-request", waiting.pk)
    return redirect("labeling:oversight")


def reason_of(request: HttpRequest) -> str:
    """The reason that a form gives. Raises RefusedError where it gives none, or one that is too long."""
    form = ReasonForm(request.POST)
    if not form.is_valid():
        raise RefusedError("Say why, in at most 1,000 characters: the project's members see it.")
    return str(form.cleaned_data["reason"])
