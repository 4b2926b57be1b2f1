"""Run alone: what the rules of NVIDIA's resiliency extension (its restart agent's L0) say of each job, as JSON.

Knows nothing of Faultbook. The package's parents import much that is not needed here, and are stepped over.
"""

import gzip
import json
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "nvidia_resiliency_ext"
PARENTS = (PACKAGE, f"{PACKAGE}.attribution")


def rules(folder: Path) -> Any:
    """The module of the rules."""
    for name in PARENTS:
        parent = ModuleType(name)
        parent.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = parent
    return import_module(f"{PACKAGE}.attribution.restart_agent.l0")


def answer(l0: Any, job: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """The job's files as one log: its primary candidate, what else the rules match, and where that was."""
    texts = [text_of(root / name) for name in job["files"]]
    starts = [0, *accumulate(text.count("\n") for text in texts)]
    with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
        file.write("".join(texts))
        file.flush()
        bundle = l0.build_l0_bundle(file.name)
    decision = l0.build_decision_evidence(bundle)
    primary = decision.deterministic_primary_candidate
    matches = [*bundle.cause_confirmations, *bundle.registry_matches, *bundle.candidate_anchors]
    lines = dict.fromkeys(match.line for match in ([primary] if primary else []) + matches if match.line)
    locality = decision.to_payload()["locality"]
    return {
        "lines": [place(starts, line) for line in lines],
        "nodes": [locality["node"]] if locality["node"] else [],
        "ranks": [locality["rank"]] if locality["rank"] else [],
    }


def text_of(path: Path) -> str:
    """A log, ended by a line's end."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.endswith(".gz") else content).decode("utf-8", "replace")
    return text if text.endswith("\n") else f"{text}\n"


def place(starts: Sequence[int], line: int) -> tuple[int, int]:
    """Which file, and which line of it."""
    number = bisect_right(starts, line - 1) - 1
    return number, line - starts[number]


def main(folder: str, root: str, jobs: str) -> None:
    """Answer every job of the file."""
    l0 = rules(Path(folder))
    asked = json.loads(Path(jobs).read_text())
    json.dump({job["id"]: answer(l0, job, Path(root)) for job in asked}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
