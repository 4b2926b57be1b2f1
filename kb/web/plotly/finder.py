"""Finds Plotly's script among the static files: cut once from the installed package, and kept with the site's data."""

import hashlib
import logging
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

from kb.web.plotly import cut

TRACES = ("bar", "heatmap", "sankey", "scatter")
FOLDER, SCRIPT = "plotly", "plotly.min.js"

logger = logging.getLogger(__name__)


class PlotlyFinder(BaseFinder):
    """`plotly/plotly.min.js`, and nothing else."""

    def check(self, **_: Any) -> list[Any]:
        """No settings, no errors."""
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        """The script's file; an empty list for any other path, as Django's finders do."""
        if path != f"{FOLDER}/{SCRIPT}":
            return []
        script = str(_folder() / SCRIPT)
        return [script] if find_all else script

    def list(self, _ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        """The script and its storage, for `collectstatic`."""
        storage = FileSystemStorage(location=_folder())
        # Collecting puts a file below its storage's prefix.
        storage.prefix = FOLDER  # type: ignore[attr-defined]
        yield SCRIPT, storage


@cache
def _folder() -> Path:
    """The folder of the script, whose name changes with the package, the way of cutting and the kinds of traces."""
    whole = Path(str(files("plotly"))) / "package_data" / SCRIPT
    made_of = hashlib.sha256(whole.read_bytes() + Path(cut.__file__).read_bytes() + repr(TRACES).encode())
    folder = Path(settings.DATA_DIR) / FOLDER / made_of.hexdigest()[:12]
    try:
        if not (folder / SCRIPT).exists():
            _write(folder, cut.cut(whole.read_bytes(), TRACES))
    except (cut.UnknownBundleError, OSError) as error:
        logger.warning("Plotly's script is served whole, which is slower: %s", error)
        return whole.parent
    return folder


def _write(folder: Path, script: bytes) -> None:
    """Write by renaming: another process may be reading."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(script)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(folder / SCRIPT)
