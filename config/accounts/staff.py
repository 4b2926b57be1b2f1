"""A second factor for staff, where `STAFF_SECOND_FACTOR` requires it: without one they are redirected to set it up.

This guards every page that knows its reader, not the admin alone: staff have rights on many pages.
"""

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from config.accounts.middleware import GetResponse

WHY = "Staff of this site need a second factor. Set one up to continue."


def second_factor_of_staff(get_response: GetResponse) -> GetResponse:
    """Middleware: redirects staff without a second factor to where they set one up; account pages stay open."""
    account = reverse("account")

    def middleware(request: HttpRequest) -> HttpResponseBase:
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        if not settings.STAFF_SECOND_FACTOR or not has_session or request.path.startswith(account):
            return get_response(request)
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            return _redirect_to_set_up(request) if lacks_required_factor(request.user) else get_response(request)
        response = get_response(request)
        # Reading changes nothing; only afterwards is it known whether the answer was for somebody.
        if request.session.accessed and lacks_required_factor(request.user):
            return _redirect_to_set_up(request)
        return response

    return middleware


def lacks_required_factor(user: User | AnonymousUser) -> bool:
    """Whether this is staff without the second factor that the site requires of them."""
    return settings.STAFF_SECOND_FACTOR and user.is_staff and not is_mfa_enabled(user, [Authenticator.Type.TOTP])


def _redirect_to_set_up(request: HttpRequest) -> HttpResponseBase:
    messages.warning(request, WHY)
    return redirect("mfa_activate_totp")
