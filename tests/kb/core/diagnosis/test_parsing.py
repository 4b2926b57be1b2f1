"""What a single line says: its prefix, its mask, its step, its time, how it sounds. All pure."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.parsing.alarms import alarm
from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.parsing.masking import codes_of, collapsed, masked
from kb.core.diagnosis.parsing.prefixes import Level, parse_prefix
from kb.core.diagnosis.parsing.stages import mark
from kb.core.diagnosis.parsing.steps import plan, step
from kb.core.diagnosis.scanning.lines import collapsed_bytes

LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=200)


def said(line: str) -> tuple[dict[str, str], str, str]:
    """Who wrote the line, its own text, and its level's name."""
    found = parse_prefix(line)
    match = found.shape.pattern.match(line)
    assert match is not None
    values = [match[group] for group in found.shape.identity]
    known = {name: value for name, value in zip(found.shape.fields, values, strict=True) if value}
    return known, found.text, found.level.name


class TestPrefixes:
    @pytest.mark.parametrize(
        ("line", "who", "body", "level"),
        [
            ("[rank3]: boom", {"rank": "3"}, "boom", "UNKNOWN"),
            ("[default0]: boom", {"local": "0"}, "boom", "UNKNOWN"),
            ("[1,3]<stderr>: boom", {"rank": "3"}, "boom", "UNKNOWN"),
            ("12: boom", {"task": "12"}, "boom", "UNKNOWN"),
            ("gpu-a-07: boom", {"host": "gpu-a-07"}, "boom", "UNKNOWN"),
            (
                "node4:371:502 [1] NCCL INFO hello",
                {"node": "node4", "pid": "371", "gpu": "1"},
                "NCCL INFO hello",
                "UNKNOWN",
            ),
            (
                "(TrainWorker pid=77, ip=10.0.0.4) boom",
                {"actor": "TrainWorker", "pid": "77", "ip": "10.0.0.4"},
                "boom",
                "UNKNOWN",
            ),
            (
                "[pod/train-worker-3/pytorch] boom",
                {"node": "train-worker-3", "container": "pytorch"},
                "boom",
                "UNKNOWN",
            ),
            ("2026-01-02 03:04:05,678 - trainer - ERROR - boom", {}, "boom", "ERROR"),
            ("[2026-01-02 03:04:05,678] [INFO] [engine.py:12:step] boom", {}, "boom", "INFO"),
            ("INFO 05-12 10:00:01 [core.py:58] boom", {}, "boom", "INFO"),
            ("E0102 03:04:05.678901 812 torch/distributed/x.cpp:66] boom", {"pid": "812"}, "boom", "ERROR"),
            (
                "[rank5]:[E102 ProcessGroupNCCL.cpp:616] boom",
                {"rank": "5"},
                "[E102 ProcessGroupNCCL.cpp:616] boom",
                "UNKNOWN",
            ),
            ("[rank5]:[E0102 03:04:05.678901 ProcessGroupNCCL.cpp:616] boom", {"rank": "5"}, "boom", "ERROR"),
            ("2026-07-30T02:38:33.8740364Z ##[error]boom", {}, "boom", "ERROR"),
            ("05/27/2026 04:15:09 - WARNING - loop - boom", {}, "loop - boom", "WARNING"),
            ("2026-01-02 03:04:05.678 | ERROR    | loop:step:18 - boom", {}, "boom", "ERROR"),
            ("Jan  2 03:04:05 gpu7 kernel: NVRM: boom", {"node": "gpu7"}, "NVRM: boom", "UNKNOWN"),
        ],
    )
    def test_launchers_and_loggers_are_recognised(self, line: str, who: dict[str, str], body: str, level: str) -> None:
        assert said(line) == (who, body, level)

    @pytest.mark.parametrize(
        "line",
        [
            "ValueError: boom",
            "RuntimeError: CUDA error",
            "step3: done",
            "a plain sentence: with a colon",
            '  File "train.py", line 3, in <module>',
            "{'loss': 2.5}",
        ],
    )
    def test_what_only_looks_like_a_head_is_text(self, line: str) -> None:
        assert said(line)[:2] == ({}, line)

    def test_a_local_rank_is_not_a_rank(self) -> None:
        assert "rank" not in said("[default5]: hello")[0]

    @given(LINES)
    def test_every_line_is_its_heads_and_its_text(self, line: str) -> None:
        found = parse_prefix(line)
        match = found.shape.pattern.match(line)
        assert match is not None
        assert match.end() == found.body <= len(line)


