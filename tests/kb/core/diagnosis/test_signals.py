"""The catalogue of signals: what its files hold, and what they make of lines."""

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.signals.catalogue import FOLDER, catalogue, read_family, version_of
from kb.core.diagnosis.signals.format import Signal

LOGS = Path(__file__).parents[5] / "shared/data/logs"
HOUSE = Path(__file__).parents[4] / "kb/codebook/house.yaml"
FILES = sorted(FOLDER.glob("*.yaml"))
SIGNALS = catalogue().signals
SILENT = ("noise", "advice")
EXAMPLES = [(signal, line) for signal in SIGNALS for line in signal.examples]
MISSES = [(signal, line) for signal in SIGNALS for line in signal.misses]
HEALTHY = [
    "iteration      100/  500000 | consumed samples:       25600 | elapsed time per iteration (ms): 1449.8 | "
    "learning rate: 1.306E-04 | global batch size:  256 | lm loss: 2.833626E+00 | loss scale: 1.0 | "
    "grad norm: 0.812 | number of skipped iterations:   0 | number of nan iterations:   0 |",
    "{'loss': 2.31, 'grad_norm': 0.84, 'learning_rate': 5e-05, 'epoch': 0.12}",
    "NCCL INFO Channel 00/16 : 0[0] -> 1[1] via P2P/CUMEM/read",
    "NCCL INFO comm 0x55d0 rank 3 nranks 8 cudaDev 3 nvmlDev 3 busId 9d000 commId 0x1a - Init COMPLETE",
    "NCCL version 2.21.5+cuda12.4",
    "Loading checkpoint shards: 100%|##########| 4/4 [00:12<00:00,  3.01s/it]",
    "successfully saved checkpoint at iteration    1000 to /ckpt/run1",
    "Starting to load model meta-llama/Llama-3.1-8B...",
    "# GPU blocks: 27031, # CPU blocks: 2048",
    "Uvicorn running on socket ('0.0.0.0', 8000)",
    "Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: 1201.2 tokens/s, Running: 12 reqs",
    "training ...",
    "> building train, validation, and test datasets for GPT ...",
    "Collecting torch==2.6.0",
    "Successfully installed numpy-2.2.0 torch-2.6.0",
    "[ 42%] Building CXX object CMakeFiles/core.dir/attn.cc.o",
    "Tests run: 81, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 3.1 s",
    "tests/test_loader.py::test_resume PASSED                                 [ 12%]",
    "Downloaded from central: org/apache/maven/maven-core/3.9.6/maven-core-3.9.6.jar (622 kB at 4.1 MB/s)",
    "srun: jobid 4411: nodes(2):`gpu[01-02]', cpu counts: 96(x2)",
    "mlx5_core 0000:5e:00.0 ib2: Link up",
    "validation loss at iteration 1000 | lm loss value: 2.401E+00 | lm loss PPL: 1.103E+01 |",
]
NOTHING = ["", " ", "\t", "-", "=" * 80, "0", "\x1b[0m", "\x00"]


def codes(signals: tuple[Signal, ...]) -> list[str]:
    return [signal.code for signal in signals]


def codes_of(axis: str) -> set[str]:
    book = yaml.safe_load(HOUSE.read_text(encoding="utf-8"))
    return {code for one in book["axes"] if one["code"] == axis for code in below(one["nodes"])}


def below(nodes: list[dict[str, Any]]) -> Iterator[str]:
    for node in nodes:
        yield node["code"]
        yield from below(node.get("children", []))


def lines_of(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace").splitlines()


# What the files hold


def test_every_file_holds_a_family_of_its_own_name() -> None:
    for path in FILES:
        assert read_family(path), path.name


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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_stays_short_enough_to_be_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_symptoms_and_causes_are_codes_of_the_house_codebook() -> None:
    symptoms, causes = codes_of("symptom"), codes_of("root_cause")
    assert [s.code for s in SIGNALS if s.symptom and s.symptom not in symptoms] == []
    assert [(s.code, cause) for s in SIGNALS for cause in s.causes if cause not in causes] == []


def test_no_cause_is_named_twice_by_one_signal() -> None:
    assert [s.code for s in SIGNALS if len(set(s.causes)) < len(s.causes)] == []


def test_no_sentence_is_used_for_two_signals() -> None:
    sentences = Counter(one for s in SIGNALS for one in re.split(r"(?<=[.!?]) ", s.means))
    assert [one for one, times in sentences.items() if times > 1] == []


def test_explanations_are_short_whole_sentences() -> None:
    texts = [(s.code, text) for s in SIGNALS for text in (s.means, *s.check)]
    assert [pair for pair in texts if not pair[1].endswith((".", "?"))] == []
    assert [pair for pair in texts if len(pair[1]) > 260] == []


def test_sources_are_official_pages_or_source_files() -> None:
    forums = ("stackoverflow.com", "medium.com", "reddit.com", "/issues/", "/discussions/")
    assert [s.code for s in SIGNALS if any(forum in s.source for forum in forums)] == []


# What the signals match


def test_every_example_gives_its_signal() -> None:
    assert [(s.code, line) for s, line in EXAMPLES if s not in catalogue().match(line)] == []


def test_no_miss_gives_its_signal() -> None:
    assert [(s.code, line) for s, line in MISSES if s in catalogue().match(line)] == []


def test_no_example_is_silenced_by_noise_or_advice() -> None:
    assert [
        (s.code, line)
        for s, line in EXAMPLES
        if s.role not in SILENT and any(one.role in SILENT for one in catalogue().match(line))
    ] == []


def test_what_a_launcher_adds_to_a_line_does_not_silence_it() -> None:
    repeated = "{} [repeated 3x across cluster] (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable)"
    assert [
        line
        for s, line in EXAMPLES
        if s.role not in SILENT and any(one.role in SILENT for one in catalogue().match(repeated.format(line)))
    ] == []


def test_examples_of_noise_and_advice_stay_silent() -> None:
    assert [
        (s.code, line)
        for s, line in EXAMPLES
        if s.role in SILENT and catalogue().match(line)[0].role not in SILENT and s not in catalogue().match(line)
    ] == []


@pytest.mark.parametrize("line", HEALTHY)
def test_a_healthy_line_is_no_cause_for_alarm(line: str) -> None:
    assert [s.code for s in catalogue().match(line) if s.role not in SILENT] == []


@pytest.mark.real_data
@pytest.mark.skipif(not LOGS.exists(), reason="the shared data is not here")
def test_logs_of_healthy_runs_give_no_weighty_signal() -> None:
    with (LOGS / "truth.csv").open(newline="") as file:
        jobs = [job for job in csv.DictReader(file) if job["verdict"] == "none"]
    paths = [LOGS / name for job in jobs for name in job["files"].split(";")]
    paths += [path for path in (LOGS / "pool").rglob("*") if path.is_file()]
    alarms = set()
    for line in {line for path in paths for line in lines_of(path)}:
        found = catalogue().match(line[parse_prefix(line).body :])
        if not any(s.role in SILENT for s in found):
            alarms |= {(s.code, line) for s in found if s.weight >= 3 and s.role in ("root", "either", "cascade")}
    assert alarms == set()


@pytest.mark.parametrize("line", NOTHING, ids=repr)
def test_a_line_that_says_nothing_gives_nothing(line: str) -> None:
    assert catalogue().match(line) == ()


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
