"""The peers' answers, each got from a Python of its own in one run over all jobs."""

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.embedded.install import LOCKS, VENV, index_settings
from tests.kb.core.diagnosis.evaluation.measures import Answer
from tests.kb.core.diagnosis.evaluation.methods import STANDS_FOR, nodes_of
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, LOGS, Truth
from tests.perf.sync_peers import FOLDER, NotInstalledError, install

SCRIPT = Path(__file__).with_name("peers.py")
FOREST = "Isolation Forest"
RULES = Path(__file__).with_name("nvidia_rules.py")
NVIDIA = "NVIDIA's rules"
ANALYSER = Path(__file__).with_name("pytorch_analyser.py")
PYTORCH = "PyTorch's analyser"


@dataclass(frozen=True)
class Package:
    """A peer that is plain Python in a wheel for another Python or machine; `kept`: the folder that is wanted of it."""

    name: str
    machine: str
    kept: str

    @property
    def lock(self) -> Path:
        """What is installed, with hashes."""
        return LOCKS / f"{self.name}.txt"


RULES_PACKAGE = Package("nvrx", f"{platform.machine()}-manylinux_2_39", "nvidia_resiliency_ext")
ANALYSER_PACKAGE = Package("frtrace", "aarch64-apple-darwin", "torch/distributed/flight_recorder")


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
    told = _asked([sys.executable, "-I", str(RULES), str(_installed(RULES_PACKAGE))], logs)
    return {NVIDIA: {job: _as_answer(answer) for job, answer in told.items()}}


def analyser_answers(truths: Sequence[Truth]) -> dict[str, dict[str, Answer]]:
    """Which ranks PyTorch's analyser misses; it reads dumps alone. Raises `NotInstalledError`."""
    dumps = [truth for truth in truths if truth.source == DUMPS]
    told = _asked([sys.executable, "-I", str(ANALYSER), str(_installed(ANALYSER_PACKAGE))], dumps)
    return {PYTORCH: {job: Answer(ranks=tuple(ranks)) for job, ranks in told.items()}}


def _as_answer(told: Mapping[str, Any]) -> Answer:
    """They stand for one line, their primary candidate."""
    places = tuple((number, line) for number, line in told["lines"])
    return Answer(places, frozenset(places[:1]), tuple(told["nodes"]), tuple(told["ranks"]))


def _installed(package: Package) -> Path:
    """The folder that the package lies in."""
    folder = FOLDER.with_name(package.name)
    stamp = folder / ".installed"
    if stamp.is_file() and stamp.read_bytes() == package.lock.read_bytes():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as whole:
        uv = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        wheel = ["--python-version", "3.12", "--python-platform", package.machine]
        command = [*uv, *wheel, "--target", whole, "-r", str(package.lock)]
        done = subprocess.run(command, env=index_settings(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalledError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "uv failed")
        shutil.copytree(Path(whole) / package.kept, folder / package.kept)
    stamp.write_bytes(package.lock.read_bytes())
    return folder


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
