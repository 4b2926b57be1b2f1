"""The page object of the issue search: a page with facets and what was asked for. Counting is `kb.search`."""

from typing import Any

from django.core import signing
from django.http import QueryDict
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api.paging import MAX_PAGE, MAX_PAGE_SIZE, PAGE_SIZE, WRONG_CURSOR, Paging, whole_number
from kb.api.problems import InvalidParametersError
from kb.search import (
    ANY,
    MAX_CHARACTERS,
    MOST_REACHABLE,
    FacetValue,
    Match,
    SearchResult,
    repairs,
    unknown,
)

# A pasted log of 60 KB would otherwise make an answer of 20 MB.
LINKED_CHARACTERS = 4_000
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}
TEXTS = {"type": "array", "items": TEXT}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


VALUE_SCHEMA = _object(
    {
        "value": TEXT | {"description": "What the filter takes."},
        "label": TEXT | {"description": "What a person reads."},
        "count": NUMBER | {"description": "Results with this value, the other groups' choices kept."},
        "selected": FLAG | {"description": "Is it chosen now?"},
        "toggle_url": {
            "type": ["string", "null"],
            "format": "uri",
            "description": "The same search with it added, or taken away; null where the query string is longer than "
            f"{LINKED_CHARACTERS:,} characters, which hundreds of addresses would repeat.",
        },
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
        "typed": TEXT | {"description": "The word that stands in no issue.", "example": "dedlock"},
        "taken_for": TEXT | {"description": "The word that was looked for in its place.", "example": "deadlock"},
    }
)
QUERY_SCHEMA = _object(
    {
        "text": TEXT | {"description": "The box's text, as it was understood.", "example": "hang in ZeRO-3"},
        "match": TEXT
        | {
            "enum": [match.value for match in Match],
            "example": "some",
            "description": "Do the results have `all` of the `wanted` words or `some`? `none`: no words were looked "
            "for, as with an issue's address or name (`DeepSpeed#860`), which finds that issue alone.",
        },
        "least": NUMBER | {"description": "Every result has so many of the `wanted` words.", "example": 2},
        "wanted": NUMBER | {"description": "Words that were looked for; very common ones are not.", "example": 2},
        "is_close": FLAG
        | {"description": "False: nothing close was found; the results are the nearest there are.", "example": True},
        "message": {
            "type": ["string", "null"],
            "description": "A sentence for a person when nothing close was found, or the issue that the text names is "
            "not the one result; else null.",
            "example": None,
        },
        "repairs": {
            "type": "array",
            "items": REPAIR_SCHEMA,
            "description": "Words that were taken for others.",
            "example": [],
        },
        "unknown": TEXTS | {"description": "Words that stand in no issue.", "example": []},
        "notices": TEXTS | {"description": "Sentences about what was left out of the text.", "example": []},
        "engine": TEXT
        | {
            "description": "Which engine answered: `tantivy`, the search index, or `postgres`, the database.",
            "example": "tantivy",
        },
        "is_fallback": FLAG
        | {"description": "True: the search index is not ready, and the database stood in.", "example": False},
        "facets_late": FLAG
        | {"description": "True: counting the facets took too long; the results are complete.", "example": False},
        "is_degraded": FLAG
        | {
            "description": "True: the database does not answer at the moment, and the search index alone did. The "
            "results are those of its last state; `facets` may be null.",
            "example": False,
        },
    }
)
NOT_SEARCHED: dict[str, Any] = {
    "match": Match.NONE.value, "least": 1, "wanted": 0, "is_close": True, "message": None, "repairs": [],
    "unknown": [], "notices": [], "engine": "postgres", "is_fallback": False, "facets_late": False,
    "is_degraded": False,
}  # fmt: skip
NOTHING = "Nothing matches."
NOTHING_CLOSE = "Nothing close was found. The results share some of the words."


