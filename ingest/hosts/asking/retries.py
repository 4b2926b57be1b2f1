"""Asking a host patiently: within its limits, again after a failure, with the token that may ask soonest.

What is asked is said in `github` and `gitee`, how a request is sent in `http.py`, how long to wait in `budget.py`.
"""

import random
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ingest.hosts import RequestCounts
from ingest.hosts.asking import budget
from ingest.hosts.asking.http import Answer, BrokenError, Http, redirect_target
from ingest.hosts.asking.meters import Meters
from ingest.hosts.asking.tokens import Token, Tokens
from ingest.hosts.errors import HostError, LimitedError, MissingError, NoIssuesError, RefusedError, UnwellError
from ingest.hosts.payload import Payload

TRIES = 5
FIRST_PAUSE = 0.5
MOST_REDIRECTS = 3
LIMIT_WORDS = ("rate limit", "abuse detection", "too many requests")


@dataclass
class Counts:
    """What was done so far. `budget_left` is what the last answer said remains."""

    requests: int = 0
    not_modified: int = 0
    retries: int = 0
    waited_seconds: float = 0.0
    budget_left: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A request before it is given a token. `resource` is the budget that it draws on."""

    method: str
    url: str
    resource: str
    headers: Mapping[str, str]
    content: bytes | None = None


class _RetryError(Exception):
    """The request may be repeated at once: the budget says when."""


def says_limited(answer: Answer) -> bool:
    """Return whether the answer means "too much", in any of the ways a host says it by its status."""
    if answer.status == 429 or (answer.status == 503 and "retry-after" in answer.headers):
        return True
    if answer.status != 403:
        return False
    if "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0":
        return True
    message = message_of(answer).lower()
    return not message or any(words in message for words in LIMIT_WORDS)


def message_of(answer: Answer) -> str:
    """What the host says about it, shortened; empty when it says nothing."""
    return Payload(answer.data).text("message", most=300) if isinstance(answer.data, dict) else ""


class Asker:
    """Asks one host, called `name` where people read it. `patience` is the longest single wait for a limit, in seconds.

    `is_limit` says which answers mean "too much".
    """

    def __init__(
        self,
        *,
        name: str,
        http: Http,
        tokens: Tokens,
        meters: Meters,
        patience: float,
        is_limit: Callable[[Answer], bool] = says_limited,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.counts = Counts()
        self.name = name
        self._http, self._tokens, self._meters = http, tokens, meters
        self._patience, self._is_limit, self._sleep = patience, is_limit, sleep
        self._refused: set[str] = set()

    @property
    def has_token(self) -> bool:
        """Whether we ask as somebody."""
        return any(token.secret for token in self._tokens.all())

    def counted(self) -> RequestCounts:
        """What was asked so far."""
        counts = self.counts
        return RequestCounts(counts.requests, counts.not_modified, counts.waited_seconds, counts.budget_left)

    def problem(self, answer: Answer, *, repository: str) -> HostError:
        """The error of an answer that should be a repository or a list in it, and is neither."""
        match answer.status:
            case 404 | 451:
                return MissingError(f"{self.name} has no repository {repository}, or hides it from us")
            case 410:
                return NoIssuesError(f"{repository} keeps no issues on {self.name}")
            case 200:
                return UnwellError(f"{self.name}'s response cannot be read")
            case status:
                return UnwellError(f"{self.name} answered with status {status}: {message_of(answer)}")

    def get(self, question: Question) -> Answer:
        """Ask for an address, following redirects within the host. Raises as `ask` does."""
        for _ in range(MOST_REDIRECTS):
            answer = self.ask(question)
            target = redirect_target(answer)
            if not target:
                return answer
            question = Question(question.method, target, question.resource, question.headers)
        raise UnwellError(f"{self.name} redirects in a loop")

    def ask(self, question: Question, *, accept: Collection[int] = ()) -> Answer:
        """Ask until there is an answer; 304 and the 4xx that speak of the thing asked for are answers.

        So are the statuses to `accept`; all others from 500 on are tried again. Raises `LimitedError`,
        `RefusedError` or `UnwellError`.
        """
        failures = 0
        while True:
            try:
                answer = self._once(question)
                if answer.status >= 500 and answer.status not in accept:
                    raise BrokenError(f"it answered with status {answer.status}")
                return answer
            except _RetryError:
                continue
            except BrokenError as error:
                failures += 1
                if failures >= TRIES:
                    raise UnwellError(f"{self.name} is having trouble: {error}, {TRIES} times in a row") from error
                self.counts.retries += 1
                self._pause(FIRST_PAUSE * 2 ** (failures - 1) * random.uniform(0.5, 1.0))  # noqa: S311 no secret

    def _once(self, question: Question) -> Answer:
        """Send once the budget allows it. Raises `_RetryError` when it does not yet, or did not any more."""
        token = self._choose(question.resource)
        with self._meters.hold(token.name, question.resource) as slot:
            now = time.time()
            meter = slot.read()
            seconds = budget.wait(meter, now=now)
            if seconds <= 0:
                meter = budget.spend(meter, now=now)
                slot.write(meter)
                self.counts.requests += 1
                answer = self._http.send(
                    method=question.method, url=question.url, content=question.content,
                    headers={**question.headers, **token.headers},
                )  # fmt: skip
                meter = self._updated(meter, answer)
                slot.write(meter)
        if seconds > 0:
            self._wait_for_limit(seconds, meter)
            raise _RetryError
        self.counts.budget_left = meter.remaining
        if answer.status == 304 and "If-None-Match" not in question.headers:
            raise BrokenError("it answered “not modified” to an unconditional request")
        return self._accept(answer, token)

    def _accept(self, answer: Answer, token: Token) -> Answer:
        """Pass a good answer on; raise what any other calls for."""
        if self._is_limit(answer):
            raise _RetryError
        if answer.status == 401 and token.secret:
            self._refused.add(token.name)
            if any(other.name not in self._refused for other in self._tokens.all()):
                raise _RetryError
        if answer.status in (401, 403):
            raise RefusedError(f"{self.name} refused: {message_of(answer) or f'status {answer.status}'}")
        self.counts.not_modified += answer.status == 304
        return answer

    def _choose(self, resource: str) -> Token:
        """The token that may ask soonest."""
        tokens = [token for token in self._tokens.all() if token.name not in self._refused]
        if not tokens:
            raise RefusedError(f"{self.name} accepts none of our tokens")
        if len(tokens) == 1:
            return tokens[0]
        now = time.time()

        def soonest(token: Token) -> tuple[float, int]:
            with self._meters.hold(token.name, resource) as slot:
                meter = slot.read()
            remaining = 10**6 if meter.remaining is None else meter.remaining
            return budget.wait(meter, now=now), -remaining

        return min(tokens, key=soonest)

    def _updated(self, meter: budget.Meter, answer: Answer) -> budget.Meter:
        """The budget as the answer tells it."""
        now = time.time()
        host_now = answer.moment(now)
        if self._is_limit(answer):
            jitter = random.random()  # noqa: S311 no secret
            return budget.refuse(meter, headers=answer.headers, now=now, host_now=host_now, jitter=jitter)
        if answer.status >= 500:
            return meter
        return budget.learn(meter, headers=answer.headers, now=now, host_now=host_now)

    def _wait_for_limit(self, seconds: float, meter: budget.Meter) -> None:
        if seconds > self._patience or meter.exhausted:
            message = (
                f"{self.name}'s rate limit is reached" if meter.remaining == 0 else f"{self.name} asks us to slow down"
            )
            raise LimitedError(message, resume_at=time.time() + seconds)
        self._pause(seconds)

    def _pause(self, seconds: float) -> None:
        self._sleep(seconds)
        self.counts.waited_seconds += seconds
