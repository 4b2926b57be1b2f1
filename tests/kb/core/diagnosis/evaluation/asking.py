"""The peers' answers, got from their own Python in one run over all jobs."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.kb.core.diagnosis.evaluation.measures import Answer
from tests.kb.core.diagnosis.evaluation.methods import STANDS_FOR, nodes_of
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, LOGS, Truth
from tests.perf.sync_peers import install

SCRIPT = Path(__file__).with_name("peers.py")
FOREST = "Isolation Forest"


def peers_answers(truths: Sequence[Truth]) -> dict[str, dict[str, Answer]]:
    """By method and job. Raises `NotInstalledError` where the peers cannot be installed."""
    python = install()
    jobs = [
        {"id": one.id, "files": one.files, "healthy": one.healthy, "nodes": nodes_of(one.files)}
        for one in truths
        if one.source != DUMPS
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(jobs, file)
        file.flush()
        command = [str(python), str(SCRIPT), str(LOGS), file.name]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, dict[str, Answer]] = {FOREST: {}}
    for job, told in json.loads(said).items():
        found[FOREST][job] = Answer(nodes=tuple(told["nodes"]))
        for method, lines in told["lines"].items():
            places = tuple((number, line) for number, line in lines)
            found.setdefault(method, {})[job] = Answer(places, frozenset(places[:STANDS_FOR]))
    return found
