"""Lines whose layout says who wrote them: keys in objects, levels by a collector, bars, indented text."""

import pytest

from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.report import FAILURE, HEALTHY, NO_EVIDENCE
from tests.kb.core.diagnosis.lines import best, diagnosis_of, indicated
from tests.kb.core.diagnosis.test_parsing import said


class TestKeysInObjects:
    @pytest.mark.parametrize(
        ("line", "who", "body", "level"),
        [
            (
                '{"ts": "2026-03-04T02:11:27.827Z", "level": "warning", "host": "gpu7", "rank": 3, "msg": "boom"}',
                {"node": "gpu7", "rank": "3"},
                "boom",
                "WARNING",
            ),
            (
                '{"severity":"ERROR","timestamp":"2026-03-04 02:11:27","k":[1],"message":"boom"}',
                {},
                "boom",
                "ERROR",
            ),
            (
                '{"asctime": "2026-03-04 02:11:27,827", "levelname": "INFO", "name": "a\\"b", "ok": true, '
                '"local_rank": "1", "message": "boom"}',
                {"local": "1"},
                "boom",
                "INFO",
            ),
            ('time="2026-03-04T02:11:27Z" level=error host=gpu7 msg="boom"', {"node": "gpu7"}, "boom", "ERROR"),
            ("(Worker pid=77) 2026-03-04 02:11:27,827\tWARNING loop.py:40 -- boom", {"actor": "Worker", "pid": "77"},
             "boom", "WARNING"),
            ("[rank1]:[run-7b] 2026-03-04 02:11:27,827 - root - INFO - boom", {"rank": "1"}, "boom", "INFO"),
        ],
    )  # fmt: skip
    def test_say_who_wrote_the_line(self, line: str, who: dict[str, str], body: str, level: str) -> None:
        assert said(line) == (who, body, level)

    @pytest.mark.parametrize("line", ['{"loss": 2.1, "step": 4}', "{'loss': 2.1}", "{ not json", "level of detail: 3"])
    def test_what_is_no_record_of_a_logger_is_left_whole_or_without_its_own_keys_alone(self, line: str) -> None:
        assert line.endswith(line[parse_prefix(line).body :])
        assert parse_prefix(line).level.name == "UNKNOWN"

    def test_an_exception_within_a_text_is_found(self) -> None:
        head = '{"ts": "2026-03-04T02:11:%02dZ", "level": "%s", "host": "gpu7", "rank": 3, "msg": "%s"}'
        lines = [head % (number, "info", f"step={number} loss=2.{90 - number}") for number in range(20)]
        trace = r"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'ids'"
        found = diagnosis_of("\n".join([*lines, head % (30, "error", trace)]))
        assert (found.verdict, best(found).line, found.ranks[0].name) == (FAILURE, 21, "3")


class TestLevels:
    def test_a_stream_that_is_all_errors_is_no_failure(self) -> None:
        lines = [f'{{"level": "error", "msg": "pulling layer {number}"}}' for number in range(9)]
        assert diagnosis_of("\n".join(lines)).verdict == NO_EVIDENCE

    def test_a_warning_at_the_end_of_a_sound_run_is_no_failure(self) -> None:
        lines = [f"step {number} | loss: {2.5 - number / 100:.3f} | step_time: 1.0s" for number in range(30)]
        log = "\n".join([*lines, "WARNING: metrics push failed: HTTP 503 Service Unavailable", "training finished"])
        assert diagnosis_of(log).verdict == HEALTHY

    def test_indented_lines_take_no_alarm_from_the_level_that_they_are_logged_with(self) -> None:
        head = "(Worker_TP0 pid=9) ERROR 03-04 02:11:27 [executor.py:59] "
        trace = [
            "Traceback (most recent call last):",
            '  File "/x/a.py", line 3, in run',
            "    go(x)",
            "ValueError: bad",
        ]
        found = diagnosis_of("\n".join(head + line for line in trace))
        assert indicated(found) == [("job.log", 4)]


class TestSteps:
    def test_a_bar_keeps_the_step_whose_measures_follow_it(self) -> None:
        bars = [
            f"\r {number:2}%|#   | {number}/99 [00:01<00:02, 1.00s/it]\r{{'loss': {loss}, 'grad_norm': 1.0}}"
            for number, loss in [
                *((step, 5 - step / 10) for step in range(1, 30)),
                *((step, 9.9) for step in range(30, 40)),
            ]
        ]
        found = diagnosis_of("\n".join(bars))
        assert (found.symptom, found.iteration, best(found).line) == ("numerical", 30, 30)

    def test_two_heads_do_not_take_a_traceback_apart(self) -> None:
        trace = ["Traceback (most recent call last):", '  File "/x/a.py", line 3, in run', "    go(x)", "KeyError: 'a'"]
        found = diagnosis_of("\n".join(f"[rank2]:[rank2]: {line}" for line in trace))
        assert indicated(found) == [("job.log", 4)]
