"""How often people may try what could be guessed at; `settings.py` takes it over as ACCOUNT_RATE_LIMITS.

A rate is `times/time/per what`. Several of one kind make delays that grow: after five tries the next must wait for a
minute, after ten for an hour, after twenty for a day. What allauth limits by itself is per minute, see `refusals`.
"""

RATE_LIMITS = {
    # One place (an address or a known device) at one account, for each kind of guess.
    "guesses": "5/m/key,10/h/key,20/d/key",
    # One address at all accounts together; known devices do not count.
    "guesses_from_address": "10/m/key,100/h/key",
    # All addresses at one account. Above it nobody is shut out, but each address gets fewer tries:
    "guesses_at_account": "100/d/key",
    "guesses_under_attack": "1/m/key,2/h/key,4/d/key",
    # The above stand in for allauth's, by which strangers could shut out the owner of an account.
    "login": None,
    "login_failed": None,
    "reset_password": None,
}
