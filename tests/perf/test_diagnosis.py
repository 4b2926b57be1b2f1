"""How fast logs are diagnosed, beside drain3 alone in the same run. Run with `make bench ONLY=diagnosis`.

BENCH_LOG_MIB=100 makes the big log smaller.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.perf.big_log import multi_rank, plain, write
from tests.perf.sync_peers import install
from tests.support.wheels import NotInstalledError

MIB = 1 << 20
BIG = int(os.environ.get("BENCH_LOG_MIB", "1024"))
SMALL, FAST = 20, 200
FILES = 8
DRAINED = 200_000
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROUNDS = 5


def test_diagnosing_big_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        for line in table(tmp_path):
            print(line, flush=True)  # noqa: T201


def test_the_command_on_a_small_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "job.log"
    log.write_text("step 1 | loss: 2.5\n[rank3]: torch.OutOfMemoryError: CUDA out of memory.\n")
    took = sorted(processor_seconds("diagnose", str(log), "--offline") for _ in range(ROUNDS))
    with capsys.disabled():
        print(f"\nthe command on a log of 2 lines    {took[ROUNDS // 2]:.2f} s of processor time   (at most 0.6 s)")  # noqa: T201


def processor_seconds(*arguments: str) -> float:
    """What a command took, in user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, str(ROOT / "manage.py"), *arguments], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(folder: Path) -> list[str]:
    """Time each log in a process of its own."""
    big = timed(folder / "big.log", BIG, multi_rank)
    fast = timed(folder / "plain.log", FAST, plain)
    lines = [
        "",
        row(f"{BIG} MiB, 64 ranks, end to end", big, "at least 150,000; at most 300 MiB"),
        *shared(folder),
        row(f"{SMALL} MiB, 64 ranks", timed(folder / "small.log", SMALL, multi_rank), "at most 1 s"),
        row(f"{FAST} MiB of plain lines", fast, "at least 500,000"),
    ]
    try:
        return [
            *lines,
            *beside("64 ranks", big, folder / "big.log"),
            *beside("plain lines", fast, folder / "plain.log"),
        ]
    except NotInstalledError as problem:
        return [*lines, f"drain3 cannot be installed here: {problem}"]


def beside(name: str, told: dict[str, Any], file: Path) -> Iterator[str]:
    """drain3 alone on the beginning of the same log, beside our whole diagnosis of it."""
    ours = told["lines"] / told["seconds"]
    for how, rate in drained(file).items():
        yield f"{name}, drain3 alone, {how:8} {rate:10,.0f} lines/s   Faultbook: {ours / rate:.1f} times as fast"


def timed(file: Path, mib: int, kind: Any) -> dict[str, Any]:
    """What a diagnosis of a log of this kind took."""
    write(file, kind(mib * MIB))
    told = measured(1, file)
    assert (told["verdict"] == "failure") == (kind is multi_rank)
    assert kind is not multi_rank or "out of memory" in told["best"]
    return told


def shared(folder: Path) -> Iterator[str]:
    """As much in several files, on one core and on two."""
    files = [folder / f"{number}.log" for number in range(FILES)]
    for file in files:
        write(file, multi_rank(BIG * MIB // FILES))
    one, two = measured(1, *files), measured(2, *files)
    assert (one["lines"], one["best"]) == (two["lines"], two["best"])
    yield row(f"the like in {FILES} files, one core", one, "")
    yield row(f"the like in {FILES} files, two cores", two, f"{one['seconds'] / two['seconds']:.1f} times as fast")


def measured(cores: int, *files: Path) -> dict[str, Any]:
    """What a diagnosis of these files took."""
    told: dict[str, Any] = json.loads(
        output([sys.executable, "-m", "tests.perf.timed_diagnosis", str(cores), *map(str, files)])
    )
    return told


def drained(file: Path) -> dict[str, float]:
    """Lines per second of drain3 on the beginning of the same log."""
    rates: dict[str, float] = json.loads(
        output([str(install()), str(HERE / "timed_drain.py"), str(file), str(DRAINED)])
    )
    return rates


def output(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def row(name: str, told: dict[str, Any], target: str) -> str:
    """A line of the table."""
    rate = told["lines"] / told["seconds"]
    return (
        f"{name:34} {told['lines']:11,} lines {told['seconds']:7.2f} s {rate:10,.0f} lines/s "
        f"{told['peak']:5.0f} MiB" + (f"   ({target})" if target else "")
    )
