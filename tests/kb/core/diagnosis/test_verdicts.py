"""What a diagnosis says of small logs: the first failure apart from what follows it, and honest silence."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE
from tests.kb.core.diagnosis.lines import best, diagnosis_of, indicated

STEPS = "\n".join(f"step {number} | loss: {2.5 - number / 100:.3f} | step_time: 1.0s" for number in range(1, 31))
TIMEOUT = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, Timeout(ms)=600000)"


def steps(
    first: int, last: int, losses: dict[int, str] | None = None, pace: dict[int, float] | None = None
) -> list[str]:
    told, paces = losses or {}, pace or {}
    return [
        f"step {number} | loss: {told.get(number, 2.5 - number / 200)} | step_time: {paces.get(number, 1.0):.2f}s"
        for number in range(first, last + 1)
    ]


class TestHonestSilence:
    def test_a_run_that_went_well_is_healthy(self) -> None:
        found = diagnosis_of(f"start training\n{STEPS}\ntraining finished")
        assert (found.verdict, found.symptom, found.lines) == (HEALTHY, "none", ())

    def test_a_few_plain_lines_are_no_evidence(self) -> None:
        assert diagnosis_of("hello\nthis is a note\nnothing else").verdict == NO_EVIDENCE

    def test_an_error_that_the_run_survived_is_no_failure(self) -> None:
        log = f"step 0 | loss: 2.6 | step_time: 1.0s\nERROR could not reach the metrics server\n{STEPS}\nall done"
        assert diagnosis_of(log).verdict == HEALTHY

    def test_what_healthy_runs_say_too_is_not_blamed(self) -> None:
        noise = "RuntimeError: could not open the profiler 12"
        log = f"{noise}\nKeyError: 'input_ids'"
        assert best(diagnosis_of(log, healthy=f"{noise.replace('12', '99')}\n{STEPS}")).line == 2


class TestFirstFailure:
    def test_the_exception_is_indicated(self) -> None:
        log = (
            f"{STEPS}\nTraceback (most recent call last):\n  File \"train.py\", line 3, in main\nKeyError: 'input_ids'"
        )
        found = diagnosis_of(log)
        assert (found.verdict, found.symptom, found.stage, found.iteration) == (FAILURE, "crash", "train", 30)
        assert best(found).text == "KeyError: 'input_ids'"
        assert indicated(found) == [("job.log", 33)]

    def test_what_follows_from_it_is_not(self) -> None:
        others = "\n".join(f"[rank{rank}]: {TIMEOUT}" for rank in (1, 2, 3))
        found = diagnosis_of(
            f"{STEPS}\n[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n{others}"
        )
        assert indicated(found) == [("job.log", 31)]
        assert found.ranks[0].name == "0"

    def test_one_that_is_written_late_by_whom_the_launcher_names_is_still_the_first(self) -> None:
        log = [
            *steps(1, 9),
            f"[rank1]: {TIMEOUT}",
            "[rank1]: torch.distributed.DistBackendError: NCCL error, remote process exited",
            "Root Cause (first observed failure):",
            "  rank      : 2 (local_rank: 2)",
            "  exitcode  : 1 (pid: 31)",
            "[rank2]: IndexError: index 9 is out of bounds",
        ]
        found = diagnosis_of("\n".join(log))
        assert best(found).line == len(log)
        assert found.ranks[0].name == "2"

    def test_the_same_exception_of_all_ranks_blames_nobody(self) -> None:
        log = "\n".join(f"[rank{rank}]: ValueError: vocab size 3 does not match" for rank in range(8))
        found = diagnosis_of(f"world_size=8\n{log}")
        assert len(found.lines) == 8
        assert found.ranks == ()

    def test_a_rank_is_on_the_node_that_the_log_says_it_is_up_on(self) -> None:
        ranks = "\n".join(
            f"[rank{rank}]: rank {rank} of 4 up on gpu-b-{rank // 2}, device cuda:{rank % 2}" for rank in range(4)
        )
        found = diagnosis_of(
            f"{ranks}\n{STEPS}\n[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
        )
        assert (found.nodes[0].name, found.ranks[0].name) == ("gpu-b-1", "2")

    def test_a_slurm_step_is_no_training_step(self) -> None:
        found = diagnosis_of(
            f"{STEPS}\nslurmstepd: error: *** STEP 8028600.0 ON gpu1 CANCELLED AT 2026-01-02T03:04:05 ***"
        )
        assert (found.verdict, found.iteration) == (CANCELLED, 30)

    def test_before_the_first_step_it_is_a_failure_to_launch(self) -> None:
        found = diagnosis_of("world_size=8\nloading checkpoint shards\nValueError: bad value in the state_dict")
        assert (found.symptom, found.stage) == ("launch_failure", "load")

    def test_across_files_clocks_decide(self) -> None:
        early = "2026-01-02 03:04:05,000 - t - ERROR - KeyError: 'a'"
        late = "2026-01-02 03:04:09,000 - t - ERROR - KeyError: 'b'"
        found = diagnosis_of({"node-b1.log": late, "node-a1.log": early})
        assert (best(found).file, found.verdict) == ("node-a1.log", FAILURE)

    def test_a_lost_connection_without_a_time_may_be_younger_than_the_last_one_in_its_file(self) -> None:
        server = ["2026-01-02 03:30:00,000 - ready", "KeyError: 'logprobs'"]
        client = ["2026-01-02 03:04:05,000 - start", "ConnectionResetError: [Errno 104] Connection reset by peer"]
        found = diagnosis_of(
            {
                "client.log": "\n".join([*client, "2026-01-02 05:00:00,000 - t - ERROR - giving up"]),
                "server.log": "\n".join(server),
            }
        )
        assert (best(found).file, best(found).text) == ("server.log", "KeyError: 'logprobs'")

    @pytest.mark.parametrize(
        "relay",
        [
            "RuntimeError: Worker failed with error 'no module named fused_x', please check the stack trace above",
            "ValueError: stage 2 failed: no module named fused_x. See the traceback above",
        ],
    )
    def test_a_line_that_points_to_another_one_is_not_the_first(self, relay: str) -> None:
        found = diagnosis_of(f"loading model\n{relay}\nModuleNotFoundError: No module named 'fused_x'")
        assert best(found).line == 3


class TestNumbers:
    def test_a_loss_that_becomes_nan_is_shown_from_its_first_step(self) -> None:
        losses = dict.fromkeys(range(25, 31), "nan")
        found = diagnosis_of("\n".join(steps(1, 30, losses)))
        assert (found.verdict, found.symptom, found.iteration) == (FAILURE, "numerical", 25)
        assert best(found).line == 25
        assert "loss: nan" in best(found).text

    def test_the_leap_before_the_nan_is_its_beginning(self) -> None:
        losses = {24: "9.5", 25: "17.0"} | dict.fromkeys(range(26, 31), "nan")
        assert diagnosis_of("\n".join(steps(1, 30, losses))).iteration == 24

    def test_one_odd_step_is_no_trouble(self) -> None:
        assert diagnosis_of("\n".join([*steps(1, 40, {20: "3.9"}), "all done"])).verdict == HEALTHY

    def test_steps_that_become_slow_and_stay_so_are_a_slowdown(self) -> None:
        found = diagnosis_of("\n".join(steps(1, 40, pace=dict.fromkeys(range(30, 41), 4.2))))
        assert (found.symptom, best(found).line) == ("slowdown", 30)

    @settings(max_examples=40)
    @given(st.integers(0, 2**32), st.floats(0.001, 0.05))
    @example(18415188, 0.046875)  # the last loss is the highest of some
    @example(634, 0.05)  # three in a row are
    @example(1498, 0.05)
    def test_a_falling_noisy_loss_is_healthy(self, seed: int, noise: float) -> None:
        draw = random.Random(seed)  # noqa: S311
        losses = {number: f"{6 / (1 + number / 50) * (1 + draw.gauss(0, noise)):.4f}" for number in range(1, 200)}
        assert diagnosis_of("\n".join([*steps(1, 199, losses), "all done"])).verdict == HEALTHY


class TestSilence:
    def hang(self, silent: int, end: str = "") -> str:
        lines = []
        for step in range(1, 9):
            for rank in range(4):
                if rank != silent or step < 7:
                    lines.append(f"[rank{rank}]: 2026-01-02 03:0{step}:0{rank},000 - t - INFO - step {step} begin")
        return "\n".join([*lines, *([end] if end else [])])

    @pytest.mark.parametrize("silent", range(4))
    def test_a_rank_that_fell_behind_before_the_timeouts_is_named(self, silent: int) -> None:
        timeouts = "\n".join(f"[rank{rank}]: {TIMEOUT}" for rank in range(4) if rank != silent)
        found = diagnosis_of(f"{self.hang(silent)}\n{timeouts}")
        assert (found.verdict, found.symptom) == (FAILURE, "hang")
        assert found.ranks[0].name == str(silent)
        assert "step 6 begin" in best(found).text

    def test_a_hang_without_a_word_shows_the_last_one(self) -> None:
        end = "slurmstepd: error: *** JOB 12 ON node1 CANCELLED AT 2026-01-02T09:00:00 DUE TO TIME LIMIT ***"
        found = diagnosis_of(self.hang(2, end))
        assert (found.symptom, found.ranks[0].name) == ("hang", "2")


class TestOddities:
    @given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=120), max_size=40))
    @settings(max_examples=60)
    def test_every_line_that_is_shown_exists(self, lines: list[str]) -> None:
        text = "x\n" + "\n".join(lines)
        found = diagnosis_of(text)
        count = text.count("\n") + 1
        assert all(1 <= line.line <= count for line in found.lines)
        assert len({(line.file, line.line) for line in found.lines}) == len(found.lines)

    def test_a_million_ranks_are_counted_but_not_kept(self) -> None:
        log = "\n".join(f"[rank{rank * 7919 % 1_000_003}]: hello from here" for rank in range(120_000))
        found = diagnosis_of(f"{log}\n[rank5]: KeyError: 'a'")
        assert best(found).text == "KeyError: 'a'"
        assert found.stats["emitters"] <= 50_001

    def test_a_chinese_log_is_read(self) -> None:
        found = diagnosis_of("开始训练\n训练失败: 显存不足\nRuntimeError: 设备错误")
        assert best(found).line == 3


class TestManySteps:
    def test_the_end_of_a_run_is_seen_however_many_steps_came_before(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("kb.core.diagnosis.scanning.records.MOST_STEP_LINES", 60)
        log = "\n".join(steps(1, 300, dict.fromkeys(range(290, 301), "nan")))
        assert indicated(diagnosis_of(log))[0] == ("job.log", 290)
        assert best(diagnosis_of(log)).text.startswith("step 290 | loss: nan")
