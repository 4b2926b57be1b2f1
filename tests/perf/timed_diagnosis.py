"""Run as a process of its own: diagnoses files on so many cores, and tells what that took, as JSON.

`peak`: MiB that this process and its child had in memory at most, together.
"""

import json
import resource
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import cast

from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.reading.streams import Readable


def main(cores: int, names: Sequence[str]) -> None:
    """Diagnose, and tell."""
    began = time.perf_counter()
    with ExitStack() as opened:
        files = [InputFile(name, cast("Readable", opened.enter_context(Path(name).open("rb")))) for name in names]
        found = read(files, cores=cores)
    scanned = time.perf_counter()
    diagnosis = diagnosed(found)
    ended = time.perf_counter()
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    told = {
        "lines": sum(found.scan.lines),
        "seconds": ended - began,
        "scanning": scanned - began,
        "peak": sum(used) / 1024,
        "verdict": diagnosis.verdict,
        "best": diagnosis.lines[0].text if diagnosis.lines else "",
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
