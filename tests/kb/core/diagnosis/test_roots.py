"""Which lines are said to have failed first: root lines, each event once. What belongs to them is context."""

import pytest

from kb.core.diagnosis.pipeline import as_data
from kb.core.diagnosis.report import FAILURE, REPEAT, SUPPORT, Diagnosis
from kb.core.diagnosis.terminal import as_text
from tests.kb.core.diagnosis.lines import STEPS, TRACE, best, diagnosis_of, first_of, indicated


def lines_with(diagnosis: Diagnosis, role: str) -> list[int]:
    return [line.line for line in diagnosis.lines if line.role == role]


class TestEvents:
    def test_frames_are_context(self) -> None:
        found = diagnosis_of("\n".join((STEPS, *TRACE, "KeyError: 'input_ids'")))
        assert indicated(found) == [("job.log", 34)]
        assert lines_with(found, SUPPORT) == [31, 32, 33]

    def test_what_many_ranks_say_is_one_event_and_the_others_are_repeats(self) -> None:
        log = "\n".join(f"[rank{rank}]: ValueError: vocab size 3 does not match shard {rank}" for rank in range(8))
        found = diagnosis_of(log)
        assert indicated(found) == [("job.log", 1)]
        assert lines_with(found, REPEAT) == [2, 3, 4, 5, 6, 7, 8]

    def test_the_same_signal_in_other_words_is_the_same_event(self) -> None:
        log = [
            "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
            "[rank1]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.00 MiB. GPU 1 is full",
        ]
        assert first_of(*log) == 1

    def test_an_exception_counts_beside_the_line_that_was_logged_before_it_and_not_the_other_way_round(self) -> None:
        logged = "ERROR: Unexpected bus error encountered in worker."
        raised = [*TRACE, "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error."]
        assert [line for _, line in indicated(diagnosis_of("\n".join((logged, *raised))))] == [1, 5]
        oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
        assert first_of(*TRACE, oom, "ERROR it failed: CUDA out of memory. Tried to allocate 3 GiB") == 4

    def test_not_more_than_five_events_are_indicated(self) -> None:
        names = ("Bolt", "Cog", "Gear", "Lever", "Pulley", "Screw", "Wedge", "Wheel")
        found = diagnosis_of("\n".join((STEPS, *(f"{name}Error: no {name.lower()}" for name in names))))
        assert len(indicated(found)) <= 5
        assert len(found.lines) == len(names)

    def test_a_terminal_shows_what_belongs_to_it_as_a_number_alone(self) -> None:
        text = as_text(as_data(diagnosis_of("\n".join((STEPS, *TRACE, "lib.Gone: shard 3", "lib.Gone: shard 4")))))
        assert "What failed first\n  job.log:34  lib.Gone: shard 3\n  and 4 further lines of it\n" in text
        assert "Also seen" not in text

    def test_what_is_less_sure_than_the_first_is_not_indicated_beside_it(self) -> None:
        assert first_of("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", "AssertionError") == 1


class TestLaunchers:
    """A launcher's line on a process that went down as others do points to it, and is no failure of its own."""

    STUCK = (
        "[rank6]:[E429 13:55:49.384 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 6] "
        "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued "
        "collectives."
    )

    @pytest.mark.parametrize(
        "end",
        [
            "E0429 14:03:55.801 4410 torch/distributed/elastic/multiprocessing/api.py:869] "
            "failed (exitcode: -6) local_rank: 6 (pid: 4477) of binary: python",
            "[2025-04-29 14:03:55,544] [ERROR] [launch.py:325:sigkill_handler] "
            "['python', '-u', 'sft.py', '--local_rank=6'] exits with return code = -6",
        ],
    )
    def test_an_abort_that_follows_is_not_the_failure(self, end: str) -> None:
        assert best(diagnosis_of("\n".join((STEPS, self.STUCK, end)))).line == 31

    def test_a_signal_of_its_own_still_is(self) -> None:
        end = "E elastic/multiprocessing/api.py:869] failed (exitcode: -11) local_rank: 3 (pid: 4477) of binary: python"
        assert first_of(self.STUCK, end) == 2


