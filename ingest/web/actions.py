"""What staff may do about mirrors on their public pages. Each is a POST that leads back to the page it came from."""

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from ingest.models import LeftOut, Mirror
from ingest.services import mirrors
from ingest.services.deliveries import ask_reading
from ingest.sync.wakeups import waker
from kb.models import Issue, Repository
from kb.services.locks import LockHeldError

BUSY = "A run is in progress. Try again when it has finished."


def may_act(request: HttpRequest) -> bool:
    """Return whether the reader is staff who may change mirrors; opens no session where there is no cookie."""
    if not request.COOKIES.get(settings.SESSION_COOKIE_NAME):
        return False
    return bool(request.user.is_staff and request.user.has_perm("ingest.change_mirror"))


# What to do about a mirror, by the name of its button, and what to say then.
ACTIONS: dict[str, tuple[Callable[..., None], str]] = {
    "pause": (mirrors.pause, "Turned off. Mirrored data stays as it is."),
    "resume": (mirrors.resume, "Turned on. The next run starts as soon as a worker is free."),
    "sync": (mirrors.make_due, "The next run starts as soon as a worker is free."),
    "sweep": (
        mirrors.ask_sweep,
        "Every issue will be rechecked as soon as a worker is free and the host allows it.",
    ),
    "again": (mirrors.read_all_again, "Everything will be read again. Current data stays in place until then."),
}


def apply_action(mirror: Mirror, name: str) -> str:
    """Do one of `ACTIONS` and return what to say. Raises `LockHeldError`."""
    action, message = ACTIONS[name]
    action(mirror=mirror)
    return message


@require_POST
def act(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
    """Do what the button says."""
    _check(request)
    mirror = _mirror(host, owner, name)
    action = request.POST.get("what", "")
    if action not in ACTIONS:
        raise Http404("Unknown action.")
    try:
        messages.success(request, apply_action(mirror, action))
    except LockHeldError:
        messages.error(request, BUSY)
    return redirect("mirror-status", host, owner, name)


@require_POST
def keep(request: HttpRequest, host: str, owner: str, name: str) -> HttpResponse:
    """Keep an issue after all that the keywords left out, and read it."""
    _check(request)
    mirror = _mirror(host, owner, name)
    left_out = get_object_or_404(LeftOut, mirror=mirror, ref=request.POST.get("ref", ""))
    mirrors.keep_after_all(left_out=left_out, user=request.user)  # type: ignore[arg-type]
    ask_reading(repository=mirror.repository, ref=left_out.ref)
    waker.wake()
    messages.success(request, f"Number {left_out.ref} is mirrored from now on. It appears once it has been read.")
    return redirect("mirror-left-out", host, owner, name)


@require_POST
def read_anew(request: HttpRequest, pk: int) -> HttpResponse:
    """Have one issue read anew from its host; leads back to its page, or to the admin's."""
    _check(request)
    issue = get_object_or_404(Issue.objects.select_related("repository"), pk=pk)
    if not Mirror.objects.filter(repository=issue.repository, is_on=True).exists():
        raise Http404("This issue's repository is not mirrored.")
    ask_reading(repository=issue.repository, ref=issue.ref)
    waker.wake()
    messages.success(
        request, f"{issue.short_name} will be read again within a minute, unless the host's rate limit is reached."
    )
    return redirect("admin:kb_issue_change", issue.pk) if "admin" in request.POST else redirect(issue)


def _check(request: HttpRequest) -> None:
    if not may_act(request):
        raise PermissionDenied("Only staff who manage mirrors can do this.")


def _mirror(host: str, owner: str, name: str) -> Mirror:
    repository = get_object_or_404(Repository, host=host, full_name__iexact=f"{owner}/{name}")
    return get_object_or_404(Mirror.objects.select_related("repository"), repository=repository)
