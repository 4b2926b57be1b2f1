"""The budgets of each token, and what is answered while one is used up or its owner was too quick.

The primary limits count requests (REST) and points (GraphQL) apart, in windows; a secondary limit stops everything a
token sends. All is counted in the world's seconds, so that moving its clock ends a limit. What is limited and when is
decided here and by `faults`; the server only asks.
"""

import time
from dataclasses import dataclass, field
from math import ceil

from tests.doubles.github.requests import Answer, Request, refusal
from tests.doubles.github.store import Store

PRIMARY = "API rate limit exceeded for user ID 1."
ANONYMOUS = "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"  # noqa: E501
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY_PAGE = "/overview/resources-in-the-rest-api#rate-limiting"
SECONDARY_PAGE = "/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"


@dataclass
class Window:
    """One budget of one token until `resets_at`."""

    limit: int
    resets_at: float
    used: int = 0
    told_empty: bool = False

    @property
    def remaining(self) -> int:
        """What is left."""
        return max(0, self.limit - self.used)


@dataclass
class Block:
    """A limit that is in force: until when, how it is answered, and since when the client knows (monotonic)."""

    until: float
    status: int = 403
    is_secondary: bool = False
    retry_after: bool = True
    bare: bool = False
    graphql_type: str = "RATE_LIMIT"
    told_at: float | None = None


@dataclass
class Limits:
    """What everybody may use in `seconds`. With `enabled` false there are none, as on many an Enterprise server."""

    core: int = 5_000
    graphql: int = 5_000
    anonymous: int = 60
    seconds: float = 3_600
    enabled: bool = True
    windows: dict[tuple[str, str], Window] = field(default_factory=dict)
    blocks: dict[tuple[str, str], Block] = field(default_factory=dict)

    def window(self, world: Store, token: str, resource: str) -> Window:
        """The present budget of a token."""
        now, key = world.clock(), (token, resource)
        window = self.windows.get(key)
        if window is None or window.resets_at <= now:
            limit = (self.graphql if resource == "graphql" else self.core) if token else self.anonymous
            window = self.windows[key] = Window(limit, now + self.seconds)
        return window

    def block(self, world: Store, token: str, resource: str) -> Block | None:
        """The limit in force for a token, if any."""
        for key in ((token, "everything"), (token, resource)):
            block = self.blocks.get(key)
            if block and block.until > world.clock():
                return block
            self.blocks.pop(key, None)
        return None

    def enforce(self, token: str, resource: str, block: Block) -> None:
        """Put a limit in force; a secondary one for everything that the token sends."""
        self.blocks[token, "everything" if block.is_secondary else resource] = block

    def exhaust(self, world: Store, request: Request) -> Block | None:
        """Notice that a budget is used up; returns the limit that is in force from now on."""
        if not self.enabled or request.path == "/rate_limit":
            return None
        window = self.window(world, request.digest, request.resource)
        if window.remaining:
            return None
        block = Block(until=window.resets_at, status=200 if request.is_graphql else 403)
        self.enforce(request.digest, request.resource, block)
        return block

    def charge(self, world: Store, request: Request, cost: int) -> None:
        """Draw on the budget."""
        if self.enabled:
            self.window(world, request.digest, request.resource).used += cost

    def headers(self, world: Store, request: Request, skew: float) -> dict[str, str]:
        """What the answer tells of the budget. `skew` shifts the reset as it shifts the date."""
        if not self.enabled:
            return {}
        window = self.window(world, request.digest, request.resource)
        block = self.block(world, request.digest, request.resource)
        used_up = block is not None and not block.is_secondary
        remaining = 0 if used_up else window.remaining
        window.told_empty = window.told_empty or remaining == 0
        resets_at = block.until if block and used_up else window.resets_at
        return {
            "X-RateLimit-Limit": str(window.limit),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Used": str(window.limit if used_up else window.used),
            "X-RateLimit-Reset": str(self.reset(world, resets_at, skew)),
            "X-RateLimit-Resource": request.resource,
        }

    def reset(self, world: Store, moment: float, skew: float = 0.0) -> int:
        """A moment of the running clock as answers tell it: as far behind their date as is still to wait."""
        ahead = max(0.0, world.newest - world.clock())
        return ceil(moment + ahead + skew)

    def overview(self, world: Store, request: Request) -> Answer:
        """The answer of /rate_limit, which costs nothing."""
        if not self.enabled:
            return refusal(404, "Rate limiting is not enabled.", "/rate-limit/rate-limit")
        resources = {}
        for resource in ("core", "graphql"):
            window = self.window(world, request.digest, resource)
            block = self.block(world, request.digest, resource)
            used_up = block is not None and not block.is_secondary
            resources[resource] = {
                "limit": window.limit,
                "used": window.limit if used_up else window.used,
                "remaining": 0 if used_up else window.remaining,
                "reset": self.reset(world, block.until if block and used_up else window.resets_at),
            }
        return Answer(value={"resources": resources, "rate": resources["core"]}, cost=0)


def limited(world: Store, request: Request, block: Block) -> Answer:
    """What a limited request is answered; from now on its client knows."""
    block.told_at = block.told_at or time.monotonic()
    if block.is_secondary:
        answer = refusal(block.status, SECONDARY, SECONDARY_PAGE)
        if block.retry_after:
            answer.headers["Retry-After"] = str(max(1, ceil(block.until - world.clock())))
        answer.bare = block.bare
    elif request.is_graphql and block.status == 200:
        answer = Answer(value={"errors": [{"type": block.graphql_type, "code": "graphql_rate_limit",
                                           "message": "API rate limit already exceeded for user ID 1."}]})  # fmt: skip
    else:
        answer = refusal(block.status, PRIMARY if request.digest else ANONYMOUS, PRIMARY_PAGE)
    answer.cost = 0
    return answer
