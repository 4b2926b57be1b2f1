"""Sharing a result: the preview of what would be stored, storing it, the shared page, deleting it, one's own list."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kb.core.redaction import Kind, Piece
from kb.diagnose import sharing
from kb.diagnose.signed_data import SealError, unsealed
from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of
from kb.models import SharedDiagnosis
from kb.web.diagnose.result import result_context
from kb.web.diagnose.sharing_forms import ShareForm

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
CHANGED = "What would be stored changed with your choice. Look it over, then share it."
TOO_MANY = "Too much was sent from your network today. Try again tomorrow, or from elsewhere."


def unlisted(view: View[P]) -> View[P]:
    """Keep the answer out of caches and search engines."""

    @wraps(view)
    def unlisted_view(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return never_cache(unlisted_view)


def reader_of(request: HttpRequest) -> User | None:
    """Who is logged in; without a cookie no session is opened to find out."""
    if not request.COOKIES.get(settings.SESSION_COOKIE_NAME):
        return None
    return request.user if isinstance(request.user, User) else None


def refused(request: HttpRequest, reason: str, *, status: int = 400) -> HttpResponse:
    """A page that says why the request is refused."""
    return render(request, "kb/diagnose/share_refused.html", {"reason": reason}, status=status)


@require_POST
@unlisted
def share(request: HttpRequest) -> HttpResponse:
    """Show what would be stored; store it when exactly that was seen and is wanted."""
    try:
        count_sending(what="share-preview", address=address_of(request), most=sharing.MOST_PREVIEWS_A_DAY)
        data = unsealed(request.POST.get("sealed", ""))
        form = ShareForm(request.POST) if "do" in request.POST else ShareForm.untouched()
        if not form.is_valid():
            return _preview(request, form, sharing.preview(data=data))
        shown = sharing.preview(data=data, title=form.cleaned_data["title"], keep=form.shown_kinds())
        if request.POST.get("do") != "share":
            return _preview(request, form, shown)
        if request.POST.get("seen") != shown.digest:
            return _preview(request, form, shown, notice=CHANGED)
        count_sending(what="share", address=address_of(request), most=sharing.MOST_A_DAY)
    except SealError as error:
        return refused(request, str(error))
    except sharing.TooLargeToShareError as error:
        return refused(request, str(error), status=413)
    except TooManySentError:
        return refused(request, TOO_MANY, status=429)
    stored = sharing.share(shown=shown, days=form.cleaned_data["days"], owner=reader_of(request))
    return _links(request, stored)


@require_safe
@unlisted
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """A shared diagnosis, as everybody with the link sees it."""
    try:
        row = sharing.find(token=token)
    except SharedDiagnosis.DoesNotExist:
        return _gone(request)
    reader = reader_of(request)
    context = {
        **result_context(sharing.data_of(row)),
        "row": row,
        "hidden": hidden_counts(row.hidden),
        # It is shared already, and feedback comes from somebody who has the log.
        "sealed": None,
        "is_mine": reader is not None and reader.pk == row.owner_id,
    }
    return render(request, "kb/diagnose/shared.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@unlisted
def delete(request: HttpRequest, token: str, secret: str = "") -> HttpResponse:
    """Ask whether to delete it, and do so."""
    try:
        row = sharing.find(token=token)
    except SharedDiagnosis.DoesNotExist:
        return _gone(request)
    reader = reader_of(request)
    if not sharing.may_delete(row=row, secret=secret, user_id=reader.pk if reader else None):
        return refused(request, "This is not the link that deletes it. Who shared it has that.", status=403)
    if request.method == "POST":
        sharing.delete(row=row)
        return HttpResponseRedirect(f"{reverse('diagnose-shared-mine')}?deleted=1") if reader else _gone(request, 200)
    return render(request, "kb/diagnose/share_delete.html", {"row": row})


@login_required
@require_safe
@unlisted
def mine(request: HttpRequest) -> HttpResponse:
    """What the reader shares now."""
    reader = reader_of(request)
    rows = sharing.shared_by(owner=reader) if reader else SharedDiagnosis.objects.none()
    context = {"rows": rows, "deleted": "deleted" in request.GET, "trail": [("Diagnose", reverse("diagnose"))]}
    return render(request, "kb/diagnose/shared_mine.html", context)


def hidden_counts(hidden: Mapping[Kind, int]) -> list[tuple[str, int]]:
    """Kinds in words, and how many places of each."""
    return [(kind.label, hidden[kind]) for kind in Kind if hidden.get(kind)]


def _preview(request: HttpRequest, form: ShareForm, shown: sharing.Preview, *, notice: str = "") -> HttpResponse:
    context = {
        "form": form,
        "shown": shown,
        "sealed": request.POST["sealed"],
        "hidden": hidden_counts(shown.redacted.found),
        "notice": notice,
        "marked_title": _marked(shown.title_pieces),
        "marked_text": _marked(shown.pieces),
        "trail": [("Diagnose", reverse("diagnose"))],
    }
    return render(request, "kb/diagnose/share.html", context)


def _marked(pieces: Iterable[Piece]) -> SafeString:
    """The text, character for character, with what is hidden marked."""
    parts = []
    for text, hidden in pieces:
        parts.append(format_html("<mark>{}</mark>", text) if hidden else text)
    return format_html_join("", "{}", ((part,) for part in parts))


def _links(request: HttpRequest, stored: sharing.Shared) -> HttpResponse:
    """The two links. They are shown this once."""
    delete_path = reverse("diagnose-shared-delete", args=(stored.row.token, stored.secret))
    context = {
        "row": stored.row,
        "link": request.build_absolute_uri(stored.row.get_absolute_url()),
        "delete_link": request.build_absolute_uri(delete_path),
        "trail": [("Diagnose", reverse("diagnose"))],
    }
    return render(request, "kb/diagnose/share_links.html", context)


def _gone(request: HttpRequest, status: int = 410) -> HttpResponse:
    return render(request, "kb/diagnose/share_gone.html", {"deleted": status == 200}, status=status)
