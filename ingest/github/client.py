"""Asking GitHub patiently: within its limits, again after a failure, with the token that may ask soonest.

What is asked is in `host.py`, how a request is sent in `http.py`, how long to wait in `budget.py`.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from ingest.github import budget
from ingest.github.http import Answer, BrokenError, Http, redirect_target
from ingest.github.meters import Meters
from ingest.github.tokens import Token, Tokens
from ingest.host_errors import LimitedError, RefusedError, TooMuchError, UnwellError

TRIES = 5
FIRST_PAUSE = 0.5
MOST_REDIRECTS = 3
CORE, GRAPHQL = "core", "graphql"
LIMIT_WORDS = ("rate limit", "abuse detection", "too many requests")
GAVE_UP = (502, 504)


@dataclass
class Counts:
    """What this client did so far. `budget_left` is what the last answer said remains."""

    requests: int = 0
    not_modified: int = 0
    retries: int = 0
    waited_seconds: float = 0.0
    budget_left: int | None = None


class _GaveUpError(Exception):
    """GitHub gave up on a question that can be asked in parts."""


class _AgainError(Exception):
    """The request may be repeated at once: the budget says when."""


class Client:
    """Asks one GitHub. `patience` is the longest single wait for a limit, in seconds."""

    def __init__(
        self,
        *,
        http: Http,
        tokens: Tokens,
        meters: Meters,
        api_url: str,
        graphql_url: str,
        patience: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.counts = Counts()
        self.api_url, self.graphql_url = api_url.rstrip("/"), graphql_url
        self._http, self._tokens, self._meters = http, tokens, meters
        self._patience, self._sleep = patience, sleep
        self._refused: set[str] = set()

    def get(self, url: str, *, etag: str = "") -> Answer:
        """Ask for an address, following redirects within the host.

        Raises `LimitedError`, `RefusedError` or `UnwellError`; 304 and the 4xx that speak of the thing asked for
        are answers.
        """
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if etag:
            headers["If-None-Match"] = etag
        for _ in range(MOST_REDIRECTS):
            answer = self._ask("GET", url, CORE, headers, None)
            target = redirect_target(answer)
            if not target:
                return answer
            url = target
        raise UnwellError("GitHub sends us round in circles")

    def query(self, query: str, variables: Mapping[str, object], *, is_divisible: bool = False) -> Mapping[str, Any]:
        """Ask by GraphQL. Returns the answer with `data` and `errors`.

        Raises `TooMuchError` when GitHub gave up on a divisible question, else as `get` does.
        """
        content = orjson.dumps({"query": query, "variables": variables})
        headers = {"Content-Type": "application/json"}
        try:
            answer = self._ask("POST", self.graphql_url, GRAPHQL, headers, content, divisible=is_divisible)
        except _GaveUpError as error:
            raise TooMuchError(f"GitHub gave up on the question ({error})") from error
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise RefusedError(f"GitHub's GraphQL answered with status {answer.status}")
        return answer.data

    @property
    def may_query(self) -> bool:
        """GraphQL is closed to those without a token."""
        return any(token.secret for token in self._tokens.all())

    def _ask(
        self,
        method: str,
        url: str,
        resource: str,
        headers: Mapping[str, str],
        content: bytes | None,
        *,
        divisible: bool = False,
    ) -> Answer:
        failures = 0
        while True:
            try:
                answer = self._once(method, url, resource, headers, content)
                if answer.status in GAVE_UP and divisible:
                    raise _GaveUpError(f"status {answer.status}")
                if answer.status >= 500:
                    raise BrokenError(f"it answered with status {answer.status}")
                return answer
            except _AgainError:
                continue
            except BrokenError as error:
                failures += 1
                if failures >= TRIES:
                    raise UnwellError(f"GitHub is not well: {error}, {TRIES} times in a row") from error
                self.counts.retries += 1
                self._pause(FIRST_PAUSE * 2 ** (failures - 1) * random.uniform(0.5, 1.0))  # noqa: S311 no secret

    def _once(self, method: str, url: str, resource: str, headers: Mapping[str, str], content: bytes | None) -> Answer:
        """Send once the budget allows it. Raises `_AgainError` when it does not yet, or did not any more."""
        token = self._choose(resource)
        with self._meters.hold(token.name, resource) as slot:
            now = time.time()
            meter = slot.read()
            seconds = budget.wait(meter, now=now)
            if seconds <= 0:
                slot.write(meter := budget.spend(meter, now=now))
                self.counts.requests += 1
                answer = self._http.send(method=method, url=url, headers={**headers, **token.headers}, content=content)
                meter = _judged(meter, answer)
                slot.write(meter)
        if seconds > 0:
            self._wait_for_limit(seconds, meter)
            raise _AgainError
        self.counts.budget_left = meter.remaining
        if answer.status == 304 and "If-None-Match" not in headers:
            raise BrokenError("it answered “not modified” though we did not ask that")
        return self._sorted(answer, token)

    def _sorted(self, answer: Answer, token: Token) -> Answer:
        """Pass a good answer on; raise what any other calls for."""
        if says_limited(answer):
            raise _AgainError
        if answer.status == 401 and token.secret:
            self._refused.add(token.name)
            if any(other.name not in self._refused for other in self._tokens.all()):
                raise _AgainError
        if answer.status in (401, 403):
            raise RefusedError(f"GitHub refused: {_message(answer) or f'status {answer.status}'}")
        self.counts.not_modified += answer.status == 304
        return answer

    def _choose(self, resource: str) -> Token:
        """The token that may ask soonest."""
        tokens = [token for token in self._tokens.all() if token.name not in self._refused]
        if not tokens:
            raise RefusedError("GitHub does not know any of our tokens (any more)")
        if len(tokens) == 1:
            return tokens[0]
        now = time.time()

        def soonest(token: Token) -> tuple[float, int]:
            with self._meters.hold(token.name, resource) as slot:
                meter = slot.read()
            return budget.wait(meter, now=now), -(meter.remaining if meter.remaining is not None else 10**6)

        return min(tokens, key=soonest)

    def _wait_for_limit(self, seconds: float, meter: budget.Meter) -> None:
        if seconds > self._patience or meter.exhausted:
            message = "GitHub's limit is reached" if meter.remaining == 0 else "GitHub asks us to slow down"
            raise LimitedError(message, resume_at=time.time() + seconds)
        self._pause(seconds)

    def _pause(self, seconds: float) -> None:
        self._sleep(seconds)
        self.counts.waited_seconds += seconds


def says_limited(answer: Answer) -> bool:
    """Does the answer mean "too much", in any of the ways GitHub says it?"""
    if answer.status == 429 or (answer.status == 503 and "retry-after" in answer.headers):
        return True
    if answer.status == 403:
        told = "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0"
        text = _message(answer).lower()
        return told or not text or any(words in text for words in LIMIT_WORDS)
    errors = answer.data.get("errors") if answer.status == 200 and isinstance(answer.data, dict) else None
    return isinstance(errors, list) and any(_is_limit(error) for error in errors)


def _is_limit(error: object) -> bool:
    return isinstance(error, dict) and error.get("type") in ("RATE_LIMITED", "RATE_LIMIT")


def _judged(meter: budget.Meter, answer: Answer) -> budget.Meter:
    now = time.time()
    host_now = answer.moment(now)
    if says_limited(answer):
        jitter = random.random()  # noqa: S311 no secret
        return budget.refuse(meter, headers=answer.headers, now=now, host_now=host_now, jitter=jitter)
    if answer.status >= 500:
        return meter
    return budget.learn(meter, headers=answer.headers, now=now, host_now=host_now)


def _message(answer: Answer) -> str:
    found = answer.data.get("message") if isinstance(answer.data, dict) else None
    return found[:300] if isinstance(found, str) else ""
