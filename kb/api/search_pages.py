"""The page object of the issue search: results, facets and the query as it was understood."""

from collections.abc import Sequence

from django.core import signing
from django.http import QueryDict
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.examples import JsonObject
from kb.api.paging import MAX_PAGE, WRONG_CURSOR, Paging, whole_number
from kb.api.problems import InvalidParametersError
from kb.api.search_schema import (
    GROUP_SCHEMA,
    LINKED_CHARACTERS,
    QUERY_SCHEMA,
    FacetRow,
    FacetValueRow,
    QueryRow,
    object_schema,
)
from kb.search import ANY, MAX_CHARACTERS, MOST_REACHABLE, FacetValue, Match, SearchResult, mentioned, repairs, unknown

TOO_LONG = f"Give at most {MAX_CHARACTERS:,} characters."
NOTHING = "Nothing matches."
NOTHING_CLOSE = "Nothing close was found. The results share some of the words."


def query_without_search(text: str, *, facets_late: bool) -> QueryRow:
    """The query of issues that were listed from the database, not searched for."""
    return {
        "text": text, "match": Match.NONE.value, "least": 1, "wanted": 0, "is_close": True, "message": None,
        "repairs": [], "unknown": [], "notices": [], "engine": "postgres", "is_fallback": False,
        "facets_late": facets_late, "is_degraded": False,
    }  # fmt: skip


def query_row(result: SearchResult) -> QueryRow:
    """The query as it was understood, and how well the results match it."""
    return {
        "text": result.query.text,
        "match": result.match.value,
        "least": result.least,
        "wanted": result.wanted,
        "is_close": result.is_close,
        "message": _message(result),
        "repairs": [{"typed": repair.typed, "taken_for": repair.word} for repair in repairs(result)],
        "unknown": unknown(result),
        "notices": [*result.asked.notices, *_mentions(result)],
        "engine": result.engine,
        "is_fallback": result.is_fallback,
        "facets_late": result.facets_late,
        "is_degraded": result.is_degraded,
    }


def _mentions(result: SearchResult) -> list[str]:
    """Of issues that the text names beside other words, whether they are held."""
    return [] if result.is_degraded else [mention.note for mention in mentioned(result.query)]


def _message(result: SearchResult) -> str | None:
    if result.query.reference:
        return result.reference_note or None
    if result.is_close:
        return None
    return NOTHING_CLOSE if result.total else NOTHING


def wants_facets(params: QueryDict, *, default: str) -> bool:
    """Whether to count facets. Raises `InvalidParametersError` for wrong values of `q`, `facets` and `match`."""
    errors = {}
    if len(params.get("q", "")) > MAX_CHARACTERS:
        errors["q"] = [TOO_LONG]
    if params.get("facets", default) not in ("true", "false"):
        errors["facets"] = ["Choose one of: true, false."]
    if params.get("match", ANY) != ANY:
        errors["match"] = [f"Leave it out, or say “{ANY}”: one of the words is enough."]
    if errors:
        raise InvalidParametersError(errors)
    return params.get("facets", default) == "true"


class SearchPaging(Paging):
    """A page with facets and the query; the search itself applies offset and limit."""

    def begin(self, request: Request) -> tuple[int, int]:
        """The page's offset and limit. Raises `InvalidParametersError`."""
        self.read_size(request)
        params = request.query_params
        if params.get("cursor"):
            try:
                (start,) = self._read(params["cursor"])
                self.start = int(start)
            except (signing.BadSignature, ValueError, TypeError) as error:
                raise InvalidParametersError({"cursor": [WRONG_CURSOR]}) from error
        else:
            self.start = (whole_number(params, "page", default=1, largest=MAX_PAGE) - 1) * self.size
        return self.start, self.size

    def turn(self, total: int) -> None:
        """Set the links to the next and previous pages. Raises `NotFound` for a page after the last."""
        self.count = total
        reachable = min(total, MOST_REACHABLE)
        last = max(1, -(-reachable // self.size))
        page = self.start // self.size + 1
        if page > last:
            raise NotFound(f"There is no page {page}: the last one is {last}.")
        with_cursor = "cursor" in self.request.query_params
        self.next = self.previous = None
        if self.start + self.size < reachable:
            if with_cursor:
                self.next = self._link("cursor", self._write([self.start + self.size]))
            else:
                self.next = self._link("page", str(page + 1))
        if page > 1 and not with_cursor:
            self.previous = self._link("page", str(page - 1))

    def answer_to(
        self, result: SearchResult, rows: Sequence[object], *, request: Request, with_facets: bool
    ) -> Response:
        """The page object of a search; results found without the database are not to be cached."""
        facets = facet_rows(result, request) if with_facets else None
        response = self.get_paginated_response(rows, facets=facets, query=query_row(result))
        if result.is_degraded:
            response.headers["Cache-Control"] = "no-store"
        return response

    def get_paginated_response_schema(self, schema: JsonObject) -> JsonObject:
        """The page object's schema."""
        page = super().get_paginated_response_schema(schema)
        facets = {
            "type": ["array", "null"],
            "items": GROUP_SCHEMA,
            "description": "What the results could be narrowed to; null when `facets` is false, or "
            "`query.facets_late` true, and possibly where `query.is_degraded` is.",
            "example": None,
        }
        query = QUERY_SCHEMA | {"description": "What was searched for, and how well the results fit."}
        return object_schema(page["properties"] | {"facets": facets, "query": query})


class OnePage(SearchPaging):
    """The only page, of a fixed number of results."""

    def __init__(self, shown: int) -> None:
        super().__init__()
        self.shown = shown
        self.next = self.previous = None

    def turn(self, total: int) -> None:  # noqa: ARG002
        """Count the results of this page; there is no other."""
        self.count = self.shown


def facet_rows(result: SearchResult, request: Request) -> list[FacetRow] | None:
    """The facets with absolute links; None when they were not counted."""
    if result.facets_late or (result.is_degraded and not result.facets):
        return None
    here: str | None = request.build_absolute_uri(request.path)
    if len(request.META.get("QUERY_STRING", "")) > LINKED_CHARACTERS:
        here = None
    return [
        {
            "key": group.key,
            "label": group.label,
            "values": [_value_row(value, here) for value in group.values],
        }
        for group in result.facets
    ]


def _value_row(value: FacetValue, here: str | None) -> FacetValueRow:
    return {
        "value": value.value,
        "label": value.label,
        "count": value.count,
        "selected": value.selected,
        "toggle_url": None if here is None else here + value.toggle_url,
        "depth": value.depth,
    }
