"""What a backup's folder holds, and what its manifest says: made by what, of what, how many rows, which checksums.

Making and restoring are `dump` and `restore`.
"""

import datetime as dt
import hashlib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MANIFEST = "manifest.json"
DUMP = "database.dump"
PREFIX = "faultbook-"
LARGEST_MANIFEST = 1_000_000
ANOTHER = "Take another backup."


class BackupError(Exception):
    """A backup cannot be made or restored; the text says why, and what to do."""


class Stored(BaseModel):
    """One file of a backup."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    bytes: int
    sha256: str


class Manifest(BaseModel):
    """Everything that must be known of a backup before it is restored."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal[1] = 1
    made_at: dt.datetime
    program: str
    postgresql: int = Field(description="The server's major version.")
    migrations: dict[str, str] = Field(description="The newest of each app.")
    codebooks: dict[str, str] = Field(description="The version of each scheme.")
    tables: dict[str, int] = Field(description="How many rows each has.")
    files: dict[str, Stored]
    left_out: str = "The secret key (SECRET_KEY) is not in here: keep it elsewhere."


def read(folder: Path) -> Manifest:
    """The manifest in a folder. Raises BackupError where there is none, or none that is understood."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            raise BackupError(f"{path} is too large to be a manifest. {ANOTHER}")
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        inside = ", ".join(each.name for each in backups(folder))
        hint = f"It holds backups; name one of them: {inside}." if inside else "Name the folder of a backup."
        raise BackupError(f"{folder} holds no {MANIFEST}. {hint}") from error
    except ValidationError as error:
        raise BackupError(
            f"{path} is damaged, or was written by a newer version of Faultbook. {ANOTHER}\n{error}"
        ) from error


def verify(folder: Path, manifest: Manifest) -> None:
    """Raises BackupError where a file is not what the manifest says."""
    path = folder / DUMP
    if list(manifest.files) != [DUMP]:
        raise BackupError(f"{folder / MANIFEST} names no {DUMP}, or other files. {ANOTHER}")
    if not path.is_file():
        raise BackupError(f"{path} is missing. {ANOTHER}")
    if describe(path) != manifest.files[DUMP]:
        raise BackupError(f"{path} is damaged: its checksum is not the one in {MANIFEST}. {ANOTHER}")


def describe(path: Path) -> Stored:
    """Size and checksum of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return Stored(bytes=path.stat().st_size, sha256=digest.hexdigest())


def backups(root: Path) -> list[Path]:
    """The folders of all backups below `root`, the newest first. What is being made is not among them."""
    return sorted((path.parent for path in root.glob(f"{PREFIX}*/{MANIFEST}")), reverse=True)
