"""Who answers the survey: an account, or a browser that keeps a signed token in a cookie that scripts cannot read.

The form carries a token of its own, so that a form sent twice is one answer, and no cookie is set before one answers.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from kb.services.priorities import Person

COOKIE = "faultbook_survey"
SALT = "kb.priorities.survey"
COOKIE_SECONDS = 365 * 24 * 3600
# A form that was open for longer is sent a second time.
TICKET_SECONDS = 24 * 3600


def new_ticket() -> str:
    """A signed token that nobody has yet."""
    return signing.dumps(secrets.token_urlsafe(24), salt=SALT)


def token_in(ticket: str, *, seconds: int = TICKET_SECONDS) -> str:
    """The token in a ticket; empty when it is not ours or too old."""
    try:
        return str(signing.loads(ticket, salt=SALT, max_age=seconds))
    except signing.BadSignature:
        return ""


def person_of(request: HttpRequest, ticket: str = "") -> Person:
    """Who asks; somebody without account and cookie is known by the ticket of their form, if it is good."""
    kept = token_in(request.COOKIES.get(COOKIE, ""), seconds=COOKIE_SECONDS)
    if request.user.is_authenticated:
        return Person(user_id=request.user.pk, token=kept)
    return Person(token=kept or token_in(ticket))


def remember(response: HttpResponse, person: Person) -> None:
    """Have the browser keep the token for a year; an account needs none."""
    if person.user_id is None:
        response.set_cookie(
            COOKIE,
            signing.dumps(person.token, salt=SALT),
            max_age=COOKIE_SECONDS,
            path=reverse("priorities"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def forget(response: HttpResponse) -> None:
    """Have the browser forget the token."""
    response.delete_cookie(COOKIE, path=reverse("priorities"), samesite="Lax")
