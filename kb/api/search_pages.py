"""The page object of the issue search: a page with facets and what was asked for. Counting is `kb.search`."""

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from kb.api.paging import Paging
from kb.search import FacetGroup, FacetValue, Match

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
QUERY_SCHEMA = _object(
    {
        "text": TEXT | {"description": "The words that were looked for.", "example": "hang in ZeRO-3"},
        "match": TEXT
        | {
            "enum": [match.value for match in Match],
            "example": "all",
            "description": "Do the results have `all` words, `any` of them, or were no words given (`none`)?",
        },
    }
)


class SearchPaging(Paging):
    """A page with facets and the query."""

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
