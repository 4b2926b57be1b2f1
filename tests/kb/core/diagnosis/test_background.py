"""The background: what healthy runs say is worth less, by how many of how many say it, and no text is kept."""

import json
from collections.abc import Sequence

import pytest

from kb.core.diagnosis.analysis.verdict import diagnose
from kb.core.diagnosis.background.model import (
    NOTHING_USUAL,
    Background,
    Run,
    built,
    bundled,
    digest,
    formats_of,
    read,
    written,
)
from kb.core.diagnosis.report import FAILURE, HEALTHY
from kb.core.diagnosis.scanning.records import Scan
from tests.kb.core.diagnosis.lines import read_texts

NOISE = "srun: fan probe failed: cannot read PSU3, value unexpected"
STEPS = [
    f"iteration {number} | loss: {3 - number / 100:.3f} | elapsed time per iteration (ms): 900" for number in range(20)
]


def scanned(lines: Sequence[str]) -> Scan:
    return read_texts({"job.log": "\n".join(lines)}).scan


def healthy(*lines: str) -> Scan:
    return scanned([*STEPS, *lines])


class TestWhatIsUsual:
    def test_what_every_healthy_run_says_is_worth_less_the_more_of_them_there_are(self) -> None:
        log = scanned([*STEPS, NOISE, "RuntimeError: shapes cannot be multiplied"])
        scores = []
        for runs in (0, 1, 4, 16):
            background = built(("somewhere", healthy(NOISE)) for _ in range(runs))
            lines = diagnose(log, usual=background.beside(formats_of(log))).lines
            scores.append(next(line.score for line in lines if line.text == NOISE))
        assert scores == sorted(scores, reverse=True)
        assert scores[-1] < 0.4 * scores[0]

    def test_the_reader_is_told_in_how_many_of_how_many(self) -> None:
        log = scanned([*STEPS, NOISE, "RuntimeError: shapes cannot be multiplied"])
        background = built([("a", healthy(NOISE)), ("b", healthy(NOISE)), ("c", healthy())])
        lines = diagnose(log, usual=background.beside(formats_of(log))).lines
        said = next(line.why for line in lines if line.text == NOISE)
        assert "2 of 3 healthy runs of this kind log it too." in said

    def test_runs_of_other_formats_tell_nothing(self) -> None:
        background = Background((Run("a", frozenset({"vllm"})),), {"0011": (0,)})
        assert background.beside({"slurm"}) == NOTHING_USUAL
        assert background.beside({"vllm", "slurm"}).counts == {"0011": 1}

    def test_an_error_that_no_healthy_run_has_stays_the_first(self) -> None:
        log = scanned([*STEPS, NOISE, "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"])
        usual = built([("a", healthy(NOISE))]).beside(formats_of(log))
        found = diagnose(log, usual=usual)
        assert (found.verdict, found.lines[0].signal) == (FAILURE, "cuda-out-of-memory")


class TestLeavingOut:
    def test_a_source_that_is_left_out_leaves_no_trace(self) -> None:
        both = built([("a", healthy(NOISE)), ("b", healthy())])
        assert both.without("a") == built([("b", healthy())])

    def test_leaving_out_what_is_not_there_changes_nothing(self) -> None:
        one = built([("a", healthy(NOISE))])
        assert one.without("b") == one


class TestKeeping:
    def test_what_is_written_is_read_again(self) -> None:
        one = built([("a", healthy(NOISE)), ("b", healthy())])
        assert read(written(one)) == one

    def test_no_text_of_a_log_is_written(self) -> None:
        kept = written(built([("a", healthy(NOISE))]))
        assert "fan" not in kept
        assert all(len(line) == 16 for line in json.loads(kept)["lines"])

    def test_lines_that_differ_in_numbers_alone_are_one_kind(self) -> None:
        one, other = (healthy(f"error: worker {number} failed") for number in (4, 17))
        assert {digest(kind) for kind in one.templates} == {digest(kind) for kind in other.templates}

    def test_a_run_that_is_not_listed_is_refused(self) -> None:
        with pytest.raises(ValueError, match="not listed"):
            read('{"runs": [], "lines": {"00": [0]}}')

    def test_the_bundled_one_is_whole_and_says_of_how_many_runs_it_is(self) -> None:
        assert len(bundled().runs) >= 4
        assert all(run.formats for run in bundled().runs)
        assert all(runs for runs in bundled().lines.values())


def test_a_healthy_run_stays_healthy_with_and_without_a_background() -> None:
    log = healthy(NOISE, *STEPS, "training finished")
    assert diagnose(log).verdict == diagnose(log, usual=built([("a", log)]).beside(formats_of(log))).verdict == HEALTHY
