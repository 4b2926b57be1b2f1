"""What goes wrong on demand: a fault meets requests by count or chance, and answers them or spoils how they are sent.

    fault = double.faults.add("server_error", count=3, status=502)         # the next three requests
    double.faults.add("cut", probability=0.1, path=r"/issues\\?")           # one in ten pages of issues
    double.faults.add("too_large", ids=25)                                  # until removed
    fault.hits; double.faults.remove(fault); double.faults.clear()

Kinds and their options (with defaults):

    primary_limit    seconds=60 status=403       nothing remains until the reset; also 429, and 200 for GraphQL
    secondary_limit  seconds=60 status=403 retry_after=True bare=False     bare: no header tells of any limit
    server_error     status=502                  also 500, 503, 504; as the proxy's HTML from 502 on
    too_large        ids= nodes= status=502      GraphQL that asks for more ids, or possible values, than this
    resource_limits  ids= nodes=                 the same, answered 200: every node null, RESOURCE_LIMITS_EXCEEDED
    partial          share=0.3 type="SERVICE_UNAVAILABLE" field="" all=False   some nodes (or a field of them) null
    undefined_field  names=[...]                 as on a server that does not know these fields yet
    status           status=404 message=""       any refusal: 401, 403 that is no limit, 404, 409, 410, 451
    unauthorized, feature_disabled, empty_repository     the usual three of them
    not_modified     only_conditional=False      304, asked for or not
    html             status=200                  a page for people
    truncated        at=0.5                      JSON that ends early, its length as told
    cut              at=0.5                      less than the told length, then the connection is closed
    close            -                           closed before any byte
    drip             seconds=0.02                a byte at a time
    stall            seconds=3600 before=False   headers (or nothing), then silence
    churn            items=3 kinds=              changes the repository before each request that it meets
    page_limit       pages=10                    422 for later page numbers; issue lists are linked by cursor
    wrong_etag       -                           an ETag that changes though nothing did
"""

import random
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.github.requests import Request

KINDS = frozenset({
    "primary_limit", "secondary_limit", "server_error", "too_large", "resource_limits", "partial", "undefined_field",
    "status", "unauthorized", "feature_disabled", "empty_repository", "not_modified", "html", "truncated", "cut",
    "close", "drip", "stall", "churn", "page_limit", "wrong_etag",
})  # fmt: skip
# These are conditions rather than accidents: they stand beside whatever else meets a request.
STANDING = frozenset({"churn", "page_limit", "wrong_etag"})
ONLY_GRAPHQL = frozenset({"too_large", "resource_limits", "partial", "undefined_field"})
ONLY_LISTS = {"feature_disabled": re.compile(r"/issues(\?|$)"), "page_limit": re.compile(r"/issues(\?|$)")}


@dataclass
class Fault:
    """One fault. `count`: how many requests it meets at most; `after`: how many it lets pass first."""

    kind: str
    count: int | None = None
    probability: float = 1.0
    after: int = 0
    path: str = ""
    predicate: Callable[[Request], bool] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    hits: int = 0
    passed: int = 0

    def fits(self, request: Request) -> bool:
        """Whether it could meet this request at all."""
        if self.count is not None and self.hits >= self.count:
            return False
        if self.kind in ONLY_GRAPHQL and not (request.is_graphql and self._is_asked_for(request)):
            return False
        if self.kind in ONLY_LISTS and not ONLY_LISTS[self.kind].search(request.target):
            return False
        if self.path and not re.search(self.path, request.target):
            return False
        return self.predicate is None or self.predicate(request)

    def _is_asked_for(self, request: Request) -> bool:
        """Whether a GraphQL request asks for so much, or for such fields, that this fault is about it."""
        if self.kind == "undefined_field":
            return any(name in self.options["names"] for _, name in request.fields)
        if self.kind == "partial":
            return True
        return bool(request.ids > self.options.get("ids", 10**9) or request.nodes > self.options.get("nodes", 10**9))


class Faults:
    """The faults in force. Chance is drawn from a seed."""

    def __init__(self, seed: int = 1) -> None:
        self.rng = random.Random(f"faults {seed}")  # noqa: S311 - the same accidents each time
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(
        self,
        kind: str,
        *,
        count: int | None = None,
        probability: float = 1.0,
        after: int = 0,
        path: str = "",
        predicate: Callable[[Request], bool] | None = None,
        **options: Any,
    ) -> Fault:
        """Put a fault in force. `path` is a pattern searched in path and query. Raises `ValueError` for the kind."""
        if kind not in KINDS:
            raise ValueError(f"no fault is called {kind}")
        fault = Fault(kind, count, probability, after, path, predicate, options)
        with self._lock:
            self._faults.append(fault)
        return fault

    def remove(self, fault: Fault) -> None:
        """Take a fault away; twice does no harm."""
        with self._lock:
            self._faults = [other for other in self._faults if other is not fault]

    def clear(self) -> None:
        """Take all away."""
        with self._lock:
            self._faults = []

    def all(self) -> list[Fault]:
        """Those in force, and those that have met all they were to meet."""
        with self._lock:
            return list(self._faults)

    def standing(self, kind: str) -> Fault | None:
        """A condition that is in force, whatever it has met."""
        return next((fault for fault in self.all() if fault.kind == kind), None)

    def meet(self, request: Request) -> list[Fault]:
        """The faults that meet this request: all fitting conditions, and the first fitting accident."""
        met: list[Fault] = []
        with self._lock:
            for fault in self._faults:
                is_accident = fault.kind not in STANDING
                if is_accident and any(other.kind not in STANDING for other in met):
                    continue
                if fault.fits(request) and self._strikes(fault):
                    met.append(fault)
        return met

    def _strikes(self, fault: Fault) -> bool:
        if fault.passed < fault.after:
            fault.passed += 1
            return False
        if self.rng.random() >= fault.probability:
            return False
        fault.hits += 1
        return True
