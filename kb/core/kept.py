"""What takes long to make of the project's own files, kept in the user's cache folder for the next process.

It is of those files as they are: a changed file makes it anew. Nothing of anybody's logs is kept here. Where the folder
cannot be written, it is made each time.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def kept(name: str, files: Sequence[Path], make: Callable[[], Json]) -> Json:
    """What was made of these files before, or is now. `name`: of the one file that holds it."""
    digest = _digest(files)
    place = folder() / f"{name}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads(place.read_bytes())
        if content["digest"] == digest:
            values: Json = content["values"]
            return values
    values = make()
    with suppress(OSError, TypeError, ValueError):
        write(place, json.dumps({"digest": digest, "values": values}))
    return values


def folder() -> Path:
    """Where it is kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "faultbook"


def write(place: Path, text: str) -> None:
    """Put the text there, whole or not at all. Raises `OSError`."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = place.with_name(f"{place.name}.{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(place)


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
