"""Asking Gitee: single things, and pages of lists by number. Patience and budgets are in `ingest.hosts.asking`."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from ingest.hosts.asking.http import Answer, Http
from ingest.hosts.asking.meters import Meters
from ingest.hosts.asking.retries import Asker, Counts, Question, message_of
from ingest.hosts.asking.tokens import Tokens
from ingest.hosts.errors import HostError, MissingError, NoIssuesError, UnwellError

RESOURCE = "gitee"
PAGE = 100
# More than any list is long; a host that always names another page must not keep us for ever.
MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a list as sent; `total` is how many there are in all, None when Gitee does not say."""

    items: list[Any]
    is_last: bool
    total: int | None


class Client:
    """Asks Gitee. `patience` is the longest single wait for a limit, in seconds."""

    def __init__(
        self,
        *,
        http: Http,
        tokens: Tokens,
        meters: Meters,
        api_url: str,
        patience: float,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.api_url = api_url.rstrip("/")
        self._asker = Asker(name="Gitee", http=http, tokens=tokens, meters=meters, patience=patience, sleep=sleep)

    @property
    def counts(self) -> Counts:
        """What this client did so far."""
        return self._asker.counts

    @property
    def has_token(self) -> bool:
        """Do we ask as somebody?"""
        return self._asker.has_token

    def find(self, path: str, *, asked: Mapping[str, str] | None = None) -> dict[str, Any] | None:
        """A single thing; None when it is not there. Raises `HostError`s."""
        answer = self._get(path, asked or {})
        if answer.status == 404:
            return None
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise problem(answer, path)
        return answer.data

    def page(self, path: str, *, asked: Mapping[str, str], number: int, size: int = PAGE) -> ListPage:
        """A page of a list. Raises `MissingError` when the list is not there, and other `HostError`s."""
        answer = self._get(path, {**asked, "page": str(number), "per_page": str(size)})
        if answer.status != 200 or not isinstance(answer.data, list):
            raise problem(answer, path)
        pages, total = _told(answer, "total_page"), _told(answer, "total_count")
        is_last = number >= pages if pages is not None else len(answer.data) < size
        return ListPage(answer.data, is_last, total)

    def pages(self, path: str, *, asked: Mapping[str, str]) -> Iterator[ListPage]:
        """All pages of a list, in order. Raises as `page` does."""
        for number in range(1, MOST_PAGES):
            page = self.page(path, asked=asked, number=number)
            yield page
            if page.is_last:
                return
        raise UnwellError("Gitee's list has no end")

    def _get(self, path: str, asked: Mapping[str, str]) -> Answer:
        query = f"?{urlencode(asked)}" if asked else ""
        return self._asker.get(
            Question("GET", f"{self.api_url}{path}{query}", RESOURCE, {"Accept": "application/json"})
        )


def problem(answer: Answer, path: str) -> HostError:
    """What an answer that is none means."""
    name = "/".join(path.split("/")[2:4])
    match answer.status:
        case 404 | 451:
            return MissingError(f"Gitee knows no repository {name}, or hides it from us")
        case 410:
            return NoIssuesError(f"{name} keeps no issues on Gitee")
        case 200:
            return UnwellError("Gitee's answer makes no sense")
        case status:
            return UnwellError(f"Gitee answered with status {status}: {message_of(answer)}")


def _told(answer: Answer, header: str) -> int | None:
    found = answer.headers.get(header, "")
    return int(found) if found.isascii() and found.isdigit() and len(found) < 10 else None
