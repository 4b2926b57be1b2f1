"""What the API adds to a diagnosis: a 20 MiB log over HTTP beside the core alone. `make bench ONLY=diagnosis_api`.

Packed, the log is small enough to be answered at once; plain, it becomes a job of a worker.
"""

import gzip
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
from django.conf import settings

from config.embedded.up import processes
from tests.ingest.forking import ROOT
from tests.ingest.small import database_address
from tests.perf.big_log import multi_rank
from tests.perf.serving import at_home
from tests.perf.test_diagnosis import timed

pytestmark = pytest.mark.django_db(transaction=True)
MIB = 1 << 20
SIZE = 20 * MIB
ROUNDS = 5
PATIENCE = 120.0


def test_diagnosing_over_the_api(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "big.log"
    alone = timed(file, SIZE // MIB, multi_rank)["seconds"]
    plain = file.read_bytes()
    packed = gzip.compress(plain)
    with at_home({}) as (port, pid), worker() as worker_pid:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            at_once = best_of(lambda: answered(client, packed))
            as_job = best_of(lambda: made(client, plain))
        memory = [peak(pid), peak(worker_pid)]
    line = (
        f"{SIZE // MIB} MiB of 64 ranks: the core alone {alone:.2f} s, packed and answered at once {at_once:.2f} s "
        f"(at most 1 s), as a job from sending to its result {as_job:.2f} s; "
        f"at most {memory[0]:.0f} MiB in the web server, {memory[1]:.0f} MiB in the worker (at most 300)"
    )
    with capsys.disabled():
        print(f"\n{line}")  # noqa: T201


def best_of(does: Callable[[], object]) -> float:
    """Seconds of the best round."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        does()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def answered(client: httpx.Client, content: bytes) -> None:
    """A diagnosis at once."""
    response = client.post("/api/v1/diagnose", content=content, headers={"Content-Type": "application/gzip"})
    assert response.status_code == 200
    assert response.json()["verdict"] == "failure"


def made(client: httpx.Client, content: bytes) -> None:
    """A diagnosis by a job, looked after every tenth of a second."""
    response = client.post("/api/v1/diagnose", content=content, headers={"Content-Type": "text/plain"})
    assert response.status_code == 202
    until = time.monotonic() + PATIENCE
    while (found := client.get(response.headers["Location"]).json())["state"] in ("waiting", "working"):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert found["result"]["verdict"] == "failure"


@contextmanager
def worker() -> Iterator[int]:
    """A worker as `make up` starts it: its process id."""
    process = subprocess.Popen(
        processes(0)["worker"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_address(), "REDIS_URL": settings.REDIS_URL},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def peak(pid: int) -> float:
    """MiB that the largest of a process and its children has had in memory at most."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    marks = []
    for one in family:
        status = Path(f"/proc/{one.pid}/status").read_text()
        marks += [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")]
    return max(marks)
