"""How often people may try what could be guessed at, and sign up; `settings.py` takes it over as ACCOUNT_RATE_LIMITS.

Several rates of one kind make delays that grow: by default, after five tries the next must wait for a minute, after ten
for an hour, after twenty for a day. What else allauth limits by itself is per minute, see `config.accounts.refusals`.
"""

import re

import environ
from django.core.exceptions import ImproperlyConfigured

RATES = re.compile(r"[1-9]\d*/[smhd](,[1-9]\d*/[smhd])*")


def rate_limits(env: environ.Env) -> dict[str, str | None]:
    """The limits as allauth reads them: `times/time/per what`."""
    written = {
        # One place (an address or a known device) at one account, for each kind of guess.
        "guesses": env.str("LOGIN_TRIES", default="") or "5/m,10/h,20/d",
        # One address at all accounts together; known devices do not count. A class of forty may mistype once each.
        "guesses_from_address": env.str("LOGIN_TRIES_FROM_ADDRESS", default="") or "50/m,300/h",
        # All addresses at one account. Above it nobody is shut out, but each address gets fewer tries:
        "guesses_at_account": env.str("LOGIN_TRIES_AT_ACCOUNT", default="") or "100/d",
        "guesses_under_attack": env.str("LOGIN_TRIES_UNDER_ATTACK", default="") or "1/m,2/h,4/d",
        # New accounts from one address.
        "signup": env.str("SIGNUP_RATE", default="") or "60/m",
    }
    for rates in written.values():
        if not RATES.fullmatch(rates):
            raise ImproperlyConfigured(f"“{rates}” are no rates. Write how often in which time, such as 5/m,20/d.")
    signup = written.pop("signup")
    limits = {action: _each(rates, "key") for action, rates in written.items()}
    # allauth's own, by which strangers could shut out the owner of an account; the above stand in for them.
    return {**limits, "signup": _each(signup, "ip"), "login": None, "login_failed": None, "reset_password": None}


def _each(rates: str, counted_by: str) -> str:
    return ",".join(f"{rate}/{counted_by}" for rate in rates.split(","))
