"""Run as a process of its own: diagnoses the file that is its argument, and tells what that took, as JSON.

`peak`: MiB that the process had in memory at most.
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import cast

from kb.diagnosis.diagnosing import Given, diagnosed, read
from kb.diagnosis.reading.streams import Readable


def main(name: str) -> None:
    """Diagnose, and tell."""
    began = time.perf_counter()
    with Path(name).open("rb") as file:
        found = read([Given(name, cast("Readable", file))])
    scanned = time.perf_counter()
    diagnosis = diagnosed(found)
    ended = time.perf_counter()
    told = {
        "lines": sum(found.scan.lines),
        "seconds": ended - began,
        "scanning": scanned - began,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "verdict": diagnosis.verdict,
        "best": diagnosis.lines[0].text if diagnosis.lines else "",
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1])
