"""What is evidence of a failure, of a cancellation or of a hang, and what only looks like it."""

import pytest

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY
from tests.kb.core.diagnosis.lines import best, diagnosis_of
from tests.kb.core.diagnosis.test_verdicts import steps

ORDINARY = [f"info: bookkeeping {word}" for word in ("one", "two", "three", "four", "five", "six")]
TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "/data/run/train.py", line 12, in step',
    "    loss = f(batch)",
]
CANCEL = "slurmstepd: error: *** JOB 7 ON gpu1 CANCELLED AT 2026-03-04T12:00:00 DUE TO TIME LIMIT ***"


class TestAnErrorBeforeTheFailure:
    ERRORS = (
        "ERROR metrics: could not push sample 3",
        "2026-03-04 02:00:00,000 - exporter - ERROR - queue of 12 samples dropped",
        "E0304 02:00:00.000000  77 hooks.py:30] callback 4 skipped",
    )

    @pytest.mark.parametrize("error", ERRORS)
    @pytest.mark.parametrize("last", ["ValueError: bad batch 7", "mylib.engine.ShardLostError: shard 3 is gone"])
    def test_does_not_hide_a_traceback_that_ends_the_run(self, error: str, last: str) -> None:
        found = diagnosis_of("\n".join([*steps(1, 30), error, *TRACEBACK, last, *ORDINARY]))
        assert (found.verdict, best(found).line) == (FAILURE, 35)

    @pytest.mark.parametrize("error", ERRORS)
    def test_is_none_of_a_run_that_came_to_its_end(self, error: str) -> None:
        log = [*steps(1, 30), error, *steps(31, 60), "training finished", *ORDINARY]
        assert diagnosis_of("\n".join(log)).verdict == HEALTHY

    def test_does_not_hide_what_a_signal_knows(self) -> None:
        log = [self.ERRORS[0], "RuntimeError: CUDA error: an illegal memory access was encountered", *ORDINARY]
        assert best(diagnosis_of("\n".join([*steps(1, 30), *log]))).signal is not None


class TestServersThatGoOnAnswering:
    ANSWER = 'INFO:     198.51.100.7:{} - "POST /v1/chat/completions HTTP/1.1" 200 OK'

    def test_have_not_failed_by_a_request_that_did(self) -> None:
        log = ["INFO:     Application startup complete.", self.ANSWER.format(1), *TRACEBACK, "KeyError: 'n_best'"]
        assert diagnosis_of("\n".join([*log, *(self.ANSWER.format(n) for n in range(9))])).verdict == HEALTHY

    def test_have_where_nothing_but_health_is_asked_after_it(self) -> None:
        log = ["INFO:     Application startup complete.", self.ANSWER.format(1), *TRACEBACK, "KeyError: 'n_best'"]
        asked = ['INFO:     198.51.100.7:1 - "GET /health HTTP/1.1" 200 OK'] * 9
        assert diagnosis_of("\n".join([*log, *asked])).verdict == FAILURE


class TestCancellationsThatAreOnlyPossible:
    @pytest.mark.parametrize(
        "line",
        [
            "This most likely indicates that another task failed, got preempted, or crashed.",
            "Worker exited: it may have been preempted by its provider",
            "The node was lost. Possible reasons: the instance was preempted by its provider.",
            "task 3 stopped: it crashed or was preempted",
        ],
    )
    def test_are_none(self, line: str) -> None:
        assert diagnosis_of("\n".join([*steps(1, 30), line])).verdict != CANCELLED

    @pytest.mark.parametrize(
        "line",
        [
            "the instance was preempted by its provider",
            "the instance was preempted by its provider. Your work may be lost.",
            "Run cancelled by user or owner",
        ],
    )
    def test_are_some_where_it_is_certain(self, line: str) -> None:
        assert diagnosis_of("\n".join([*steps(1, 30), line])).verdict == CANCELLED


class TestPausesThatAreNone:
    DATED = "2026-03-04 02:00:00,000 start training"

    @pytest.mark.parametrize("count", [8, 100])
    @pytest.mark.parametrize(
        "each", ["step {n} | loss: 2.{n}", "{{'loss': 2.{n}, 'epoch': 0.{n}}}", " 9%|█ | {n}/900 [1:00<2:00, 9.1s/it]"]
    )
    def test_steps_without_a_clock_before_the_end(self, count: int, each: str) -> None:
        log = [self.DATED, *(each.format(n=n) for n in range(10, 10 + count)), CANCEL]
        found = diagnosis_of("\n".join(log))
        assert (found.verdict, found.symptom) == (CANCELLED, "cancelled")

    def test_steps_without_a_clock_between_two_lines_with_one(self) -> None:
        log = [self.DATED, *steps(1, 9), "2026-03-04 09:00:00,000 got signal 15, shutting down"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_compiling_before_the_first_step(self) -> None:
        log = ["2026-03-04 02:00:00,000 64 processes, 256 devices", "2026-03-04 02:20:00,000 Training: step 10",
               "2026-03-04 02:20:09,000 Training: step 20", "2026-03-04 02:20:12,000 got signal 15"]  # fmt: skip
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_compiling_until_the_end(self) -> None:
        log = ["2026-03-04 02:00:00,000 compiling train_step", "2026-03-04 02:20:12,000 got signal 15, shutting down"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_a_run_that_stands_still_until_it_is_ended_is_a_hang_still(self) -> None:
        log = [f"2026-03-04 02:00:{n:02},000 step {n} loss: 2.{n}" for n in range(10, 40)]
        found = diagnosis_of("\n".join([*log, "2026-03-04 05:00:00,000 got signal 15, shutting down"]))
        assert (found.verdict, found.symptom) == (FAILURE, "hang")


class TestTimeThatIsGivenToEnd:
    def test_a_few_steps_after_the_schedulers_word_do_not_take_it_back(self) -> None:
        log = [*steps(1, 30), CANCEL, *steps(31, 34), "srun: error: n1: task 0: Killed"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_a_batch_systems_report_stands_before_the_output(self) -> None:
        log = ["Sender: LSF System <lsfadmin@node01>", "TERM_OWNER: job killed by owner.", "Exited with exit code 130.",
               "The output (if any) follows:", *steps(1, 90)]  # fmt: skip
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_a_job_that_was_put_back_and_came_to_its_end_is_healthy(self) -> None:
        log = [*steps(1, 30), CANCEL, *steps(1, 60), "training finished"]
        assert diagnosis_of("\n".join(log)).verdict == HEALTHY

    def test_a_silence_after_it_is_no_hang(self) -> None:
        log = [f"2026-03-04 12:{n:02}:00,000 step {n} loss: 2.{n}" for n in range(10, 40)]
        log += [CANCEL.replace("12:00:00", "12:39:02"), "2026-03-04 12:59:00,000 exiting"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED


def test_a_vague_word_of_a_log_without_steps_is_no_failure() -> None:
    log = ["nvidia: loading module", "nv_get: ERROR detected invalid context", "mlx5_0: Port: 1 Link ACTIVE",
           "docker0: port 3 entered disabled state", "systemd-journald[811]: flushing caches"]  # fmt: skip
    assert diagnosis_of("\n".join(log)).verdict != FAILURE
