"""The search index of a data file: made once, and kept in the user's cache folder by what it is made from."""

import shutil
import tempfile
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from kb.core.knowledge.file import Members
from kb.core.search.features import regrouped
from kb.core.search.keys import Fields
from kb.core.search.lexicon import checksum
from kb.core.search.tantivy import TantivyBackend, TantivyIndex
from kb.core.search.tantivy.schema import fingerprint
from kb.core.search.values import Document

MEMORY_MB = 50


def opened(folder: Path, members: Members, keys: Fields) -> TantivyBackend:
    """The index of the file with these members, made where there is none yet. Raises `BadDataError` and `OSError`.

    Indexes of other files are deleted. Several processes may make it at the same time: one of them is kept.
    """
    kept = folder / f"index-{members.digest[:16]}-{fingerprint(keys)}-{checksum()}"
    if not kept.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix="making-", dir=folder))
        try:
            _make(made, keys, members)
            for former in folder.glob("index-*"):
                shutil.rmtree(former, ignore_errors=True)
            with suppress(OSError):
                made.rename(kept)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return TantivyBackend(kept, keys)


def _make(folder: Path, keys: Fields, members: Members) -> None:
    has_own_groups = members["about"]["lexicon"] == checksum()
    index = TantivyIndex(folder, MEMORY_MB, keys)
    build = index.build()
    documents = [index.prepare(_document(row, has_own_groups=has_own_groups)) for row in members["documents"]]
    build.add(documents, len(documents))
    build.finish()
    index.close()


def _document(row: Mapping[str, Any], *, has_own_groups: bool) -> Document:
    features = b64decode(row["features"])
    return Document(
        id=row["id"],
        texts=row["texts"],
        values={key: tuple(values) for key, values in row["values"].items()},
        numbers=row["numbers"],
        card=orjson.dumps(row["card"]).decode(),
        features=features if has_own_groups else regrouped(features),
    )
