"""Staff's pages of what people said of diagnoses: the queue, one of them with its history, and drafts to download."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from kb.diagnose import drafts
from kb.diagnose import review as service
from kb.http.downloads import download
from kb.models import DiagnosisFeedback
from kb.web.diagnose.sharing import reader_of
from kb.web.diagnose.sharing_forms import ReviewForm
from kb.web.parameters import chosen

PAGE = 25
PERMISSION = "kb.review_diagnosisfeedback"
State = DiagnosisFeedback.State
DONE = {
    "accept": "Accepted.",
    "decline": "Declined.",
    "undo": "Undone: it is new again, and nothing in it is confirmed.",
}


@require_safe
@never_cache
def queue(request: HttpRequest) -> HttpResponse:
    """Feedback that waits, or was accepted or declined."""
    _reviewer(request)
    state = chosen(request.GET, "state", State.choices, noun="state", default=State.NEW)
    page = Paginator(service.queue(state=state), PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "state": state, "states": State.choices, "trail": [("Diagnose", reverse("diagnose"))]}
    return render(request, "kb/diagnose/review.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One feedback with its history; a decision leads back to it."""
    reviewer = _reviewer(request)
    row = _row(pk)
    causes = [(node.code, node.name) for node in service.causes_on_offer()]
    if request.method == "POST":
        form = ReviewForm(request.POST, causes=causes)
        if not form.is_valid():
            return _page(request, row, form, status=400)
        try:
            _decide(request.POST.get("do", ""), row.pk, reviewer, form)
        except service.ReviewRefusedError as error:
            messages.error(request, str(error))
            return _page(request, _row(pk), form, status=409)
        messages.success(request, DONE[request.POST["do"]])
        return redirect("diagnose-review-one", row.pk)
    return _page(request, row, ReviewForm(causes=causes, initial=_initial(row)))


@require_safe
@never_cache
def record(request: HttpRequest, pk: int) -> HttpResponse:
    """A draft of the issue's record."""
    return _download(request, pk, "record", drafts.record_draft)


@require_safe
@never_cache
def signal(request: HttpRequest, pk: int) -> HttpResponse:
    """A draft of a signal."""
    return _download(request, pk, "signal", drafts.signal_draft)


def _reviewer(request: HttpRequest) -> User:
    reader = reader_of(request)
    if reader is None or not (reader.is_staff and reader.has_perm(PERMISSION)):
        raise PermissionDenied("Only staff who review what people say of diagnoses may see this.")
    return reader


def _row(pk: int) -> DiagnosisFeedback:
    rows = DiagnosisFeedback.objects.prefetch_related("decisions__by").select_related(
        "known_signature__issue__repository", "known_signature__cause__axis__scheme"
    )
    return get_object_or_404(rows, pk=pk)


def _initial(row: DiagnosisFeedback) -> dict[str, str]:
    """What the sender said that it was."""
    initial = {"issue_url": row.issue_url, "cause": ""}
    if row.is_right and row.about == DiagnosisFeedback.About.ISSUE:
        initial["issue_url"] = row.issue_url or row.subject
    if row.is_right and row.about == DiagnosisFeedback.About.CAUSE:
        initial["cause"] = row.subject
    return initial


def _decide(button: str, pk: int, by: User, form: ReviewForm) -> None:
    reason = form.cleaned_data["reason"]
    if button == "accept":
        service.accept(pk=pk, by=by, confirmed=form.confirmation(), reason=reason)
    elif button == "decline":
        service.decline(pk=pk, by=by, reason=reason)
    elif button == "undo":
        service.undo(pk=pk, by=by, reason=reason)
    else:
        raise service.ReviewRefusedError("There is no such button.")


def _page(request: HttpRequest, row: DiagnosisFeedback, form: ReviewForm, *, status: int = 200) -> HttpResponse:
    context = {
        "row": row,
        "form": form,
        "excerpt": service.excerpt_of(row),
        "known": getattr(row, "known_signature", None),
        "trail": [("Diagnose", reverse("diagnose")), ("Review", reverse("diagnose-review"))],
    }
    return render(request, "kb/diagnose/review_one.html", context, status=status)


def _download(request: HttpRequest, pk: int, name: str, draft: Callable[[DiagnosisFeedback], str]) -> HttpResponse:
    _reviewer(request)
    row = _row(pk)
    return download(f"{name}-{row.pk}.yaml", draft(row), "application/yaml")
