"""`python -m tests.kb.core.diagnosis.evaluation.background`: makes the bundled background from healthy logs.

Real runs alone: what somebody made up is usual nowhere. The logs stay where they are; digests and counts are written.
"""

import sys
from collections.abc import Iterator

from kb.core.diagnosis.background.model import BUNDLED, built, written
from kb.core.diagnosis.scanning.records import Scan
from tests.kb.core.diagnosis.evaluation.methods import read_files
from tests.kb.core.diagnosis.evaluation.truth import LOGS, Truth, read_truth

REAL = frozenset({"bigscience"})


def healthy_runs(truths: Iterator[Truth], sources: frozenset[str] = REAL) -> Iterator[tuple[str, Scan]]:
    """The judged runs of these sources that went well, each under its own name."""
    return ((one.id, read_files(one.files).scan) for one in truths if one.source in sources and one.verdict == "none")


def main() -> None:
    """Write it, and say of how many runs."""
    if not LOGS.is_dir():
        sys.exit("The judged logs are not here: ../shared/data/logs is needed.")
    made = built(healthy_runs(read_truth()))
    BUNDLED.write_text(written(made))
    sys.stdout.write(f"{len(made.lines)} kinds of lines of {len(made.runs)} healthy runs.\n")


if __name__ == "__main__":
    main()
