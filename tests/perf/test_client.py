"""What the client takes from its start to its answer: importing it, diagnosing a small log, searching, checking.

Seconds of a processor, since other work may share the machine; the best of five, with what is kept in the cache folder.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from config.embedded.layout import ROOT
from tests.client.conftest import data_file
from tests.kb.check.faults import FREEZE
from tests.kb.diagnose.runs import FAILED

__all__ = ["data_file"]
RUNS = 5
MOST_IMPORT = 0.15
PROGRAM = """
import sys
from pathlib import Path
from faultbook import data
data.SHIPPED = Path(sys.argv[1])
from faultbook.__main__ import main
main(sys.argv[2:])
"""
MOST = {"diagnose job.log": 1.5, "search hang in ZeRO-3": 0.8, "check pip-freeze.txt": 0.8}


@pytest.mark.django_db
def test_the_client_starts_quickly(data_file: Path, tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(FAILED)
    (tmp_path / "pip-freeze.txt").write_text(FREEZE)
    empty, imported = _best(tmp_path, "-c", ""), _best(tmp_path, "-c", "import faultbook")
    print(f"Python alone {1000 * empty:.0f} ms, with faultbook {1000 * imported:.0f} ms")  # noqa: T201
    taken = {call: _best(tmp_path, "-c", PROGRAM, str(data_file), *call.split()) for call in MOST}
    for call, seconds in taken.items():
        print(f"faultbook {call}: {1000 * seconds:.0f} ms")  # noqa: T201
    assert imported - empty <= MOST_IMPORT
    assert {call: seconds for call, seconds in taken.items() if seconds > MOST[call]} == {}


def _best(folder: Path, *arguments: str) -> float:
    """Seconds of a processor of the quickest of several processes."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'client'}:{ROOT}", "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)