class TestStandIns:
    """Where nothing is a root, the first line that follows from one stands in for it everywhere."""

    TIMEOUT = (
        "[rank{0}]:[E321 02:07:08.408 ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught collective operation "
        "timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600045 ms"
    )

    def test_watchdogs_that_time_out_give_cause_checks_sentence_and_signature(self) -> None:
        data = as_data(diagnosis_of("\n".join((STEPS, *map(self.TIMEOUT.format, (2, 0, 1))))))
        assert [line["line"] for line in data["lines"] if line["indicated"]] == [31]
        assert data["symptom"] == "hang"
        assert data["causes"]
        assert data["checks"]
        assert data["signature"] is not None
        assert "hung" not in data["sentence"]

    def test_a_worker_that_died_stands_in_for_what_ended_it(self) -> None:
        log = [
            "INFO 01-02 10:00:00 [core.py:58] Initializing an LLM engine",
            "ERROR 01-02 10:00:09 [executor.py:140] Worker proc VllmWorker-3 died unexpectedly, shutting down.",
            "ERROR 01-02 10:00:12 [llm.py:416] AsyncLLM output_handler failed.",
            'INFO:     10.0.0.9:51200 - "POST /v1/completions HTTP/1.1" 503 Service Unavailable',
        ]
        found = diagnosis_of("\n".join(log))
        assert indicated(found) == [("job.log", 2)]
        assert best(found).signal == "vllm-worker-died"

    def test_an_actor_that_died_is_named_and_not_the_code_that_waited_for_it(self) -> None:
        lines = [*TRACE, '  File "worker.py", line 931, in get', "    values = w.get(refs, timeout=timeout)"]
        lines += ["ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task."]
        found = diagnosis_of("\n".join((STEPS, *lines)))
        assert indicated(found) == [("job.log", 36)]
        assert found.causes

    def test_the_pause_before_watchdogs_time_out_and_the_end_of_the_job_are_context(self) -> None:
        dated = "\n".join(f"2026-01-02 10:00:{second} step {second} | loss: 2.1" for second in range(10, 40))
        timeouts = [f"2026-01-02 10:10:09 {self.TIMEOUT.format(rank)}" for rank in (2, 0, 1)]
        end = "slurmstepd: error: *** JOB 12 ON node1 CANCELLED AT 2026-01-02T10:20:00 DUE TO TIME LIMIT ***"
        found = diagnosis_of("\n".join((dated, *timeouts, end)))
        assert indicated(found) == [("job.log", 31)]
        assert {30, 34} <= {line.line for line in found.lines}

    @pytest.mark.parametrize(("code", "line"), [("1", 31), ("-6", 31), ("-9", 33)])
    def test_a_launcher_s_report_comes_first_only_if_it_tells_of_a_signal_of_their_own(
        self, code: str, line: int
    ) -> None:
        lines = [
            self.TIMEOUT.format(6),
            "W1017 11:22:19.131 140 torch/elastic/api.py:897] Sending process 3311 SIGTERM",
        ]
        lines += [
            f"E1017 11:22:19.131 140 torch/elastic/api.py:869] failed (exitcode: {code}) local_rank: 5 (pid: 3317)"
        ]
        assert best(diagnosis_of("\n".join((STEPS, *lines)))).line == line

    def test_what_is_written_late_is_the_root_if_it_is_sure(self) -> None:
        oom = "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
        found = diagnosis_of("\n".join((STEPS, self.TIMEOUT.format(0), oom)))
        assert best(found).line == 32


