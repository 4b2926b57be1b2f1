"""Pagination of the API's lists: by page number for people, by cursor for programs."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.core import signing
from django.db.models import QuerySet
from django.http import QueryDict
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from kb.api import keyset
from kb.api.examples import JsonObject
from kb.api.problems import InvalidParametersError

PAGE_SIZE = 10
MAX_PAGE_SIZE = 100
MAX_PAGE = 1_000_000
SALT = "kb.api.cursor"
WRONG_CURSOR = "This cursor does not belong to this search. Start again with an empty “cursor=”."
# Parameters that may change from one page of a cursor to the next.
NOT_BOUND = ("cursor", "page_size", "fields", "facets")


class Paging(BasePagination):
    """`page` and `page_size`, or `cursor` and `page_size`; never both."""

    default_size = PAGE_SIZE

    def __init__(self, total: int | None = None) -> None:
        """`total`: the number of rows, when it is known without counting."""
        self.total = total

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any]:  # noqa: ARG002
        """The rows of the requested page. Raises `InvalidParametersError` or `NotFound`."""
        terms = keyset.require_total_order(queryset)
        self.read_size(request)
        params = request.query_params
        self.count: int = queryset.count() if self.total is None else self.total
        if "cursor" in params:
            return self._by_cursor(queryset, terms, params["cursor"])
        return self._by_number(queryset, whole_number(params, "page", default=1, largest=MAX_PAGE))

    def read_size(self, request: Request) -> None:
        """Take `page_size` from the request. Raises `InvalidParametersError`."""
        self.request = request
        params = request.query_params
        if "cursor" in params and "page" in params:
            raise InvalidParametersError({"cursor": ["Use either “page” or “cursor”, not both."]})
        self.size = whole_number(params, "page_size", default=self.default_size, largest=MAX_PAGE_SIZE)

    def _by_number(self, queryset: QuerySet[Any] | Sequence[Any], page: int) -> list[Any]:
        last = max(1, -(-self.count // self.size))
        if page > last:
            raise NotFound(f"There is no page {page}: the last one is {last}.")
        start = (page - 1) * self.size
        self.next = self._link("page", str(page + 1)) if page < last else None
        self.previous = self._link("page", str(page - 1)) if page > 1 else None
        return list(queryset[start : start + self.size])

    def _by_cursor(self, queryset: QuerySet[Any], terms: tuple[keyset.Term, ...], cursor: str) -> list[Any]:
        keyed = keyset.with_keys(queryset)
        try:
            rows = keyset.after(keyed, self._read(cursor)) if cursor else keyed
        except (signing.BadSignature, ValueError, TypeError) as error:
            raise InvalidParametersError({"cursor": [WRONG_CURSOR]}) from error
        page = list(rows[: self.size + 1])
        self.next = self.previous = None
        if len(page) > self.size:
            del page[self.size :]
            self.next = self._link("cursor", self._write(keyset.key_of(page[-1], terms)))
        return page

    def _read(self, cursor: str) -> keyset.Key:
        search, key = signing.loads(cursor, salt=SALT)
        if search != self._search():
            raise signing.BadSignature
        return list(key)

    def _write(self, key: keyset.Key) -> str:
        return signing.dumps([self._search(), key], salt=SALT)

    def _search(self) -> str:
        """A digest of the search that a cursor belongs to."""
        params = sorted((k, v) for k, v in self.request.query_params.lists() if k not in NOT_BOUND)
        return hashlib.sha256(repr((self.request.path, params)).encode()).hexdigest()[:16]

    def _link(self, name: str, value: str) -> str:
        return str(replace_query_param(self.request.build_absolute_uri(), name, value))

    def get_paginated_response(self, data: Any, **extra: Any) -> Response:
        """The page object."""
        page = {"count": self.count, "next": self.next, "previous": self.previous, "results": data}
        return Response(page | extra)

    def get_paginated_response_schema(self, schema: JsonObject) -> JsonObject:
        """The page object's schema."""
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {
            "count": {"type": "integer", "minimum": 0, "description": "Total number of results.", "example": 1},
            "next": link | {"description": "Address of the next page; null on the last one.", "example": None},
            "previous": link
            | {"description": "Address of the page before; null on the first one and with a cursor.", "example": None},
            "results": schema,
        }
        return {"type": "object", "required": list(properties), "properties": properties}


class ListPaging(Paging):
    """`page` and `page_size` of rows that are no table's."""

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any]:  # noqa: ARG002
        """The rows of the requested page. Raises `InvalidParametersError` or `NotFound`."""
        self.read_size(request)
        self.count = len(queryset)
        return self._by_number(queryset, whole_number(request.query_params, "page", default=1, largest=MAX_PAGE))


def whole_number(params: QueryDict, name: str, *, default: int, largest: int, smallest: int = 1) -> int:
    """A number from the query string. Raises `InvalidParametersError`."""
    text = params.get(name, str(default))
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    if not is_number or not smallest <= int(text) <= largest:
        raise InvalidParametersError({name: [f"Give a whole number from {smallest} to {largest}."]})
    return int(text)
