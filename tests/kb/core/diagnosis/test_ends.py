"""How runs end and what they are judged by: what began with a slowdown, pauses, cancelled jobs, clocks that differ."""

import pytest

from kb.core.diagnosis.pipeline import diagnosed
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, INCOMPLETE
from tests.kb.core.diagnosis.lines import best, diagnosis_of, read_texts
from tests.kb.core.diagnosis.test_verdicts import TIMEOUT, steps

CANCEL = "slurmstepd: error: *** JOB 7 ON gpu1 CANCELLED AT {} DUE TO TIME LIMIT ***"


def timed(first: int, last: int, minute: int = 0, each: int = 2) -> list[str]:
    """Steps that tell no pace, with times."""
    times = ((number, divmod(number * each + minute * 60, 60)) for number in range(first, last + 1))
    return [f"2026-03-04 02:{at[0]:02}:{at[1]:02},000 step {number} | loss: 2.{99 - number}" for number, at in times]


class TestSlowdowns:
    SLOW = "[rank1]: WARNING: GPU 1: SM clock throttled to 345 MHz"

    def test_what_is_first_heard_of_when_steps_become_slow_comes_first(self) -> None:
        log = [*steps(1, 20), self.SLOW, *steps(21, 40, pace=dict.fromkeys(range(21, 41), 2.1))]
        found = diagnosis_of("\n".join(log))
        assert (found.verdict, found.symptom, found.iteration) == (FAILURE, "slowdown", 21)
        assert (best(found).line, found.ranks[0].name) == (21, "1")

    def test_what_was_said_before_does_not_explain_it(self) -> None:
        log = [self.SLOW, *steps(1, 20), self.SLOW, *steps(21, 40, pace=dict.fromkeys(range(21, 41), 2.1))]
        assert best(diagnosis_of("\n".join(log))).line == 23

    def test_a_pace_that_no_line_tells_is_read_off_the_times_of_steps(self) -> None:
        log = [*timed(1, 15), *timed(16, 25, minute=1, each=8)]
        assert diagnosis_of("\n".join(log)).symptom == "slowdown"
        assert diagnosis_of("\n".join([*timed(1, 25), "training finished"])).verdict == HEALTHY


class TestPauses:
    def test_a_run_that_was_silent_until_its_time_was_up_hung(self) -> None:
        found = diagnosis_of("\n".join([*timed(1, 20), CANCEL.format("2026-03-04T04:00:00")]))
        assert (found.verdict, found.symptom) == (FAILURE, "hang")

    def test_one_that_worked_until_then_was_cancelled(self) -> None:
        found = diagnosis_of("\n".join([*timed(1, 20), CANCEL.format("2026-03-04T02:00:42")]))
        assert (found.verdict, best(found).line) == (CANCELLED, 21)

    def test_the_last_words_of_one_process_explain_it(self) -> None:
        words = "2026-03-04 02:00:41,000 [rank3]: WARNING: fetch of part 7 has been pending for 30 s"
        log = [*(line.replace(",000 ", ",000 [rank0]: ") for line in timed(1, 20)), words]
        found = diagnosis_of("\n".join([*log, CANCEL.format("2026-03-04T04:00:00")]))
        assert (found.symptom, best(found).line) == ("hang", 21)

    def test_one_that_is_seen_to_stand_still_hangs_and_names_who_stayed_behind(self) -> None:
        log = "\n".join(
            f"[rank{rank}]: step {number} | loss: 2.{number} | step_time: 1.0s"
            for number in range(10, 40)
            for rank in range(4)
            if rank != 2 or number <= 35
        )
        assert diagnosis_of(log).verdict == INCOMPLETE
        watched = diagnosed(read_texts({"job.log": log}), stands_still=300.0)
        assert (watched.verdict, watched.symptom, watched.ranks[0].name) == (FAILURE, "hang", "2")

    def test_a_quiet_rank_is_no_pause_of_a_run_that_goes_on(self) -> None:
        files = {
            "rank0.log": "\n".join([*timed(1, 300), "got signal 15"]),
            "rank1.log": "2026-03-04 02:00:01,000 ready\n2026-03-04 02:10:01,000 got signal 15",
            "batch.log": CANCEL.format("2026-03-04T02:10:00"),
        }
        assert diagnosis_of(files).verdict == CANCELLED


