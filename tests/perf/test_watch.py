"""What watching a run costs, beside `tee` and `script`, and whether a big log passes and is diagnosed.

Run with `make bench ONLY=watch`.
BENCH_WATCH_SECONDS=100 measures the cost for longer, BENCH_LOG_MIB=20 makes the log smaller.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.watch.running import ENVIRONMENT, python, watcher
from tests.perf.big_log import RANKS, multi_rank, write

SECONDS = float(os.environ.get("BENCH_WATCH_SECONDS", "15"))
MIB = int(os.environ.get("BENCH_LOG_MIB", "200"))
RATE, WARM_UP = 2_000, 1.5
TICKS = os.sysconf("SC_CLK_TCK")
# Writes lines one by one, so many a second.
WRITES = python(
    "import os, time\n"
    "began, number = time.monotonic(), 0\n"
    f"while (passed := time.monotonic() - began) < {SECONDS + 2 * WARM_UP}:\n"
    f"    while number < passed * {RATE}:\n"
    "        line = f'[rank{number % 64}]: 2026-03-04 02:00:01,{number % 1000:03} - INFO - step {number // 64} | '\n"
    "        os.write(1, f'{line}loss: 2.{number % 97} | step_time: 0.03s | queue {number % 7}\\n'.encode())\n"
    "        number += 1\n"
    "    time.sleep(0.0005)"
)
# Each rank writes to a file of its own; 13 makes fewer steps than the others, and none ends.
HANGS = (
    "import sys, time\n"
    "from pathlib import Path\n"
    f"files = [Path(sys.argv[1], f'rank{{rank}}.log').open('a') for rank in range({RANKS})]\n"
    "for step in range(int(sys.argv[2])):\n"
    "    for rank, file in enumerate(files):\n"
    "        if rank != 13 or step < int(sys.argv[2]) - 2:\n"
    "            line = f'[rank{rank}]: step {step} | loss: 2.5 | step_time: 0.02s '\n"
    "            file.write(line + 'x' * 2000 + '\\n'); file.flush()\n"
    "    time.sleep(0.002)\n"
    "time.sleep(600)"
)


@pytest.mark.parametrize("name", ["watch", "tee", "script"])
def test_cost_of_many_lines(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "watch":
        share = share_of_core([*watcher("--quiet"), *WRITES])
    elif name == "tee":
        share = share_of_core(["tee", str(tmp_path / "copy")], WRITES)
    elif shutil.which("script"):
        quoted = " ".join(f"'{word}'" for word in WRITES[:2])
        share = share_of_core(["script", "-qfc", f'{quoted} "$WRITES"', str(tmp_path / "copy")])
    else:
        pytest.skip("script is not installed")
    with capsys.disabled():
        print(f"\n{name:7} {RATE:,} lines/s: {share:.2%} of a core, {100 * share:.2f} s in 100 s")  # noqa: T201
    assert name != "watch" or share < 0.03


def test_a_big_log_passes_and_its_failure_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, report = tmp_path / "big.log", tmp_path / "report.json"
    write(log, multi_rank(MIB << 20))
    job = ["sh", "-c", f"cat {log}; exit 3"]
    (alone, _), (watched, code) = passed(job), passed([*watcher("--quiet", "--report", str(report)), *job])
    with log.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == alone[1] == watched[1]
    data = json.loads(report.read_text())
    first = data["lines"][0]
    with capsys.disabled():
        print(f"\n{MIB} MiB of 64 ranks: {alone[0]:.2f} s alone, {watched[0]:.2f} s watched and diagnosed")  # noqa: T201
    assert (code, data["verdict"], data["ranks"][0]["rank"]) == (3, "failure", 13)
    assert "out of memory" in first["text"]
    with log.open("rb") as file:
        assert first["text"].encode() in file.read().splitlines()[first["line"] - 1]


def test_a_hang_of_many_files_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, logs = tmp_path / "report.json", tmp_path / "logs"
    logs.mkdir()
    steps = (MIB << 20) // RANKS // 2_000
    options = ("--min-quiet", "5", "--kill-on-hang", "--quiet", "--report", str(report), "--logs", f"{logs}/*.log")
    began = time.monotonic()
    job = subprocess.run([*watcher(*options), *python(HANGS), str(logs), str(steps)], env=ENVIRONMENT, check=False)
    data = json.loads(report.read_text())
    with capsys.disabled():
        print(f"\na hang of 64 files, {MIB} MiB: told after {time.monotonic() - began:.1f} s in all")  # noqa: T201
    assert (job.returncode, data["symptom"], data["ranks"][0]["rank"]) == (-15, "hang", 13)


def passed(command: Sequence[str]) -> tuple[tuple[float, str], int]:
    """How long it took, the digest of its output, and its exit code."""
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        digest = hashlib.sha256()
        while data := process.stdout.read(1 << 20):
            digest.update(data)
        code = process.wait()
    return (time.monotonic() - began, digest.hexdigest()), code


def share_of_core(command: Sequence[str], source: Sequence[str] = ()) -> float:
    """The share of a core that a process takes while it passes output on, its children's apart."""
    environment = {**ENVIRONMENT, "WRITES": WRITES[-1]}
    feeding = subprocess.Popen(source, stdout=subprocess.PIPE, env=environment) if source else None
    process = subprocess.Popen(
        command, stdin=feeding.stdout if feeding else subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdout is not None
    taking = subprocess.Popen(
        [sys.executable, "-c", "import sys\nwhile sys.stdin.buffer.read1(): pass"], stdin=process.stdout
    )
    process.stdout.close()
    time.sleep(WARM_UP)
    before = used(process.pid)
    time.sleep(SECONDS)
    share = (used(process.pid) - before) / SECONDS
    for each in filter(None, (feeding, process, taking)):
        each.wait()
    return share


def used(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
