"""Slows guessing at passwords and codes, and asking for reset mails, without letting strangers shut out an owner.

Tries are counted by account and place together. Where somebody logged in before, the place is the device; elsewhere it
is the address. An attack from many addresses leaves each of them fewer tries, but the first from an address is always
taken: an owner whose password is right gets in from anywhere (docs/decisions/0040-guessing.md).
"""

import math
import time
from dataclasses import dataclass

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import RateLimitUsage, consume, get_cache_key, get_ip, get_rates
from django.core.cache import cache
from django.http import HttpRequest

from config.accounts.refusals import refuse

APP = "allauth.account"
Limit = tuple[str, str]


@dataclass(frozen=True)
class Tries:
    """Tries that were counted before their outcome was known."""

    usages: list[RateLimitUsage]

    def rollback(self) -> None:
        """Take the tries back; allauth calls this after a right password."""
        for usage in self.usages:
            usage.rollback()


def count_guess(request: HttpRequest, kind: str, account: str, device: str | None) -> Tries:
    """Count one try at an account. Raises ImmediateHttpResponse, which says for how long, if the next one must wait.

    `account` is what was typed, so that nobody learns which names and addresses belong together.
    """
    # As Postgres compares names, or each spelling would have tries of its own.
    target = f"{kind}:{account.upper()}"
    account_limit = ("guesses_at_account", target)
    if device:
        limits = [("guesses", f"{target}:device:{device}")]
    else:
        address = get_ip(request)
        action = "guesses_under_attack" if _wait(request, account_limit) else "guesses"
        limits = [(action, f"{target}:{address}"), ("guesses_from_address", f"{kind}:{address}")]
    seconds = max(_wait(request, limit) for limit in limits)
    if seconds:
        raise ImmediateHttpResponse(refuse(request, seconds))
    usages = [_consume(request, limit) for limit in limits]
    is_refused = None in usages
    if not device:
        # Above its limit, the count of all addresses together only says that there is an attack.
        usages.append(_consume(request, account_limit))
    if is_refused:
        raise ImmediateHttpResponse(refuse(request, 1))
    return Tries([usage for usage in usages if usage])


def _consume(request: HttpRequest, limit: Limit) -> RateLimitUsage | None:
    """Count one more; None where that is above the limit."""
    action, key = limit
    return consume(request, app=APP, action=action, key=key)


def _wait(request: HttpRequest, limit: Limit) -> int:
    """Seconds until this limit has room again; 0 if it has."""
    action, key = limit
    waits = [0]
    for rate in get_rates(app=APP, action=action):
        tries = cache.get(get_cache_key(request, app=APP, action=action, rate=rate, key=key), [])
        if len(tries) >= rate.amount:
            waits.append(math.ceil(tries[-1] + rate.duration - time.time()))
    return max(waits)
