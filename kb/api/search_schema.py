"""The shape of the search's page object: the types of its parts, and their schemas for the OpenAPI document."""

from collections.abc import Sequence
from typing import TypedDict

from kb.api.examples import JsonObject
from kb.search import Match
from kb.starter import example

# A pasted log of 60 KB would otherwise make an answer of 20 MB.
LINKED_CHARACTERS = 4_000
TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}
TEXTS = {"type": "array", "items": TEXT}


class FacetValueRow(TypedDict):
    """A facet's value; `VALUE_SCHEMA` documents it."""

    value: str
    label: str
    count: int
    selected: bool
    toggle_url: str | None
    depth: int


class FacetRow(TypedDict):
    """A facet; `GROUP_SCHEMA` documents it."""

    key: str
    label: str
    values: list[FacetValueRow]


class RepairRow(TypedDict):
    """A corrected word; `REPAIR_SCHEMA` documents it."""

    typed: str
    taken_for: str


class QueryRow(TypedDict):
    """The query as it was understood; `QUERY_SCHEMA` documents it."""

    text: str
    match: str
    least: int
    wanted: int
    is_close: bool
    message: str | None
    repairs: list[RepairRow]
    unknown: Sequence[str]
    notices: Sequence[str]
    engine: str
    is_fallback: bool
    facets_late: bool
    is_degraded: bool


def object_schema(properties: JsonObject) -> JsonObject:
    """The schema of an object that has all of these keys."""
    return {"type": "object", "required": list(properties), "properties": properties}


VALUE_SCHEMA = object_schema(
    {
        "value": TEXT | {"description": "Value for the filter."},
        "label": TEXT | {"description": "Display text."},
        "count": NUMBER | {"description": "Results with this value, the other groups' choices kept."},
        "selected": FLAG | {"description": "Is it selected?"},
        "toggle_url": {
            "type": ["string", "null"],
            "format": "uri",
            "description": "The same search with it added, or taken away; null where the query string is longer than "
            f"{LINKED_CHARACTERS:,} characters, which hundreds of addresses would repeat.",
        },
        "depth": NUMBER | {"description": "Level in the codebook's tree; children follow their parent."},
    }
)
GROUP_SCHEMA = object_schema(
    {
        "key": TEXT | {"description": "Name of the filter."},
        "label": TEXT | {"description": "Display text."},
        "values": {"type": "array", "items": VALUE_SCHEMA, "description": "Its values, most results first."},
    }
)
REPAIR_SCHEMA = object_schema(
    {
        "typed": TEXT | {"description": "The word found in no issue.", "example": "dedlock"},
        "taken_for": TEXT | {"description": "The word searched for instead.", "example": "deadlock"},
    }
)
QUERY_SCHEMA = object_schema(
    {
        "text": TEXT | {"description": "The box's text, as it was understood.", "example": "hang in ZeRO-3"},
        "match": TEXT
        | {
            "enum": [match.value for match in Match],
            "example": "some",
            "description": "Do the results have `all` of the `wanted` words or `some`? `none`: no words were looked "
            f"for, as with an issue's address or name (`{example.NAME}`), which finds that issue alone.",
        },
        "least": NUMBER | {"description": "Every result has at least this many of the `wanted` words.", "example": 2},
        "wanted": NUMBER | {"description": "Words searched for; very common ones are ignored.", "example": 2},
        "is_close": FLAG
        | {"description": "False: nothing close was found; the results are the nearest ones.", "example": True},
        "message": {
            "type": ["string", "null"],
            "description": "A sentence for a person when nothing close was found, or the issue that the text names is "
            "not the one result; else null.",
            "example": None,
        },
        "repairs": {
            "type": "array",
            "items": REPAIR_SCHEMA,
            "description": "Words that were corrected.",
            "example": [],
        },
        "unknown": TEXTS | {"description": "Words found in no issue.", "example": []},
        "notices": TEXTS | {"description": "Notes on what was ignored in the text.", "example": []},
        "engine": TEXT
        | {
            "description": "Which engine answered: `tantivy`, the search index, or `postgres`, the database.",
            "example": "tantivy",
        },
        "is_fallback": FLAG
        | {"description": "True: the search index is not ready, and the database answered instead.", "example": False},
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
