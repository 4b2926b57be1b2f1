"""Accepting an invitation: what the project asks, log in or sign up, then join.

An invitation by somebody who may invite newcomers also opens sign-up where that is closed: whoever decides about that
calls `opens_sign_up`, and `count_account` for every account made.
"""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from labeling.models import Role
from labeling.refusals import RefusedError
from labeling.selectors import invitations, team
from labeling.services import people
from labeling.web.access import logged_in_user

SESSION_KEY = "labeling_invitation"
DOES = {
    Role.LEAD: "Leads prepare rounds, invite people and write the guidelines.",
    Role.ANNOTATOR: "Annotators label issues independently.",
    Role.ADJUDICATOR: "Adjudicators settle disagreements.",
    Role.OBSERVER: "Observers can read everything and change nothing.",
}


def has_invitation(request: HttpRequest) -> bool:
    """Whether the visitor opened an invitation in this browser that is still valid."""
    token = _token(request)
    return bool(token) and not invitations.why_not(invitations.by_token(token=token))


def opens_sign_up(request: HttpRequest) -> bool:
    """Whether the visitor may make an account by the invitation that they opened."""
    return invitations.opens_sign_up(token=_token(request))


def count_account(request: HttpRequest) -> None:
    """Count an account against the visitor's invitation. Raises PermissionDenied where it opens none any more."""
    try:
        people.take_account(token=_token(request))
    except RefusedError as error:
        raise PermissionDenied(str(error)) from error


def invitation_address(request: HttpRequest) -> str:
    """The page of the invitation that `has_invitation` found."""
    return reverse("labeling:join", args=[request.session[SESSION_KEY]])


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What the invitation is to; on POST, join by it."""
    response = _answer(request, token)
    add_never_cache_headers(response)
    return response


def _answer(request: HttpRequest, token: str) -> HttpResponse:
    invitation = invitations.by_token(token=token)
    user = None if isinstance(request.user, AnonymousUser) else request.user
    if invitation and user and team.is_member(user=user, project_id=invitation.project_id):
        return redirect("labeling:project", invitation.project.slug)
    reason = invitations.why_not(invitation)
    if invitation is None or reason:
        status = 410 if invitation else 404
        return render(request, "labeling/setup/join_not.html", {"reason": reason}, status=status)
    here = reverse("labeling:join", args=[token])
    if user is None:
        request.session[SESSION_KEY] = token
        if request.method == "POST":
            return redirect(f"{reverse('account_login')}?{urlencode({'next': here})}")
    elif request.method == "POST":
        return _join(request, token, here)
    context = {
        "invitation": invitation,
        "does": [(Role(role).label, DOES[Role(role)]) for role in invitation.roles],
        "after": urlencode({"next": here}),
        "address": here,
    }
    return render(request, "labeling/setup/join.html", context)


def _join(request: HttpRequest, token: str, here: str) -> HttpResponse:
    try:
        member = people.join(user=logged_in_user(request), token=token)
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect(here)
    request.session.pop(SESSION_KEY, None)
    messages.success(request, f"Welcome to {member.project.name}. Read the guidelines first.")
    return redirect("labeling:project", member.project.slug)


def _token(request: HttpRequest) -> str:
    # Without the cookie there is no session, and asking for one would make one.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return ""
    return str(request.session.get(SESSION_KEY, ""))
