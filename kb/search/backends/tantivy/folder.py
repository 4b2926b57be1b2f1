"""Where indexes lie on disk: one folder per index, and a small file that names the one in use.

`CURRENT` is replaced in one step, so readers see the old index or the new one. A manifest is written after the commit
that it speaks of: what it says is in the index is in the index, whenever the process may have died.
"""

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from kb.search.backends.base import EngineUnavailableError
from kb.search.backends.tantivy.schema import fingerprint

CURRENT, MANIFEST, ROWS = "CURRENT", "manifest.json", "rows"


@dataclass(frozen=True)
class Manifest:
    """What an index was made with, how far it has come, and how many documents it then had."""

    fingerprint: str
    last_id: int = 0
    documents: int = 0
    is_finished: bool = False


def live(root: Path) -> Path:
    """The folder of the index in use."""
    try:
        folder = root / (root / CURRENT).read_text().strip()
    except (OSError, ValueError) as error:
        raise EngineUnavailableError("There is no search index yet.") from error
    manifest = read_manifest(folder)
    if not manifest or not manifest.is_finished:
        raise EngineUnavailableError("The search index is damaged: its manifest cannot be read.")
    if manifest.fingerprint != fingerprint():
        raise EngineUnavailableError("The search index was made by another version of the program.")
    return folder


def unfinished(root: Path) -> Path | None:
    """The folder of an index that was begun by this version and not finished; all other left-overs are deleted."""
    current = (root / CURRENT).read_text().strip() if (root / CURRENT).is_file() else ""
    begun = None
    for folder in sorted(path for path in root.iterdir() if path.is_dir() and path.name != current):
        manifest = read_manifest(folder)
        if begun is None and manifest and manifest.fingerprint == fingerprint():
            begun = folder
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return begun


def forget_unfinished(root: Path) -> None:
    """Delete whatever was begun and not finished."""
    while begun := unfinished(root):
        shutil.rmtree(begun)


def start(root: Path) -> Path:
    """A new folder for an index."""
    folder = root / f"{fingerprint()}-{uuid4().hex[:8]}"
    (folder / ROWS).mkdir(parents=True)
    return folder


def make_live(root: Path, folder: Path) -> None:
    """Put the index in the place of the one in use, and delete all others."""
    write_safely(root / CURRENT, folder.name)
    for other in root.iterdir():
        if other.is_dir() and other != folder:
            shutil.rmtree(other, ignore_errors=True)


def read_manifest(folder: Path) -> Manifest | None:
    """What the manifest says; None when there is none or it cannot be read."""
    try:
        return Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest down for good."""
    write_safely(folder / MANIFEST, json.dumps(asdict(manifest)))


def write_safely(path: Path, text: str) -> None:
    """Replace a file in one step, on the disk before this returns."""
    draft = path.with_name(path.name + ".new")
    with draft.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
