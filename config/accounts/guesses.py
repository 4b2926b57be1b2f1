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

    counted: list[RateLimitUsage]

    def rollback(self) -> None:
        """It was no guess: count nothing. allauth calls it after a right password."""
        for usage in self.counted:
            usage.rollback()


def count_guess(request: HttpRequest, kind: str, account: str, device: str | None) -> Tries:
    """Count one try at an account; where the next one must wait, raises the answer that says for how long.

    `account` is what was typed, so that nobody learns which names and addresses belong together.
    """
    # As Postgres compares names, or each spelling would have tries of its own.
    target = f"{kind}:{account.upper()}"
    if device:
        limits = [("guesses", f"{target}:device:{device}")]
    else:
        address = get_ip(request)
        all_over = ("guesses_at_account", target)
        by_place = "guesses_under_attack" if _wait(request, all_over) else "guesses"
        limits = [(by_place, f"{target}:{address}"), ("guesses_from_address", f"{kind}:{address}")]
    if seconds := max(_wait(request, limit) for limit in limits):
        raise ImmediateHttpResponse(refuse(request, seconds))
    # Above its limit, the count of all addresses together only says that there is an attack.
    counted = [_count(request, limit) for limit in (limits if device else [*limits, all_over])]
    if None in counted[: len(limits)]:
        raise ImmediateHttpResponse(refuse(request, 1))
    return Tries([usage for usage in counted if usage])


def _count(request: HttpRequest, limit: Limit) -> RateLimitUsage | None:
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
