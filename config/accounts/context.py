"""A context processor: the reader, for every template."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest

from kb.health import database


def reader(request: HttpRequest) -> dict[str, AbstractBaseUser | AnonymousUser | None]:
    """The user as `reader`; None without a session cookie, and while the database is down.

    Looking up the user reads the session: a query, and a response that varies by cookie. Without the cookie it is not
    looked up, so that public pages are the same for everybody who has no account.
    """
    has_cookie = bool(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return {"reader": request.user if has_cookie and database.answers() else None}
