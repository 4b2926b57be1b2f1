"""The calls in docs/watching.md, with launchers that only write where the real ones do, and fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.watch.running import ENVIRONMENT, LONGEST
from tests.docs.markdown import pages
from tests.kb.diagnose.runs import FAILED

EXAMPLES = [
    line for block in pages("docs/watching.md")[0].blocks("sh") for line in block.splitlines() if "faultbook" in line
]
# Where each of the real ones writes what rank 0 says, in the folders that the examples name.
FILES = {
    "torchrun": "logs/none_a1/attempt_0/0/stderr.log",
    "accelerate": "logs/none_a1/attempt_0/0/stderr.log",
    "deepspeed": "logs/20261127_rank0.log",
    "srun": "7_0.log",
    "mpirun": "logs/1/rank.0/stderr",
    "bash": "logs/rank0.log",
}
NAMED = ("--log-dir", "--log_dir", "--enable_each_rank_log", "--output", "--output-filename", "train.sh")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with logs of other runs and, first on the path, the launchers."""
    programs = tmp_path / "programs"
    programs.mkdir()
    log = tmp_path / "failed"
    log.write_text(FAILED)
    for name in [*FILES, "kubectl"]:
        place = FILES.get(name, "")
        words = "|".join(f"*{word}*" for word in NAMED)
        redirected = f'case "$*" in {words}) mkdir -p "$(dirname {place})"; exec > {place};; esac' if place else ""
        programs.joinpath(name).write_text(f"#!/bin/sh\n{redirected}\ncat {log}\n[ {name} = kubectl ] || exit 1\n")
    faultbook = f'#!/bin/sh\nexec {sys.executable} -m faultbook "$@"\n'
    programs.joinpath("faultbook").write_text(faultbook)
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "last-week.log").write_text("step 1 | loss: 2.5\nTraining completed.\n")
    return tmp_path


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_finds_the_failure(example: str, folder: Path) -> None:
    path = f"{folder / 'programs'}{os.pathsep}{ENVIRONMENT['PATH']}"
    told = subprocess.run(
        ["sh", "-c", example.replace("/tmp/", f"{folder}/copy.json")],  # noqa: S108
        cwd=folder,
        env={**ENVIRONMENT, "PATH": path},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert told.returncode == 1
    written = told.stderr + "".join(file.read_text() for file in folder.glob("*.json"))
    assert "CUDA out of memory" in written
    assert ("faultbook: What failed first" in told.stderr) == ("--quiet" not in example)
