"""The page object of the issue search: a page with facets and what was asked for. Counting is `kb.search`."""

from collections.abc import Sequence
from typing import Any

from django.core import signing
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from kb.api.paging import MAX_PAGE, MAX_PAGE_SIZE, PAGE_SIZE, WRONG_CURSOR, Paging, whole_number
from kb.api.problems import InvalidParametersError
from kb.search import MOST_REACHABLE, FacetGroup, FacetValue, Match, SearchResult

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


VALUE_SCHEMA = _object(
    {
        "value": TEXT | {"description": "What the filter takes."},
        "label": TEXT | {"description": "What a person reads."},
        "count": NUMBER | {"description": "Results with this value, the other groups' choices kept."},
        "selected": FLAG | {"description": "Is it chosen now?"},
        "toggle_url": TEXT | {"format": "uri", "description": "The same search with it added, or taken away."},
        "depth": NUMBER | {"description": "Level in the codebook's tree; children follow their parent."},
    }
)
GROUP_SCHEMA = _object(
    {
        "key": TEXT | {"description": "Name of the filter."},
        "label": TEXT | {"description": "What a person reads."},
        "values": {"type": "array", "items": VALUE_SCHEMA, "description": "Its values, most results first."},
    }
)
REPAIR_SCHEMA = _object(
    {
        "typed": TEXT | {"description": "The word that occurs nowhere.", "example": "dedlock"},
        "taken_for": TEXT | {"description": "The word that was looked for in its place.", "example": "deadlock"},
    }
)
QUERY_SCHEMA = _object(
    {
        "text": TEXT | {"description": "The words that were looked for.", "example": "hang in ZeRO-3"},
        "match": TEXT
        | {
            "enum": [match.value for match in Match],
            "example": "some",
            "description": "Do the results have `all` words, `some` of them, or were no words given (`none`)?",
        },
        "is_close": FLAG
        | {"description": "False: nothing close was found; the results are the nearest there are.", "example": True},
        "repairs": {"type": "array", "items": REPAIR_SCHEMA, "description": "Words that were taken for others."},
        "engine": TEXT
        | {
            "description": "Which engine answered; `postgres` stands in while the search index is not ready.",
            "example": "tantivy",
        },
    }
)


def query_object(result: SearchResult) -> dict[str, Any]:
    """What was looked for, and how the results fit it."""
    return {
        "text": result.query.text,
        "match": result.match.value,
        "is_close": result.is_close,
        "repairs": [{"typed": one.typed, "taken_for": one.word} for one in result.plan.repairs],
        "engine": result.engine,
    }


class SearchPaging(Paging):
    """A page with facets and the query, cut by the search itself."""

    def begin(self, request: Request) -> tuple[int, int]:
        """Where the page starts, and how many results it may have. Raises `InvalidParametersError`."""
        self.request = request
        params = request.query_params
        if "cursor" in params and "page" in params:
            raise InvalidParametersError({"cursor": ["Use either “page” or “cursor”, not both."]})
        self.size = whole_number(params, "page_size", default=PAGE_SIZE, largest=MAX_PAGE_SIZE)
        if params.get("cursor"):
            self.start = self._start_of(params["cursor"])
        else:
            self.start = (whole_number(params, "page", default=1, largest=MAX_PAGE) - 1) * self.size
        return self.start, self.size

    def turn(self, total: int) -> None:
        """Say where the pages beside this one are. Raises `NotFound` for a page that is not there."""
        self.count = total
        reachable = min(total, MOST_REACHABLE)
        last, page = max(1, -(-reachable // self.size)), self.start // self.size + 1
        if page > last:
            raise NotFound(f"There is no page {page}: the last one is {last}.")
        with_cursor = "cursor" in self.request.query_params
        self.next = self.previous = None
        if self.start + self.size < reachable:
            after = self._write([self.start + self.size]) if with_cursor else str(page + 1)
            self.next = self._link("cursor" if with_cursor else "page", after)
        if page > 1 and not with_cursor:
            self.previous = self._link("page", str(page - 1))

    def _start_of(self, cursor: str) -> int:
        try:
            (start,) = self._read(cursor)
            return int(start)
        except (signing.BadSignature, ValueError, TypeError) as error:
            raise InvalidParametersError({"cursor": [WRONG_CURSOR]}) from error

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The page object's schema."""
        page = super().get_paginated_response_schema(schema)
        facets = {
            "type": ["array", "null"],
            "items": GROUP_SCHEMA,
            "description": "null unless `facets=true`.",
            "example": None,
        }
        query = QUERY_SCHEMA | {"description": "What was looked for, and how the results fit it."}
        properties = page["properties"] | {"facets": facets, "query": query}
        return _object(properties)


def facet_objects(groups: Sequence[FacetGroup], request: Request) -> list[dict[str, Any]]:
    """The groups as JSON, with absolute links."""
    here = request.build_absolute_uri(request.path)
    return [
        {"key": group.key, "label": group.label, "values": [_value(value, here) for value in group.values]}
        for group in groups
    ]


def _value(value: FacetValue, here: str) -> dict[str, Any]:
    return {
        "value": value.value,
        "label": value.label,
        "count": value.count,
        "selected": value.selected,
        "toggle_url": here + value.toggle_url,
        "depth": value.depth,
    }