class TestTeardown:
    """What a run that is done tells its own processes."""

    @pytest.mark.parametrize(
        "end", ["Training finished.", "INFO Shutting down Ray distributed executor.", "Run completed successfully"]
    )
    def test_a_signal_after_the_end_cancels_nothing(self, end: str) -> None:
        found = diagnosis_of(f"loading model\n{end}\n*** SIGTERM received at time=1739834838 on cpu 88 ***")
        assert found.verdict == HEALTHY

    def test_one_before_it_does(self) -> None:
        log = [*timed(1, 20), "*** SIGTERM received at time=1739834838 on cpu 88 ***", "run completed successfully"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_steps_after_the_word_say_that_it_was_not_the_end(self) -> None:
        log = ["Run completed successfully", *timed(1, 20), "*** SIGTERM received at time=1739834838 on cpu 88 ***"]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED


class TestServers:
    AT_WORK = [f"INFO Engine 000: Avg prompt throughput: {90 + n}.5 tokens/s, Running: {n} reqs" for n in range(20)]
    LINES = (
        "ERROR: request 71 failed: the prompt exceeds the maximum context length",
        "openai.BadRequestError: temperature must be non-negative",
        "WARNING: metrics push failed: HTTP 503 Service Unavailable",
        "connection reset by client",
    )

    @pytest.mark.parametrize("line", LINES)
    def test_that_go_on_answering_have_not_failed(self, line: str) -> None:
        assert diagnosis_of("\n".join([*self.AT_WORK, line, *self.AT_WORK])).verdict == HEALTHY

    OUT_OF_MEMORY = "ERROR: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."

    def test_that_go_on_answering_failed_one_request(self) -> None:
        answered = [f'INFO: 192.0.2.4:{n} - "POST /v1/embeddings HTTP/1.1" 200 OK' for n in range(4)]
        assert diagnosis_of("\n".join([*self.AT_WORK, self.OUT_OF_MEMORY, *answered])).verdict == HEALTHY

    def test_that_are_only_asked_from_then_on_have_failed(self) -> None:
        asked = [f"INFO Received request cmpl-{n}: prompt: 'x'" for n in range(4)]
        found = diagnosis_of("\n".join([*self.AT_WORK, self.OUT_OF_MEMORY, *asked]))
        assert (found.verdict, best(found).line) == (FAILURE, 21)

    def test_that_lose_their_device_have_whatever_they_write_after_it(self) -> None:
        lost = "ERROR NVRM: Xid (PCI:0000:4e:00): 79, GPU has fallen off the bus."
        found = diagnosis_of("\n".join([*self.AT_WORK, lost, *self.AT_WORK]))
        assert (found.verdict, best(found).line) == (FAILURE, 21)


class TestServersThatStandStill:
    REPORT = (
        "INFO Engine 000: Avg prompt throughput: {0} tokens/s, Avg generation throughput: {0} tokens/s, "
        "Running: {1} reqs"
    )

    def log(self, *reports: tuple[float, int]) -> list[str]:
        return [line for report in reports for line in (self.REPORT.format(*report), "INFO: Received request cmpl-7.")]

    def test_hang_from_the_first_report_on_that_says_so(self) -> None:
        found = diagnosis_of("\n".join(self.log((80.5, 3), (0.0, 3), (91.2, 4), (0.0, 4), (0.0, 5), (0.0, 9))))
        assert (found.verdict, found.symptom, found.stage) == (FAILURE, "hang", "serve")
        assert (best(found).line, best(found).indicated) == (7, True)
        assert "generates nothing" in found.sentence
        assert (found.symptom_code, bool(found.checks)) == ("hang-serving", True)

    @pytest.mark.parametrize(
        "last", [((0.0, 2), (0.0, 2)), ((0.0, 0), (0.0, 0), (0.0, 0)), ((0.0, 2), (0.0, 2), (0.0, 2), (12.5, 2))]
    )
    def test_do_not_where_nothing_is_asked_or_it_works_again(self, last: tuple[tuple[float, int], ...]) -> None:
        assert diagnosis_of("\n".join(self.log((80.5, 3), (91.2, 4), *last))).verdict == HEALTHY


class TestTroubleThatIsGotOver:
    ASKED_TOO_OFTEN = "ERROR hub: 429 Client Error: Too Many Requests for url: https://hub.invalid/x"

    def test_a_line_that_says_so_is_no_failure(self) -> None:
        log = [*steps(1, 30), f"{self.ASKED_TOO_OFTEN}, retrying in 5 s", "training finished"]
        assert diagnosis_of("\n".join(log)).verdict == HEALTHY

    def test_one_that_says_that_it_was_in_vain_is_one(self) -> None:
        log = [*steps(1, 30), f"{self.ASKED_TOO_OFTEN}, giving up after 5 attempts to retry"]
        assert diagnosis_of("\n".join(log)).verdict == FAILURE


class TestWordsOfWhoEndsRuns:
    WORDS = (
        "shutdown requested, saving first",
        "the run was stopped from the dashboard",
        "srun: sending Ctrl-C to StepId=18.0",
        "Stopping container pytorch",
        "preempted to accommodate a workload of another queue",
        "the instance was preempted by its provider",
        "suspended in favour of a higher priority queue",
        "job 18 ran for longer than the limit of 4 h",
        "Job 'raysubmit_Ab12' was stopped",
        "Gracefully stopping... (press Ctrl+C again to force)",
        "worker-1 exited with code 143",
        "wandb: Ctrl + C detected. Stopping sync.",
        "训练被管理员手动终止",
        "收到用户的停止请求，正在退出",
    )

    @pytest.mark.parametrize("words", WORDS)
    def test_say_that_it_was_cancelled(self, words: str) -> None:
        found = diagnosis_of("\n".join([*steps(1, 30), words]))
        assert (found.verdict, best(found).line) == (CANCELLED, 31)

    @pytest.mark.parametrize(
        "words", ["request 12 was aborted by its owner", "Sequence group 7 is preempted by mode 2"]
    )
    def test_do_not_when_they_are_of_requests(self, words: str) -> None:
        assert diagnosis_of("\n".join([*steps(1, 30), words, "training finished"])).verdict == HEALTHY


class TestEnds:
    def test_a_crash_in_the_first_step_is_a_failure_to_launch(self) -> None:
        log = "starting at iteration 0\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (4x2 and 3x4)"
        assert diagnosis_of(f"world size: 8\n{log}").symptom == "launch_failure"

    def test_a_weak_line_before_a_cancelled_job_does_not_make_it_a_failure(self) -> None:
        log = [*steps(1, 20), "WARNING: metrics push failed: HTTP 503 Service Unavailable", CANCEL.format("2026-03-04")]
        assert diagnosis_of("\n".join(log)).verdict == CANCELLED

    def test_a_remote_command_that_ended_is_not_what_failed(self) -> None:
        log = [*steps(1, 9), "RuntimeError: CUDA error: an illegal memory access was encountered",
               "pdsh@head: gpu7: ssh exited with exit code 1"]  # fmt: skip
        found = diagnosis_of("\n".join(log))
        assert (best(found).line, found.symptom) == (10, "crash")

    def test_a_program_outside_of_git_is_no_failure(self) -> None:
        assert diagnosis_of("fatal: not a git repository (or any of the parent directories): .git").verdict != FAILURE

    @pytest.mark.parametrize("ahead", [0, 8])
    def test_an_error_on_a_machine_whose_clock_is_behind_was_not_survived(self, ahead: int) -> None:
        files = {
            "rank0.log": "\n".join([*timed(1, 20, minute=10), f"2026-03-04 02:21:00,000 [rank0]: {TIMEOUT}"]),
            "rank1.log": f"2026-03-04 02:10:{41 - ahead:02},000 kernel: Out of memory: Killed process 81 (python)",
        }
        assert best(diagnosis_of(files)).file == "rank1.log"
