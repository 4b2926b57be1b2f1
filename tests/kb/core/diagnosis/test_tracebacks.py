"""What belongs to a traceback and which of its lines is the root: exceptions by their place, not by their name."""

import pytest

from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.parsing.prefixes import Level, parse_prefix
from kb.core.diagnosis.report import HEALTHY
from tests.kb.core.diagnosis.lines import STEPS, TRACE, best, diagnosis_of, first_of, indicated


class TestExceptions:
    @pytest.mark.parametrize(
        "exception",
        [
            "_queue.Empty",
            "mylib.engine.ShardLost: shard 3 of 8 is gone",
            "store.Gone",
            "__main__.build.<locals>.Halt: no quorum",
            "StopIteration",
            "KeyboardPulled: by hand",
        ],
    )
    @pytest.mark.parametrize("head", ["", "[rank2]: ", "[2026-01-02 10:00:00,123] [ERROR] "])
    def test_the_line_after_the_frames_is_the_exception_whatever_its_name(self, exception: str, head: str) -> None:
        assert first_of(*(head + line for line in (*TRACE, exception))) == 4

    @pytest.mark.parametrize("source", ["get(refs, timeout=timeout)", "assert not failed, 'cannot be lost'", "fatal()"])
    def test_an_indented_line_of_an_open_traceback_is_a_frame_whatever_it_says(self, source: str) -> None:
        lines = [*TRACE, '  File "b.py", line 9, in wait', f"    {source}", "lib.Gone: it went away"]
        assert first_of(*lines) == 6

    def test_ranks_that_write_at_once_do_not_take_each_others_tracebacks_apart(self) -> None:
        pairs = zip((*TRACE, "lib.Gone: it went"), (*TRACE, "lib.Late: it came late"), strict=True)
        lines = [f"[rank{rank}]: {line}" for pair in pairs for rank, line in enumerate(pair)]
        found = diagnosis_of("\n".join((STEPS, *lines)))
        assert [line.line for line in found.lines[:2]] == [37, 38]
        assert indicated(found) == [("job.log", 37)]

    def test_others_may_write_between_the_frames(self) -> None:
        lines = [TRACE[0], TRACE[1], "saved 3 of 9 files, going on", TRACE[2], "lib.Gone: it went away"]
        assert first_of(*lines) == 5

    @pytest.mark.parametrize(
        "chain",
        [
            "During handling of the above exception, another exception occurred:",
            "The above exception was the direct cause of the following exception:",
        ],
    )
    def test_the_first_cause_of_a_chain_is_the_root(self, chain: str) -> None:
        lines = [*TRACE, "lib.Gone: shard 3", "", chain, "", *TRACE, "RuntimeError: step could not be made"]
        assert first_of(*lines) == 4

    def test_what_a_signal_knows_is_the_root_of_a_chain(self) -> None:
        lines = [*TRACE, "_queue.Empty", "", "The above exception was the direct cause of the following exception:", ""]
        lines += [*TRACE, "RuntimeError: DataLoader worker (pid(s) 71) exited unexpectedly"]
        assert first_of(*lines) == 11

    def test_an_exception_that_wraps_another_process_s_is_not_the_root(self) -> None:
        lines = [*TRACE, "ray.exceptions.RayTaskError(Gone): ray::Worker.run() (pid=3, ip=10.0.0.3)"]
        lines += ['  File "w.py", line 3, in run', "    self.go()", "lib.Gone: shard 3 is gone"]
        assert first_of(*lines) == 7

    def test_of_an_exception_from_another_process_the_first_is_the_root(self) -> None:
        lines = ["multiprocessing.pool.RemoteTraceback: ", '"""', *TRACE, "lib.Gone: shard 3 is gone", '"""', ""]
        lines += ["The above exception was the direct cause of the following exception:", "", *TRACE, "lib.Gone: 3"]
        assert first_of(*lines) == 6

    def test_of_an_exception_group_its_members_are_the_roots(self) -> None:
        branch = [f"    | {line}" for line in TRACE]
        lines = [
            "  + Exception Group Traceback (most recent call last):",
            *(f"  | {line}" for line in TRACE[1:]),
            "  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)",
            "  +-+---------------- 1 ----------------",
            *branch,
            "    | lib.Gone: shard 3 is gone",
            "    +---------------- 2 ----------------",
            *branch,
            "    | lib.Late: shard 4 is late",
            "    +------------------------------------",
        ]
        found = diagnosis_of("\n".join((STEPS, *lines)))
        assert [line for _, line in indicated(found)] == [30 + 9, 30 + 14]

    @pytest.mark.parametrize(
        "head",
        [
            "EngineCore hit an exception: Traceback (most recent call last):",
            "Initialization failed. router_init_state: Traceback (most recent call last):",
            "lib.Wrap: Traceback (most recent call last):",
            "Traceback (most recent call last): [repeated 3x across cluster]",
            "\u256d\u2500\u2500\u2500 Traceback (most recent call last) \u2500\u2500\u2500\u256e",
        ],
    )
    def test_a_traceback_may_open_behind_other_words(self, head: str) -> None:
        assert first_of(head, *TRACE[1:], "lib.Gone: shard 3") == 4

    def test_a_traceback_says_why_the_line_that_announces_it_was_written(self) -> None:
        assert (
            first_of("EngineCore failed to start.", *TRACE, "AttributeError: 'dict' object has no attribute 'x'") == 5
        )

    def test_what_ray_repeats_for_other_workers_is_the_same_event(self) -> None:
        lines = [f"(Worker pid={pid}) ValueError: bad shape" for pid in (3, 4)]
        assert first_of(lines[0], lines[1] + " [repeated 7x across cluster] (Ray deduplicates logs by default.)") == 1

    def test_a_note_and_a_long_message_belong_to_their_exception(self) -> None:
        lines = [*TRACE, "lib.Gone: shard 3:", "    cannot be read: timeout", "    fatal: gave up", "while loading"]
        assert first_of(*lines) == 4

    def test_what_a_native_exception_says_is_the_root_and_not_its_announcement(self) -> None:
        said = "  what():  CUDA error: uncorrectable NVLink error detected during the execution"
        assert first_of("terminate called after throwing an instance of 'c10::Error'", said) == 2

    def test_a_native_exception_may_say_nothing(self) -> None:
        assert first_of("terminate called after throwing an instance of 'my::Gone'") == 1

    def test_a_source_line_that_lost_its_indentation_is_no_exception(self) -> None:
        lines = [TRACE[0], 'File "a.py", line 3, in step', "outputs: Outputs = self.schedule()", "lib.Gone: no block"]
        assert first_of(*lines) == 4

    @pytest.mark.parametrize(
        "head",
        [
            "Exception ignored in: <function Connection.__del__ at 0x7f10>",
            "[rank0]: Exception ignored in: <module 'threading' from '/usr/lib/python3.12/threading.py'>",
            "Exception ignored while calling deallocator <function Pool.__del__ at 0x7f10>:",
        ],
    )
    def test_what_python_ignored_is_no_failure(self, head: str) -> None:
        rank = head[: head.find("Exception")]
        ignored = [head, *(f"{rank}{line}" for line in (*TRACE, "OSError: [Errno 9] Bad file descriptor"))]
        assert diagnosis_of("\n".join((STEPS, "training finished", *ignored))).verdict == HEALTHY
        assert best(diagnosis_of("\n".join((STEPS, *ignored, *TRACE, "KeyError: 'text'")))).text == "KeyError: 'text'"

    def test_what_a_thread_raises_after_the_end_is_no_failure(self) -> None:
        raised = ["Exception in thread Thread-3 (pusher):", *TRACE, "ConnectionError: the collector is gone"]
        assert diagnosis_of("\n".join((STEPS, "training finished", *raised))).verdict == HEALTHY
        assert best(diagnosis_of("\n".join((STEPS, *raised)))).text.startswith("ConnectionError")

    def test_a_dump_of_threads_has_no_exception(self) -> None:
        lines = ["Fatal Python error: Aborted", "", "Current thread 0x00007f01 (most recent call first):"]
        lines += ['  File "a.py", line 3 in wait', '  File "a.py", line 9 in failed', "", "Modules: numpy"]
        found = diagnosis_of("\n".join((STEPS, *lines)))
        assert best(found).line == 31


class TestPrefixes:
    """Prefixes without which a traceback or a warning is not seen as one."""

    @pytest.mark.parametrize(
        ("line", "level"),
        [
            ("[E321 02:07:08.408271207 ProcessGroupNCCL.cpp:607] it failed", Level.ERROR),
            ("[rank3]:[W1231 23:59:59.000000001 Guard.h:119] it failed", Level.WARNING),
            ("ERROR 07-10 09:23:56 multiproc_worker_utils.py:226] it failed", Level.ERROR),
        ],
    )
    def test_what_pytorch_and_vllm_put_before_a_line(self, line: str, level: Level) -> None:
        prefix = parse_prefix(line)
        assert (line[prefix.body :], prefix.level) == ("it failed", level)

    def test_a_month_may_stand_without_its_zero(self) -> None:
        assert seconds("321 02:07:08.5") == seconds("0321 02:07:08.5") == seconds("2000-03-21 02:07:08.5")
