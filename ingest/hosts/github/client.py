"""What is GitHub's own about asking it: its two interfaces, its headers, and limits told in good answers.

What is asked is in `host.py`, patience and budgets in `ingest.hosts.asking`.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from ingest.hosts.asking import retries as asking
from ingest.hosts.asking.http import Answer, Http
from ingest.hosts.asking.meters import Meters
from ingest.hosts.asking.retries import Asker, Counts, Question
from ingest.hosts.asking.tokens import Tokens
from ingest.hosts.errors import RefusedError, TooMuchError

CORE, GRAPHQL = "core", "graphql"
GAVE_UP = (502, 504)


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
        self.api_url, self.graphql_url = api_url.rstrip("/"), graphql_url
        self._asker = Asker(
            name="GitHub", http=http, tokens=tokens, meters=meters, patience=patience, is_limit=says_limited,
            sleep=sleep,
        )  # fmt: skip

    @property
    def counts(self) -> Counts:
        """What this client did so far."""
        return self._asker.counts

    def get(self, url: str, *, etag: str = "") -> Answer:
        """Ask for an address, following redirects within the host.

        Raises `LimitedError`, `RefusedError` or `UnwellError`; 304 and the 4xx that speak of the thing asked for
        are answers.
        """
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if etag:
            headers["If-None-Match"] = etag
        return self._asker.get(Question("GET", url, CORE, headers))

    def query(self, query: str, variables: Mapping[str, object], *, is_divisible: bool = False) -> Mapping[str, Any]:
        """Ask by GraphQL. Returns the answer with `data` and `errors`.

        Raises `TooMuchError` when GitHub gave up on a divisible question, else as `get` does.
        """
        content = orjson.dumps({"query": query, "variables": variables})
        question = Question("POST", self.graphql_url, GRAPHQL, {"Content-Type": "application/json"}, content)
        answer = self._asker.ask(question, accept=GAVE_UP if is_divisible else ())
        if answer.status in GAVE_UP:
            raise TooMuchError(f"GitHub gave up on the question (status {answer.status})")
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise RefusedError(f"GitHub's GraphQL answered with status {answer.status}")
        return answer.data

    @property
    def may_query(self) -> bool:
        """GraphQL is closed to those without a token."""
        return self._asker.has_token


def says_limited(answer: Answer) -> bool:
    """Does the answer mean "too much"? GraphQL says so in a good answer, too."""
    errors = answer.data.get("errors") if answer.status == 200 and isinstance(answer.data, dict) else None
    return asking.says_limited(answer) or (isinstance(errors, list) and any(_is_limit(error) for error in errors))


def _is_limit(error: object) -> bool:
    return isinstance(error, dict) and error.get("type") in ("RATE_LIMITED", "RATE_LIMIT")
