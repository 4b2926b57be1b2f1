"""How much a host still lets us ask, as a pure object that is fed with what its answers say.

Knows no clock, no network and no Django: moments come in as seconds since 1970 by our own clock. Rules follow
GitHub's "Rate limits for the REST API" and "Best practices for using the REST API".
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

SECOND_BLOCK = 60.0
LONGEST_BLOCK = 3_600.0
MOST_STRIKES = 5
# Below this share of an hour's limit, or of a minute's pace, what is left is spread over the time until it is renewed.
SPREAD_BELOW = 0.10
LONGEST_SPREAD = 10.0
# GitHub allows 900 points a minute; a read costs one. The tenth stays for others who use the same token.
MINUTE = 60.0
POINTS_A_MINUTE = 810
# A renewal is told in whole seconds.
MARGIN = 1.0


@dataclass(frozen=True, slots=True)
class Meter:
    """What is known of one token's budget for one kind of request.

    `strikes` counts refusals in a row that came without a word about how long; None means not yet told.
    """

    limit: int | None = None
    remaining: int | None = None
    renews_at: float | None = None
    blocked_until: float = 0.0
    strikes: int = 0
    asked_at: float = 0.0
    minute_began: float = 0.0
    minute_spent: int = 0

    @property
    def exhausted(self) -> bool:
        """Whether it was refused so often that it should be left alone for this run."""
        return self.strikes > MOST_STRIKES


def wait(meter: Meter, *, now: float) -> float:
    """How many seconds to wait before the next request; 0 when it may be sent now."""
    if meter.blocked_until > now:
        return meter.blocked_until - now
    return max(_until_renewal(meter, now), _until_next_minute(meter, now))


def spend(meter: Meter, *, now: float) -> Meter:
    """Note that a request is sent now."""
    if now - meter.minute_began >= MINUTE:
        return replace(meter, asked_at=now, minute_began=now, minute_spent=1)
    return replace(meter, asked_at=now, minute_spent=meter.minute_spent + 1)


def learn(meter: Meter, *, headers: Mapping[str, str], now: float, host_now: float) -> Meter:
    """Take in an answer's headers (names in lower case). A good answer also ends a series of strikes.

    `host_now` is the answer's own date: the host tells its renewal by its own clock, which may differ from ours.
    """
    return replace(_with_headers(meter, headers, now, host_now), strikes=0)


def refuse(meter: Meter, *, headers: Mapping[str, str], now: float, host_now: float, jitter: float) -> Meter:
    """Take in an answer that said "too much". `jitter` (0 to 1) keeps several clients from coming back at once."""
    meter = _with_headers(meter, headers, now, host_now)
    retry_after = _seconds(headers.get("retry-after"))
    if retry_after is not None:
        return replace(meter, blocked_until=now + max(retry_after, MARGIN))
    if meter.remaining == 0 and meter.renews_at is not None and meter.renews_at > now:
        return replace(meter, blocked_until=meter.renews_at)
    strikes = meter.strikes + 1
    block = min(SECOND_BLOCK * 2 ** (strikes - 1), LONGEST_BLOCK)
    return replace(meter, blocked_until=now + block * (1 + jitter / 10), strikes=strikes)


def _with_headers(meter: Meter, headers: Mapping[str, str], now: float, host_now: float) -> Meter:
    limit, remaining = _count(headers.get("x-ratelimit-limit")), _count(headers.get("x-ratelimit-remaining"))
    reset = _seconds(headers.get("x-ratelimit-reset"))
    if remaining is None:
        return meter
    if limit is None:
        limit = meter.limit
    renews_at = None if reset is None else now + (reset - host_now) + MARGIN
    return replace(meter, limit=limit, remaining=remaining, renews_at=renews_at)


def _until_renewal(meter: Meter, now: float) -> float:
    if meter.remaining is None or meter.renews_at is None or meter.renews_at <= now:
        return 0.0
    left = meter.renews_at - now
    if meter.remaining == 0:
        return left
    if meter.limit and meter.remaining < SPREAD_BELOW * meter.limit:
        apart = min(left / (meter.remaining + 1), LONGEST_SPREAD)
        return max(0.0, meter.asked_at + apart - now)
    return 0.0


def _until_next_minute(meter: Meter, now: float) -> float:
    """Spread before the minute is spent, so that nobody comes to a wait that would end their run."""
    over, left = meter.minute_began + MINUTE - now, POINTS_A_MINUTE - meter.minute_spent
    if over <= 0 or left >= SPREAD_BELOW * POINTS_A_MINUTE:
        return 0.0
    return over if left <= 0 else max(0.0, meter.asked_at + over / (left + 1) - now)


def _count(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 12 else None
