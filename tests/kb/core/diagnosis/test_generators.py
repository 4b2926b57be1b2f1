"""The made-up logs: what is said to be true of them is in them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from tests.kb.core.diagnosis.generators import (
    HELD_OUT_VARIANTS,
    KINDS,
    STYLES,
    Job,
    Spec,
    generate,
    healthy_like,
    held_out_specs,
    stream,
    tuning_specs,
)
from tests.kb.core.diagnosis.generators.held_out.marks import MARKS as HELD_OUT_MARKS
from tests.kb.core.diagnosis.generators.job import Places
from tests.kb.core.diagnosis.generators.plays import PLAYS
from tests.kb.core.diagnosis.generators.spec import VARIANTS, styles_of

# What every root of a kind contains, in any case of letters.
MARKS = {
    "gpu_oom": "out of memory",
    "host_oom": r"killed|exitcode: -9|code = -9|died unexpectedly|signal 9|signal -9|SYSTEM_ERROR",
    "gpu_lost": "Xid|device is lost",
    "nvlink_error": "NVLink",
    "illegal_access": "illegal memory access",
    "cublas_failure": "CUBLAS_STATUS",
    "data_exception": "KeyError|ValueError|IndexError",
    "shape_mismatch": "state_dict|size of tensor",
    "dtype_mismatch": "same",
    "vocab_mismatch": "srcSelectDimSize|out of range",
    "config_assertion": "not divisible|not a multiple",
    "import_error": "ImportError|ModuleNotFoundError",
    "rendezvous_timeout": "timed out",
    "port_in_use": "address already in use",
    "network_error": "status=12|Link DOWN|No route to host",
    "straggler": "is slow|throttled",
    "loss_nan": "nan",
    "loss_spike": "",
    "disk_full": "No space left on device|quota exceeded",
    "checkpoint_corrupt": "central directory|deserializing",
    "storage_stall": "not responding|took 61 s",
    "permission_denied": "Permission denied",
    "loader_killed": "pt_data_worker|DataLoader worker",
    "node_failure": "node failure|not ready|unreachable|dead",
    "preemption": "preempt|spot",
    "user_cancel": "by uid|user|KeyboardInterrupt",
    "time_limit": "time limit|longer than",
    "engine_death": "illegal instruction|SIGSEGV",
}
ROOTLESS = {"silent_hang", "hang_time_limit", "healthy_training", "healthy_serving", "no_evidence"}
SEVERAL_ROOTS = 64
MOST_BYTES = 400_000


@cache
def jobs(style: str) -> list[tuple[Spec, Job]]:
    """Every cell of the grid in this style."""
    return [(spec, generate(spec)) for spec in (*tuning_specs(), *held_out_specs()) if spec.style == style]


def texts(job: Job, places: Places) -> Iterator[str]:
    """The lines at these places."""
    for name, numbers in places.items():
        lines = job.files[name].decode().split("\n")
        assert not lines.pop()
        yield from (lines[number - 1] for number in numbers)


def times(job: Job, places: Places) -> list[float]:
    return [job.times[name][number - 1] for name, numbers in places.items() for number in numbers]


@pytest.mark.parametrize("style", STYLES)
class TestTruth:
    def test_roots_say_what_the_kind_says(self, style: str) -> None:
        for spec, job in jobs(style):
            roots = list(texts(job, job.truth.root_lines))
            assert bool(roots) == (spec.kind not in ROOTLESS), spec
            assert len(roots) <= SEVERAL_ROOTS
            if roots:
                mark = (HELD_OUT_MARKS if spec.held_out else MARKS)[spec.kind]
                assert all(re.search(mark, root, re.IGNORECASE) for root in roots), (spec, roots)

    def test_cascades_come_after_the_first_root(self, style: str) -> None:
        for spec, job in jobs(style):
            roots, cascades = times(job, job.truth.root_lines), times(job, job.truth.cascade_lines)
            if roots and cascades:
                # What the launcher itself says of the end it brings about may come with it.
                assert min(roots) < min(cascades) or spec.kind == "host_oom", spec

    def test_lines_play_one_part(self, style: str) -> None:
        for spec, job in jobs(style):
            truth = job.truth
            for name in job.files:
                parts = [
                    set(places.get(name, ())) for places in (truth.root_lines, truth.support_lines, truth.cascade_lines)
                ]
                assert sum(map(len, parts)) == len(set().union(*parts)), spec
                assert job.files[name].count(b"\n") == len(job.times[name])

    def test_who_is_blamed_is_named(self, style: str) -> None:
        for spec, job in jobs(style):
            whole = "\n".join((*job.files, *(data.decode() for data in job.files.values())))
            assert all(name in whole for names in job.truth.aliases for name in names), spec
            assert tuple(names[0] for names in job.truth.aliases) == job.truth.nodes
            assert all(0 <= rank < spec.nodes * spec.gpus_per_node for rank in job.truth.ranks)

    def test_verdicts_fit(self, style: str) -> None:
        for spec, job in jobs(style):
            truth = job.truth
            assert job.healthy == (truth.verdict == "healthy") == spec.kind.startswith("healthy")
            assert (truth.symptom == "none") == (truth.verdict in ("healthy", "no_evidence")), spec
            if truth.symptom == "none":
                assert (truth.support_lines, truth.cascade_lines, truth.nodes, truth.ranks) == ({}, {}, (), ())

    def test_sizes_are_bounded(self, style: str) -> None:
        for spec, job in jobs(style):
            least = 1 if spec.kind == "no_evidence" else 200
            assert least <= sum(map(len, job.files.values())) <= MOST_BYTES, spec


class TestGrid:
    def test_every_kind_has_its_variants_and_styles(self) -> None:
        assert {kind: len(plays) for kind, plays in PLAYS.items()} == VARIANTS
        assert min(VARIANTS.values()) >= 3
        seen = {(spec.kind, spec.style, spec.variant) for spec in (*tuning_specs(), *held_out_specs())}
        assert seen == {(k, style, v) for k in KINDS for style in styles_of(k) for v in range(VARIANTS[k])}

    def test_held_out_is_apart(self) -> None:
        tuning = {(spec.kind, spec.variant) for spec in tuning_specs()}
        held_out = {(spec.kind, spec.variant) for spec in held_out_specs()}
        assert held_out == set(HELD_OUT_VARIANTS.items())
        assert not tuning & held_out

    def test_a_kind_that_cannot_happen_is_refused(self) -> None:
        with pytest.raises(ValueError, match="does not happen"):
            generate(Spec("loss_nan", "vllm"))

    @pytest.mark.parametrize("style", STYLES)
    def test_the_same_seed_gives_the_same_job(self, style: str) -> None:
        spec = Spec("gpu_oom", style, seed=3)
        assert generate(spec) == generate(spec)
        assert generate(spec).files != generate(replace(spec, seed=4)).files

    @pytest.mark.parametrize("style", STYLES)
    def test_healthy_runs_are_alike_and_well(self, style: str) -> None:
        spec = Spec("gpu_oom", style)
        job = healthy_like(spec, 5)
        assert job.healthy
        assert not job.truth.root_lines
        assert set(job.files) & set(generate(spec).files) or style in ("elastic", "glog")


class TestRealism:
    def test_ranks_print_into_each_others_tracebacks(self) -> None:
        job = generate(Spec("config_assertion", "srun", 2, 8))
        labels = [text.split(":")[0] for text in texts(job, job.truth.support_lines)]
        assert sum(one != other for one, other in pairwise(labels)) > 16

    def test_a_late_root_follows_its_cascades_in_the_file(self) -> None:
        job = generate(Spec("cublas_failure", "torchrun", variant=1))
        roots, cascades = job.truth.root_lines["torchrun.log"], job.truth.cascade_lines["torchrun.log"]
        assert min(cascades) < min(roots)

    def test_some_clocks_disagree(self) -> None:
        seen = 0
        for seed in range(6):
            [data] = generate(Spec("healthy_training", "jsonl", seed=seed)).files.values()
            stamps = [line[8:31] for line in data.decode().splitlines()]
            seen += any(one > other for one, other in pairwise(stamps))
        assert seen


class TestStream:
    @pytest.mark.parametrize("style", STYLES)
    def test_it_is_as_big_as_asked_and_ends_with_the_failure(self, style: str) -> None:
        size = 600_000
        chunks = list(stream(Spec("gpu_oom", style, 2, 4), size))
        assert size <= sum(map(len, chunks)) < 3 * size
        assert all(chunk.endswith(b"\n") for chunk in chunks)
        assert b"CUDA out of memory" in chunks[-1]
        assert not any(re.search(rb"CUDA out of memory|2077-11|5550777", chunk) for chunk in chunks[:-1])

    def test_its_lines_differ(self) -> None:
        lines = b"".join(stream(Spec("gpu_oom", "torchrun", 2, 4), 1_000_000)).splitlines()
        assert len(set(lines)) > 0.95 * len(lines)
        assert len({line[:8] for line in lines if line.startswith(b"[rank")}) == 8