class TestSummaries:
    """What is printed before a cause or beside it, and only says that there was one."""

    def test_what_pip_says_before_the_output_of_a_build(self) -> None:
        lines = ["  error: subprocess-exited-with-error", "  × python setup.py bdist_wheel did not run successfully."]
        lines += [
            "      nvcc fatal   : Unsupported gpu architecture 'compute_190'",
            "  ERROR: Failed building wheel for x",
        ]
        assert first_of(*lines) == 3

    def test_the_process_that_the_kernel_killed_comes_before_who_asked_for_memory(self) -> None:
        lines = ["python3 invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0"]
        lines += ["Out of memory: Killed process 3311 (python3) total-vm:53312244kB, anon-rss:31451456kB, file-rss:0kB"]
        assert best(diagnosis_of("\n".join(lines))).line == 2

    def test_the_call_that_nccl_names_comes_before_the_exception_that_only_says_that_one_failed(self) -> None:
        lines = ["node01:7:9 [0] transport/p2p.cc:220 NCCL WARN hipIpcGetMemHandle failed : invalid argument", *TRACE]
        lines += ["torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1331, unhandled cuda error"]
        assert best(diagnosis_of("\n".join(lines))).line == 1

    @pytest.mark.parametrize("seconds", ["", "[0.0143s] "])
    def test_the_failed_test_comes_before_its_assertion(self, seconds: str) -> None:
        lines = ["E       AssertionError: 3 != 4", "tests/test_x.py:7: AssertionError"]
        lines += [f"FAILED {seconds}tests/test_x.py::TestA::test_b - AssertionError: 3 != 4"]
        assert best(diagnosis_of("\n".join(lines))).line == 3


class TestWords:
    @pytest.mark.parametrize(
        "harmless",
        [
            "rdzv_configs     : {'timeout': 900}",
            " > git fetch --tags origin # timeout=10",
            "heartbeat timeout: 30",
            "If your build fails, look at the log above.",
            "This is usually due to a failure of the network",
            "possible causes: a shard is missing, a worker is lost",
            "WARNING: could not read the cache",
            "/opt/a.py:13: UserWarning: Failed to load the image extension: it cannot be found",
            "[W312 12:31:12.101 Guard.h:119] Warning: CUDA warning: out of memory (function destroyEvent)",
            "plugins: asyncio-1.3.0, timeout-2.4.0",
        ],
    )
    def test_settings_advice_and_warnings_are_no_failures(self, harmless: str) -> None:
        assert diagnosis_of(f"loading data\n{harmless}\nsaved").verdict != FAILURE

    @pytest.mark.parametrize(
        "failure",
        [
            "dial tcp 10.0.0.2:443: i/o timeout",
            "timeout: the peer did not answer",
            "lib.FetchError: if the error persists, clear the cache",
            "ERROR could not read the index",
        ],
    )
    def test_what_is_told_is_a_failure(self, failure: str) -> None:
        assert diagnosis_of(f"loading data\n{failure}").verdict == FAILURE

    @pytest.mark.parametrize(
        "frame",
        [
            "#1  0x00007f1a3d2d1b0b in my_abort_failed () from /usr/lib/libx.so",
            "12      0x7fb4aebbeb71 lib::common::throwRuntimeError(char const*, int) + 82",
            "/usr/lib/libx.so(abort_failed+0x3c)[0x7f1a3d2d1b0b]",
        ],
    )
    def test_a_frame_of_a_native_stack_is_none(self, frame: str) -> None:
        assert diagnosis_of(f"loading data\n{frame}").lines == ()


def test_of_a_build_the_output_of_its_command_is_the_root_and_not_who_reports_it() -> None:
    log = [
        "Building wheels for collected packages: deepspeed",
        "  error: subprocess-exited-with-error",
        "  [3/9] nvcc -c csrc/adam.cu -o build/adam.o",
        "  FAILED: build/adam.o",
        "  csrc/adam.cu(41): fatal error: cuda_bf16.h: No such file or directory",
        "  ninja: build stopped: subcommand failed.",
        "ERROR: Failed building wheel for deepspeed",
    ]
    assert [line.line for line in diagnosis_of("\n".join(log)).lines if line.indicated] == [5]
    assert diagnosis_of("\n".join([*log[:4], *log[5:]])).verdict == FAILURE
