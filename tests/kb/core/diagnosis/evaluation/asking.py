"""The peers' answers, each got from a Python of its own in one run over all jobs."""

import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.kb.core.diagnosis.evaluation.measures import Answer
from tests.kb.core.diagnosis.evaluation.methods import STANDS_FOR, nodes_of
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, LOGS, Truth
from tests.perf.sync_peers import install
from tests.support.wheels import Package, installed

SCRIPT = Path(__file__).with_name("peers.py")
FOREST = "Isolation Forest"
RULES = Path(__file__).with_name("nvidia_rules.py")
NVIDIA = "NVIDIA's rules"
ANALYSER = Path(__file__).with_name("pytorch_analyser.py")
PYTORCH = "PyTorch's analyser"


RULES_PACKAGE = Package("nvrx", "nvidia_resiliency_ext", f"{platform.machine()}-manylinux_2_39")
ANALYSER_PACKAGE = Package("frtrace", "torch/distributed/flight_recorder", "aarch64-apple-darwin")


def peers_answers(truths: Sequence[Truth]) -> dict[str, dict[str, Answer]]:
    """By method and job. Raises `NotInstalledError` where the peers cannot be installed."""
    found: dict[str, dict[str, Answer]] = {FOREST: {}}
    logs = [truth for truth in truths if truth.source != DUMPS]
    for job, told in _asked([str(install()), str(SCRIPT)], logs).items():
        found[FOREST][job] = Answer(nodes=tuple(told["nodes"]))
        for method, lines in told["lines"].items():
            places = tuple((number, line) for number, line in lines)
            found.setdefault(method, {})[job] = Answer(places, frozenset(places[:STANDS_FOR]))
    return found


def rules_answers(truths: Sequence[Truth]) -> dict[str, dict[str, Answer]]:
    """What NVIDIA's rules say. Raises `NotInstalledError`."""
    logs = [truth for truth in truths if truth.source != DUMPS]
    told = _asked([sys.executable, "-I", str(RULES), str(installed(RULES_PACKAGE))], logs)
    return {NVIDIA: {job: _as_answer(answer) for job, answer in told.items()}}


def analyser_answers(truths: Sequence[Truth]) -> dict[str, dict[str, Answer]]:
    """Which ranks PyTorch's analyser misses; it reads dumps alone. Raises `NotInstalledError`."""
    dumps = [truth for truth in truths if truth.source == DUMPS]
    told = _asked([sys.executable, "-I", str(ANALYSER), str(installed(ANALYSER_PACKAGE))], dumps)
    return {PYTORCH: {job: Answer(ranks=tuple(ranks)) for job, ranks in told.items()}}


def _as_answer(told: Mapping[str, Any]) -> Answer:
    """They stand for one line, their primary candidate."""
    places = tuple((number, line) for number, line in told["lines"])
    return Answer(places, frozenset(places[:1]), tuple(told["nodes"]), tuple(told["ranks"]))


def _asked(command: Sequence[str], truths: Sequence[Truth]) -> dict[str, Any]:
    """What a peer's script says of each job, by its id."""
    jobs = [
        {"id": truth.id, "files": truth.files, "healthy": truth.healthy, "nodes": nodes_of(truth.files)}
        for truth in truths
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(jobs, file)
        file.flush()
        done = subprocess.run([*command, str(LOGS), file.name], stdout=subprocess.PIPE, text=True, check=True)
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers
