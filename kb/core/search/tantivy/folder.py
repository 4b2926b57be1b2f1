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

from kb.core.search.backend import EngineUnavailableError

CURRENT, MANIFEST, ROWS = "CURRENT", "manifest.json", "rows"


@dataclass(frozen=True)
class Manifest:
    """What an index was made with, which one it is to replace, how far it has come, and its documents when it had."""

    fingerprint: str
    replaces: str
    last_id: int = 0
    documents: int = 0
    is_finished: bool = False


def live(root: Path, fingerprint: str) -> Path:
    """The folder of the index in use."""
    name = current(root)
    if not name:
        raise EngineUnavailableError("There is no search index yet.")
    folder = root / name
    manifest = read_manifest(folder)
    if not manifest or not manifest.is_finished:
        raise EngineUnavailableError("The search index is damaged: its manifest cannot be read.")
    if manifest.fingerprint != fingerprint:
        raise EngineUnavailableError("The search index was made by another version of the program.")
    return folder


def begun(root: Path, fingerprint: str) -> tuple[Path, Manifest] | None:
    """The index that this version of the program began in order to replace the one in use, now or never."""
    for folder in sorted(_others(root)):
        manifest = read_manifest(folder)
        # One that was in use before and is not yet deleted replaced another one.
        if manifest and (manifest.fingerprint, manifest.replaces) == (fingerprint, current(root)):
            return folder, manifest
    return None


def tidy(root: Path) -> None:
    """Delete every index but the one in use."""
    for folder in _others(root):
        shutil.rmtree(folder, ignore_errors=True)


def start(root: Path, fingerprint: str) -> tuple[Path, Manifest]:
    """A new folder for an index, and what its manifest is to say."""
    folder = root / f"{fingerprint}-{uuid4().hex[:8]}"
    (folder / ROWS).mkdir(parents=True)
    return folder, Manifest(fingerprint, current(root))


def make_live(root: Path, folder: Path) -> None:
    """Put the index in the place of the one in use, and delete all others."""
    write_safely(root / CURRENT, folder.name)
    tidy(root)


def current(root: Path) -> str:
    """The name of the folder in use; empty when there is none."""
    try:
        return (root / CURRENT).read_text().strip()
    except (OSError, ValueError):
        return ""


def _others(root: Path) -> list[Path]:
    in_use = current(root)
    return [path for path in root.iterdir() if path.is_dir() and path.name != in_use]


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
