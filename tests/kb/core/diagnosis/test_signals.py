"""The catalogue of signals: its version, and what it makes of lines. `test_signal_check` has the rules of its files."""

import csv
import gzip
from pathlib import Path

import pytest

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.signals.catalogue import catalogue, version_of
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.signals.rules import SILENT

LOGS = Path(__file__).parents[5] / "shared/data/logs"
SIGNALS = catalogue().signals
EXAMPLES = [(signal, line) for signal in SIGNALS for line in signal.examples]
MISSES = [(signal, line) for signal in SIGNALS for line in signal.misses]


def codes(signals: tuple[Signal, ...]) -> list[str]:
    return [signal.code for signal in signals]


def lines_of(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace").splitlines()


# What the files hold


def test_the_catalogue_is_large_enough_to_be_of_use() -> None:
    assert len(SIGNALS) >= 180
    assert len({signal.family for signal in SIGNALS}) >= 20
    assert len(catalogue().by_code) == len(SIGNALS)


@pytest.mark.parametrize(
    "changed",
    [{"pattern": "another"}, {"weight": 5}, {"role": "cascade"}, {"means": "Another."}, {"causes": ("disk-quota",)}],
    ids=lambda changed: next(iter(changed)),
)
def test_a_changed_signal_changes_the_version(changed: dict[str, object]) -> None:
    first, *others = SIGNALS
    assert version_of([first.model_copy(update=changed), *others]) != catalogue().version


def test_a_new_or_moved_signal_changes_the_version_and_a_new_example_does_not() -> None:
    first, second, *others = SIGNALS
    assert len({version_of(some) for some in (SIGNALS, [first, *others], [second, first, *others])}) == 3
    assert version_of([first.model_copy(update={"examples": ("x",)}), second, *others]) == catalogue().version


# What the signals match


@pytest.mark.real_data
@pytest.mark.skipif(not LOGS.exists(), reason="the shared data is not here")
def test_logs_of_healthy_runs_give_no_weighty_signal() -> None:
    with (LOGS / "truth.csv").open(newline="") as file:
        jobs = [job for job in csv.DictReader(file) if job["verdict"] == "none"]
    paths = [LOGS / name for job in jobs for name in job["files"].split(";")]
    paths += [path for path in (LOGS / "pool").rglob("*") if path.is_file()]
    alarms = set()
    for line in {line for path in paths for line in lines_of(path)}:
        found = catalogue().match(parse_prefix(line).text)
        if not any(s.role in SILENT for s in found):
            alarms |= {(s.code, line) for s in found if s.weight >= 3 and s.role in ("root", "either", "cascade")}
    assert alarms == set()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("RuntimeError: DataLoader worker (pid 81) is killed by signal: Killed.", "dataloader-worker-killed"),
        ("OSError: [Errno 28] No space left on device: '/ckpt/a.pt'", "disk-full"),
        ("AssertionError: hidden size (100) is not divisible by tensor parallel size (3)", "not-divisible"),
        ("RuntimeError: Rank 5 failed to pass monitoredBarrier in 1800000 ms", "barrier-timeout"),
        ("E   subprocess.CalledProcessError: Command 'make' returned non-zero exit status 2.", "python-system-exit"),
        ("E   torch.distributed.DistNetworkError: Broken pipe", "connection-lost"),
    ],
)
def test_what_is_special_comes_before_the_bare_name_of_an_exception(line: str, code: str) -> None:
    assert codes(catalogue().match(line))[0] == code


def test_the_weightier_comes_first_among_special_signals() -> None:
    for _, line in EXAMPLES:
        found = catalogue().match(line)
        order = [(s.general, -s.weight) for s in found]
        assert order == sorted(order), line


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("slurmstepd: error: *** JOB 1 ON a1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***", "cancel"),
        ("slurmstepd: error: *** JOB 1 ON a1 CANCELLED AT 2026-01-01T00:00:00 ***", "cancel"),
        ("slurmstepd: error: *** JOB 1 ON a1 CANCELLED AT 2026-01-01T00:00:00 DUE TO NODE FAILURE ***", "root"),
        ("Process completed with exit code 1.", "teardown"),
        ("Process completed with exit code 137.", "either"),
        ("Process completed with exit code 139.", "either"),
        ("make[1]: *** [all] Error 2", "teardown"),
        ("make: *** No rule to make target 'a.c'.  Stop.", "root"),
        ("ninja: build stopped: subcommand failed.", "teardown"),
        ("srun: Terminating StepId=1.0", "teardown"),
        ("[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 2, reducing to 1", "noise"),
        ("Exception: Current loss scale already at minimum - cannot decrease scale anymore.", "root"),
        ("ConnectionResetError: [Errno 104] Connection reset by peer", "cascade"),
        ("connection reset by peer, will retry in 2 s", "noise"),
        ("Tests run: 8, Failures: 0, Errors: 0", "noise"),
        ("Tests run: 8, Failures: 0, Errors: 3", "confirmation"),
        ("EDAC MC0: 1 CE memory read error on DIMM#0", "noise"),
        ("EDAC MC0: 1 UE memory read error on DIMM#0", "root"),
        ("NCCL WARN NET/IB : mlx5_0:1 Got async event : port error", "root"),
        ("NCCL WARN NET/IB : mlx5_0:1 Got async event : port active", "noise"),
        ("+ echo 'No space left on device'", "noise"),
        ("CUDA out of memory. Tried to allocate 2 GiB. See documentation for Memory Management", "root"),
        ("x.cu(12): error: kernel has no member, 0 warnings", "root"),
    ],
)
def test_a_line_is_taken_in_the_role_it_plays(line: str, role: str) -> None:
    found = catalogue().match(line)
    silent = [s.role for s in found if s.role in SILENT]
    assert (silent or [s.role for s in found])[0] == role
