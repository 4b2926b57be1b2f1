"""Real rows for the documentation, one JSON file each; tests/contracts/test_openapi.py says how to renew them."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.utils import OpenApiExample

HERE = Path(__file__).parent


def example(name: str, keys: Iterable[str], *, status: int = 200) -> OpenApiExample:
    """The kept row `name` with these keys, as the answer with this status."""
    row, title = _read(name), f"A real {name.replace('-', ' ')}"
    value = {key: row.get(key) for key in keys}
    return OpenApiExample(title, value=value, response_only=True, status_codes=[str(status)])


@cache
def _read(name: str) -> Any:
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
