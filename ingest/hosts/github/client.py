"""What is GitHub's own about asking it: its two interfaces, its headers, and limits told in good answers.

What is asked is in `host.py`, patience and budgets in `ingest.hosts.asking`.
"""

from collections.abc import Mapping

import orjson

from ingest.hosts.asking import retries
from ingest.hosts.asking.http import Answer
from ingest.hosts.asking.retries import Asker, Question
from ingest.hosts.errors import RefusedError, TooMuchError
from ingest.hosts.payload import Payload

CORE, GRAPHQL = "core", "graphql"
GAVE_UP = (502, 504)
LIMIT_TYPES = ("RATE_LIMITED", "RATE_LIMIT")


class Client:
    """Asks one GitHub, by an `Asker` whose `is_limit` is `says_limited`."""

    def __init__(self, asker: Asker, *, api_url: str, graphql_url: str) -> None:
        self.asker = asker
        self.api_url, self.graphql_url = api_url.rstrip("/"), graphql_url

    @property
    def may_query(self) -> bool:
        """GraphQL is closed to those without a token."""
        return self.asker.has_token

    def get(self, url: str, *, etag: str = "") -> Answer:
        """Ask for an address, following redirects within the host.

        Raises `LimitedError`, `RefusedError` or `UnwellError`; 304 and the 4xx that speak of the thing asked for
        are answers.
        """
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        if etag:
            headers["If-None-Match"] = etag
        return self.asker.get(Question("GET", url, CORE, headers))

    def query(self, query: str, variables: Mapping[str, str | list[str]], *, is_divisible: bool = False) -> Payload:
        """Ask by GraphQL. Returns the answer with `data` and `errors`.

        Raises `TooMuchError` when GitHub gave up on a divisible query, else as `get` does.
        """
        content = orjson.dumps({"query": query, "variables": variables})
        question = Question("POST", self.graphql_url, GRAPHQL, {"Content-Type": "application/json"}, content)
        answer = self.asker.ask(question, accept=GAVE_UP if is_divisible else ())
        if answer.status in GAVE_UP:
            raise TooMuchError(f"GitHub gave up on the query (status {answer.status})")
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise RefusedError(f"GitHub's GraphQL answered with status {answer.status}")
        return Payload(answer.data)


def says_limited(answer: Answer) -> bool:
    """Return whether the answer means "too much"; GraphQL says so in a good answer, too."""
    if retries.says_limited(answer):
        return True
    if answer.status != 200 or not isinstance(answer.data, dict):
        return False
    return any(error.get("type") in LIMIT_TYPES for error in Payload(answer.data).parts("errors"))