def query_object(result: SearchResult) -> dict[str, Any]:
    """What was looked for, and how the results fit it."""
    return {
        "text": result.query.text,
        "match": result.match.value,
        "least": result.least,
        "wanted": result.wanted,
        "is_close": result.is_close,
        "message": _message(result),
        "repairs": [{"typed": one.typed, "taken_for": one.word} for one in repairs(result)],
        "unknown": unknown(result),
        "notices": result.asked.notices,
        "engine": result.engine,
        "is_fallback": result.is_fallback,
        "facets_late": result.facets_late,
        "is_degraded": result.is_degraded,
    }


def _message(result: SearchResult) -> str | None:
    if result.query.reference:
        return result.reference_note or None
    return None if result.is_close else NOTHING_CLOSE if result.total else NOTHING


def wants_facets(params: QueryDict, *, default: str) -> bool:
    """Are the facets to be counted? Raises `InvalidParametersError` for that and all else that is not a filter's."""
    errors = {}
    if len(params.get("q", "")) > MAX_CHARACTERS:
        errors["q"] = [f"Give at most {MAX_CHARACTERS:,} characters."]
    if params.get("facets", default) not in ("true", "false"):
        errors["facets"] = ["Choose one of: true, false."]
    if params.get("match", ANY) != ANY:
        errors["match"] = [f"Leave it out, or say “{ANY}”: one of the words is enough."]
    if errors:
        raise InvalidParametersError(errors)
    return params.get("facets", default) == "true"


class SearchPaging(Paging):
    """A page with facets and the query, cut by the search itself."""

    default_size = PAGE_SIZE

    def begin(self, request: Request) -> tuple[int, int]:
        """Where the page starts, and how many results it may have. Raises `InvalidParametersError`."""
        self.request = request
        params = request.query_params
        if "cursor" in params and "page" in params:
            raise InvalidParametersError({"cursor": ["Use either “page” or “cursor”, not both."]})
        self.size = whole_number(params, "page_size", default=self.default_size, largest=MAX_PAGE_SIZE)
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

    def answer_to(self, result: SearchResult, rows: list[Any], *, request: Request, with_facets: bool) -> Response:
        """The page object of a search; no cache keeps what was found without the database."""
        facets = facet_objects(result, request) if with_facets else None
        response = self.get_paginated_response(rows, facets=facets, query=query_object(result))
        if result.is_degraded:
            response.headers["Cache-Control"] = "no-store"
        return response

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The page object's schema."""
        page = super().get_paginated_response_schema(schema)
        facets = {
            "type": ["array", "null"],
            "items": GROUP_SCHEMA,
            "description": "What the results could be narrowed to; null when `facets` is false, or "
            "`query.facets_late` true, and possibly where `query.is_degraded` is.",
            "example": None,
        }
        query: dict[str, Any] = QUERY_SCHEMA | {"description": "What was looked for, and how the results fit it."}
        properties = page["properties"] | {"facets": facets, "query": query}
        return _object(properties)


class OnePage(SearchPaging):
    """All that is shown, on the only page."""

    def __init__(self, shown: int) -> None:
        super().__init__()
        self.shown = shown
        self.next = self.previous = None

    def turn(self, total: int) -> None:  # noqa: ARG002
        """There is no other page."""
        self.count = self.shown


def facet_objects(result: SearchResult, request: Request) -> list[dict[str, Any]] | None:
    """The groups as JSON, with absolute links; None where they are not known."""
    if result.facets_late or (result.is_degraded and not result.facets):
        return None
    here = request.build_absolute_uri(request.path)
    linked = len(request.META.get("QUERY_STRING", "")) <= LINKED_CHARACTERS
    return [
        {
            "key": group.key,
            "label": group.label,
            "values": [_value(value, here + value.toggle_url if linked else None) for value in group.values],
        }
        for group in result.facets
    ]


def _value(value: FacetValue, toggle_url: str | None) -> dict[str, Any]:
    return {
        "value": value.value,
        "label": value.label,
        "count": value.count,
        "selected": value.selected,
        "toggle_url": toggle_url,
        "depth": value.depth,
    }
