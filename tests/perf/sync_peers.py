"""The other mirrors that ours is measured against: their environment, and one run of each against a double.

They are installed once, from requirements/peers.txt with hashes, into `.data/peers`; what they do is in
`asking_peers.py`, which their own Python runs.
"""

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from config.embedded.install import LOCKS, ROOT, VENV, index_settings
from tests.doubles.github.process import Remote
from tests.support.wheels import NotInstalledError

FOLDER = Path(os.environ.get("BENCH_PEERS", "") or ROOT / ".data" / "peers")
LOCK = LOCKS / "peers.txt"
SCRIPT = Path(__file__).with_name("asking_peers.py")
SECONDS = float(os.environ.get("BENCH_PEER_SECONDS", "120"))
END_SECONDS = 20


@dataclass(frozen=True)
class Told:
    """What a peer has in the end, and what it took."""

    seconds: float
    requests: int
    issues: int
    pull_requests: int
    comments: int
    problem: str


def install() -> Path:
    """Install the peers unless they are; returns their Python. Raises `NotInstalledError`."""
    python, stamp = FOLDER / "bin" / "python", FOLDER / ".installed"
    if stamp.is_file() and stamp.read_bytes() == LOCK.read_bytes():
        return python
    uv = str(VENV / "bin" / "uv")
    # One of them, drain3, is published as source only.
    sync = [uv, "pip", "sync", "--quiet", "--python", str(python), "--require-hashes", str(LOCK)]
    for command in ([uv, "venv", "--quiet", "--clear", "--python", str(VENV / "bin" / "python"), str(FOLDER)], sync):
        done = subprocess.run(command, env=index_settings(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalledError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "uv failed")
    stamp.write_bytes(LOCK.read_bytes())
    return python


def run(peer: str, python: Path, double: Remote, folder: Path) -> Told:
    """Let one peer mirror the double from nothing, for `SECONDS` at most."""
    double.order("reset")
    # With GitHub's limits the peers would wait for hours.
    double.order("fault", {"limits": {"enabled": False}})
    folder.mkdir()
    owner, name = double.repo.split("/")
    command = [str(python), str(SCRIPT), peer, double.root, owner, name, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            said, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            said, _ = _ended(process)
    requests = len(double.asked())
    if not said:
        return Told(SECONDS, requests, 0, 0, 0, "killed, it told nothing")
    has = json.loads(said.splitlines()[-1])
    return Told(has["seconds"], requests, has["issues"], has["pull_requests"], has["comments"], has["problem"])


def _ended(process: "subprocess.Popen[str]") -> tuple[str, str | None]:
    try:
        return process.communicate(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()
