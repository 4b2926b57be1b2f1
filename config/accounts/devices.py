"""Devices on which somebody logged in before: a signed cookie remembers for which accounts.

It lets nobody in. It only has wrong tries counted by the device instead of by the address (`guesses`). It is sent to
account pages alone, and a new password makes it void.
"""

from collections.abc import Collection

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.crypto import get_random_string, salted_hmac

COOKIE = "device"
SECONDS = 365 * 24 * 3600
# The accounts that one browser remembers; the longest unused go first.
MOST_ACCOUNTS = 5
# The device's name for each account, and the mark of the password it was used with.
Accounts = dict[str, list[str]]


def remember_device(request: HttpRequest, response: HttpResponseBase, user: User) -> None:
    """Make this device a known one for an account."""
    accounts = _accounts(request)
    name = _name(accounts, user) or get_random_string(16)
    # The account that was used last comes last.
    accounts.pop(str(user.pk), None)
    accounts[str(user.pk)] = [name, _mark(user)]
    response.set_cookie(
        COOKIE,
        signing.dumps(dict(list(accounts.items())[-MOST_ACCOUNTS:]), salt=COOKIE),
        max_age=SECONDS,
        path=reverse("account"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known_device(request: HttpRequest, names: Collection[str]) -> str | None:
    """The name of this device, if one of its accounts has one of these user names or e-mail addresses."""
    accounts = _accounts(request)
    folded = {name.casefold() for name in names}
    for user in User.objects.filter(pk__in=accounts):
        addresses = EmailAddress.objects.filter(user_id=user.pk).values_list("email", flat=True)
        if folded & {name.casefold() for name in (user.username, user.email, *addresses)}:
            return _name(accounts, user)
    return None


def known_device_of(request: HttpRequest, user: User) -> str | None:
    """The name of this device, if this account was used on it."""
    return _name(_accounts(request), user)


def _name(accounts: Accounts, user: User) -> str | None:
    """The device's name for the account; None where it is unknown or has a new password."""
    name, mark = accounts.get(str(user.pk), ["", ""])
    return name if mark == _mark(user) else None


def _accounts(request: HttpRequest) -> Accounts:
    try:
        accounts: Accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=SECONDS)
    except signing.BadSignature:
        return {}
    return accounts


def _mark(user: User) -> str:
    """A hash that changes with the password."""
    return salted_hmac(COOKIE, user.password, algorithm="sha256").hexdigest()[:16]