class TestMasks:
    @given(st.text(st.characters(codec="utf-8"), max_size=300))
    def test_digits_collapse_as_one_regular_expression_would_say(self, text: str) -> None:
        assert collapsed(text) == re.sub("[0-9]+", "0", text)
        assert collapsed_bytes(text.encode()) == collapsed(text).encode()

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("rank 3 lost 10.0.0.4:29500", "rank 17 lost 10.9.1.44:4000"),
            ("opened /data/a/b/model.pt", "opened /scratch/x/model.pt"),
            (
                "at 0x7f001234 id 3f2b6c1a-0000-4000-8000-0123456789ab",
                "at 0xdeadbeef id 00000000-1111-4222-8333-444455556666",
            ),
            ("loss 2.5e-03 after 12:30:01", "loss 7.25e+02 after 01:02:03"),
        ],
    )
    def test_what_changes_from_run_to_run_is_masked(self, one: str, other: str) -> None:
        assert masked(one) == masked(other)

    def test_a_code_that_says_what_happened_is_kept(self) -> None:
        killed, aborted = "failed (exitcode: -9) pid 31", "failed (exitcode: -6) pid 78"
        assert masked(killed) != masked(aborted)
        assert (codes_of(killed), codes_of(aborted), codes_of("pid 31")) == (("-9",), ("-6",), ())

    @given(LINES)
    def test_masking_twice_changes_nothing_of_note(self, line: str) -> None:
        assert len(masked(line)) <= 2 * len(line) + 20


ODD_PIECES = (
    "loss: ",
    "took ",
    "dt=",
    "s/it",
    " ms",
    "norm ",
    ".",
    "..",
    "1",
    "٣",
    "e",
    "E+",
    "-",
    "nan",
    "inf",
    " ",
    "s",
)


class TestSteps:
    @pytest.mark.parametrize(
        ("body", "iteration", "loss", "norm", "pace", "is_done"),
        [
            (
                " iteration   43/ 999 | elapsed time per iteration (ms): 1449.8 | lm loss: 6.14E+00 | grad norm: 1.6 |",
                43,
                6.14,
                1.6,
                1.4498,
                True,
            ),
            ("step=12, loss=nan, grad_norm=inf, iter_time=2.5s", 12, math.nan, math.inf, 2.5, True),
            ("step 32 begin | mem 63.1 GB", 32, None, None, None, False),
            ("steps: 21 loss: 11.5 iter time (s): 1.25 samples/sec: 420.016", 21, 11.5, None, 1.25, True),
            ("[18/32] loss 11.5 | 4150 ms/step | lr 0.0002", 18, 11.5, None, 4.15, True),
            ("{'loss': 0.52, 'grad_norm': 3.1, 'global_step': 9}", 9, 0.52, 3.1, None, True),
            (" 12%|#2        | 120/1000 [03:00<22:00,  1.50s/it]", 120, None, None, 1.5, True),
        ],
    )
    def test_each_framework_s_way_of_telling_is_read(
        self, body: str, iteration: int, loss: float | None, norm: float | None, pace: float | None, is_done: bool
    ) -> None:
        how = plan(body)
        assert how is not None
        match = how.pattern.match(body)
        assert match is not None
        told = step(match, how)
        assert (told.iteration, how.is_done) == (iteration, is_done)
        for found, expected in ((told.loss, loss), (told.norm, norm), (told.seconds, pace)):
            assert found == (None if expected is None else pytest.approx(expected, nan_ok=True))

    @given(st.integers(0, 10**9), st.floats(0, 1e6), st.floats(0, 1e6))
    def test_a_plan_of_one_line_reads_all_lines_of_its_kind(self, iteration: int, loss: float, pace: float) -> None:
        how = plan("step: 1 loss: 0.5 step_time: 0.5")
        assert how is not None
        line = f"step: {iteration} loss: {loss:.4f} step_time: {pace:.2f}"
        match = how.pattern.match(line)
        assert match is not None
        told = step(match, how)
        assert (told.iteration, told.loss, told.seconds) == (iteration, round(loss, 4), round(pace, 2))

    @given(st.lists(st.sampled_from(ODD_PIECES), max_size=12).map("".join))
    def test_what_only_looks_like_a_number_is_none(self, text: str) -> None:
        how = plan(f"step 7 {text}")
        match = how.pattern.match(f"step 7 {text}") if how is not None else None
        assert how is None or (match is not None and step(match, how).iteration == 7)

    @pytest.mark.parametrize(
        "body",
        [
            "validation loss at iteration 400",
            "no step here",
            "step by step",
            "loss: 3",
            "total steps: 4000",
            "[3/8] done",
        ],
    )
    def test_what_tells_no_step_gives_none(self, body: str) -> None:
        assert plan(body) is None


