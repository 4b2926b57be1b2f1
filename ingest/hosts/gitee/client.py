"""Asking Gitee: single things, and pages of lists by number. Patience and budgets are in `ingest.hosts.asking`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from ingest.hosts.asking.http import Answer
from ingest.hosts.asking.retries import Asker, Question
from ingest.hosts.errors import HostError, UnwellError

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
    """Asks Gitee."""

    def __init__(self, asker: Asker, *, api_url: str) -> None:
        self.asker = asker
        self.api_url = api_url.rstrip("/")

    def find(self, path: str) -> object | None:
        """A single thing as a JSON object; None when it is not there. Raises `HostError`s."""
        answer = self._get(path, {})
        if answer.status == 404:
            return None
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise self._problem(answer, path)
        return answer.data

    def page(self, path: str, parameters: Mapping[str, str], *, number: int, size: int = PAGE) -> ListPage:
        """A page of a list. Raises `MissingError` when the list is not there, and other `HostError`s."""
        answer = self._get(path, {**parameters, "page": str(number), "per_page": str(size)})
        if answer.status != 200 or not isinstance(answer.data, list):
            raise self._problem(answer, path)
        pages, total = _count(answer, "total_page"), _count(answer, "total_count")
        is_last = number >= pages if pages is not None else len(answer.data) < size
        return ListPage(answer.data, is_last, total)

    def items(self, path: str, **parameters: str) -> Iterator[Any]:
        """Everything in a list, in order. Raises as `page` does."""
        for page in self.pages(path, **parameters):
            yield from page.items

    def pages(self, path: str, **parameters: str) -> Iterator[ListPage]:
        """All pages of a list, in order. Raises as `page` does."""
        for number in range(1, MOST_PAGES):
            page = self.page(path, parameters, number=number)
            yield page
            if page.is_last:
                return
        raise UnwellError("Gitee's list has no end")

    def _get(self, path: str, parameters: Mapping[str, str]) -> Answer:
        query = f"?{urlencode(parameters)}" if parameters else ""
        return self.asker.get(Question("GET", f"{self.api_url}{path}{query}", RESOURCE, {"Accept": "application/json"}))

    def _problem(self, answer: Answer, path: str) -> HostError:
        return self.asker.problem(answer, repository="/".join(path.split("/")[2:4]))


def _count(answer: Answer, header: str) -> int | None:
    text = answer.headers.get(header, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
