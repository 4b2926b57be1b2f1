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
        """Nothing is set, so nothing can be set wrongly."""
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        """Where the script is; an empty list for any other path, as Django's finders do."""
        if path != f"{FOLDER}/{SCRIPT}":
            return []
        found = str(_folder() / SCRIPT)
        return [found] if find_all else found

    def list(self, _ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        """The script, for collecting."""
        storage = FileSystemStorage(location=_folder())
        # Collecting puts a file below its storage's prefix.
        storage.prefix = FOLDER  # type: ignore[attr-defined]
        yield SCRIPT, storage


@cache
def _folder() -> Path:
    """A folder with the script in it, of a name that changes with whatever it is made of."""
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
    """At one stroke: another process may be looking for it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        file.write(script)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(folder / SCRIPT)