class TestClocks:
    @pytest.mark.parametrize(
        ("one", "other", "apart"),
        [
            ("2026-01-02 03:04:05", "2026-01-02 03:04:06", 1),
            ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z", 0),
            ("2026-01-02 03:04:05,250", "2026-01-02 03:04:05.750", 0.5),
            ("0102 03:04:05.000001", "0103 03:04:05.000001", 86400),
            ("Jan  2 03:04:05", "Jan 12 03:04:05", 864000),
            ("05/27/2026 04:15:09", "2026-05-27 04:15:10", 1),
            ("03:04:05", "04:04:05", 3600),
        ],
    )
    def test_two_times_are_as_far_apart_as_they_say(self, one: str, other: str, apart: float) -> None:
        here, there = seconds(one), seconds(other)
        assert here is not None
        assert there is not None
        assert there - here == pytest.approx(apart)

    @given(LINES)
    def test_no_text_is_too_odd_to_be_no_time(self, line: str) -> None:
        seconds(line)


class TestAlarms:
    def test_explicit_lines_sound_graver_than_vague_ones(self) -> None:
        said = [
            alarm("loaded 12 shards", Level.INFO),
            alarm("an error was seen", Level.UNKNOWN),
            alarm("could not reach the host", Level.UNKNOWN),
            alarm("could not reach the host", Level.ERROR),
            alarm("ValueError: wrong shape", Level.UNKNOWN),
        ]
        assert said == sorted(said)
        assert said[0] == 0

    @pytest.mark.parametrize(
        "line",
        [
            "0 errors",
            "errors: 0",
            "FutureWarning: x is deprecated",
            "could not import x, falling back",
            "+ echo failed",
        ],
    )
    def test_what_only_has_the_word_is_harmless(self, line: str) -> None:
        assert alarm(line, Level.INFO) == 0

    @given(LINES)
    def test_no_line_sounds_worse_than_an_exception(self, line: str) -> None:
        assert 0 <= alarm(line, Level.UNKNOWN) <= 3.5


class TestStages:
    @pytest.mark.parametrize(
        ("text", "stage"),
        [
            ("saving checkpoint at iteration 100", "checkpoint"),
            ("successfully saved checkpoint at iteration 100", "saved"),
            ("loading checkpoint shards", "load"),
            ("***** Running training *****", "train"),
            ("***** Running Evaluation *****", "eval"),
            ("validation loss at iteration 100", "evaluated"),
            ("training finished", "finished"),
            ("hello", ""),
        ],
    )
    def test_lines_mark_stages(self, text: str, stage: str) -> None:
        assert mark(text) == stage
