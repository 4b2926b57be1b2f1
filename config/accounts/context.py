"""What every template knows of the reader."""

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest

from kb.health import database


def reader(request: HttpRequest) -> dict[str, AbstractBaseUser | AnonymousUser | None]:
    """Return who reads, as `reader`; None without a session cookie, and while the database that knows is away.

    To ask for the user is to open the session: a query, and an answer that varies by cookie. Without the cookie there
    is nobody to ask for, so that public pages stay the same for everybody who has no account.
    """
    has_cookie = bool(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return {"reader": request.user if has_cookie and database.answers() else None}
