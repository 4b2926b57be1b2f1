"""A person's notices of all their projects: the list, marking it as read, and which kinds come where."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Notice
from labeling.selectors import notices as selectors
from labeling.services import notices as services
from labeling.web.access import logged_in_user
from labeling.web.notice_texts import notice_text

PAGE = 50


@require_safe
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """The reader's notices, the newest first, and their choices."""
    user = logged_in_user(request)
    page = Paginator(selectors.shown(user=user), PAGE).get_page(request.GET.get("page"))
    context = {
        "texts": [notice_text(notice) for notice in page],
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number),
        "wishes": selectors.wishes(user=user),
        "unread": selectors.unread_count(user_id=user.pk),
        "sends_mail": settings.SENDS_MAIL,
        "email": user.email,
    }
    response = render(request, "labeling/notices/list.html", context)
    add_never_cache_headers(response)
    return response


@require_POST
@login_required
def reading(request: HttpRequest) -> HttpResponse:
    """Mark all notices as read."""
    services.read_all(user=logged_in_user(request))
    return redirect("labeling:notices")


@require_POST
@login_required
def choosing(request: HttpRequest) -> HttpResponse:
    """Keep which kinds of notices the reader wants, on the site and by mail."""
    on_site, by_mail = set(request.POST.getlist("site")), set(request.POST.getlist("mail"))
    wishes = []
    for kind in Notice.Kind:
        wishes.append(selectors.Wish(kind, on_site=kind.value in on_site, by_mail=kind.value in by_mail))
    services.choose(user=logged_in_user(request), wishes=wishes)
    messages.success(request, "Your choices are saved.")
    return redirect("labeling:notices")
