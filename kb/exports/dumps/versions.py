"""The versions of the dump below a folder, the newest first, and their files."""

import re
from dataclasses import dataclass
from pathlib import Path

from kb.exports.dumps.described import CHECKSUMS

LATEST = "latest"
NAME = re.compile(r"\d{4}-\d{2}-\d{2}-codebook-[\w.]+", re.ASCII)
# The parts of a path in a version: nothing hidden, and nothing that leads out of it.
FILE = re.compile(r"(?:[a-z0-9]+/)?[A-Za-z0-9][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class DumpFile:
    """A file of a version."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class DumpVersion:
    """A version that is whole."""

    folder: Path

    @property
    def name(self) -> str:
        """Its day, and the version of the codebook."""
        return self.folder.name

    @property
    def files(self) -> list[DumpFile]:
        """Its files with their checksums."""
        files = []
        for line in (self.folder / CHECKSUMS).read_text("utf-8").splitlines():
            digest, _, name = line.partition("  ")
            files.append(DumpFile(name, (self.folder / name).stat().st_size, digest))
        return files

    @property
    def size(self) -> int:
        """The size of all files together."""
        return sum(file.size for file in self.files)


def versions_in(root: Path) -> list[DumpVersion]:
    """The versions below `root`, the newest first."""
    if not root.is_dir():
        return []
    folders = (path for path in root.iterdir() if NAME.fullmatch(path.name) and (path / CHECKSUMS).is_file())
    return [DumpVersion(folder) for folder in sorted(folders, reverse=True)]


def file_in(root: Path, version: str, name: str) -> Path | None:
    """The path of a version's file; None where there is none. `latest` is the newest version."""
    if not FILE.fullmatch(name) or not (version == LATEST or NAME.fullmatch(version)):
        return None
    path = root / version / name
    return path if path.is_file() else None
