"""Real rows for the documentation, one JSON file each; tests/contracts/test_openapi.py says how to renew them."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.utils import OpenApiExample

# A JSON object, or a piece of an OpenAPI document, where REST framework or drf-spectacular takes a plain dict.
JsonObject = dict[str, Any]
HERE = Path(__file__).parent


def example(name: str, keys: Iterable[str], *, status: int = 200) -> OpenApiExample:
    """The row in `NAME.json`, reduced to these keys, as the example of an answer with this status."""
    row = _read(name)
    value = {key: row.get(key) for key in keys}
    title = f"A real {name.replace('-', ' ')}"
    return OpenApiExample(title, value=value, response_only=True, status_codes=[str(status)])


@cache
def _read(name: str) -> JsonObject:
    row: JsonObject = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return row
