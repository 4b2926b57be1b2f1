"""What tells one rank, one step or one run apart from its like, though no line sounds alarming."""

import pytest

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY
from tests.kb.core.diagnosis.lines import best, diagnosis_of
from tests.kb.core.diagnosis.test_evidence import CANCEL
from tests.kb.core.diagnosis.test_verdicts import steps

WATCHDOG = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, Timeout(ms)=600000)"


def job(*extra: str, paces: dict[int, float] | None = None, ranks: int = 8) -> str:
    """Steps of eight ranks, then other lines."""
    told = paces or {}
    lines = [
        f"[rank{rank}]: step {number} | loss: 2.{99 - number} | step_time: {told.get(rank, 1.0)}s"
        for number in range(1, 30)
        for rank in range(ranks)
    ]
    return "\n".join([*lines, *extra])


class TestWhatOneRankAloneSays:
    WAITS = tuple(f"[rank{rank}]: {WATCHDOG}" for rank in range(8) if rank != 5)

    @pytest.mark.parametrize(
        "words",
        [
            "[rank5]: INFO storage client switched to the second endpoint",
            "[rank5]: DEBUG buffer pool resized twice",
            "[rank5]: reading part seven again",
        ],
    )
    def test_counts_at_any_level_if_the_others_wait_afterwards(self, words: str) -> None:
        found = diagnosis_of(job(words, *self.WAITS))
        assert (found.verdict, found.symptom) == (FAILURE, "hang")
        assert best(found).text.endswith(words.partition(": ")[2].rpartition("INFO ")[2].rpartition("DEBUG ")[2])

    def test_is_no_news_where_the_others_say_it_too(self) -> None:
        words = (f"[rank{rank}]: INFO storage client switched to the second endpoint" for rank in range(8))
        assert "storage" not in best(diagnosis_of(job(*words, *self.WAITS))).text

    def test_is_no_news_of_the_rank_that_speaks_for_all(self) -> None:
        words = "[rank0]: INFO storage client switched to the second endpoint"
        assert "storage" not in best(diagnosis_of(job(words, *self.WAITS))).text

    def test_is_news_of_it_where_healthy_runs_do_not_say_it(self) -> None:
        words = "[rank0]: INFO storage client switched to the second endpoint"
        assert "storage" in best(diagnosis_of(job(words, *self.WAITS), healthy=job())).text
        assert "storage" not in best(diagnosis_of(job(words, *self.WAITS), healthy=job(words))).text

    def test_makes_no_failure_of_a_run_that_came_to_its_end(self) -> None:
        words = "[rank5]: INFO storage client switched to the second endpoint"
        assert diagnosis_of(job(words, "training finished")).verdict == HEALTHY


class TestStragglers:
    @pytest.mark.parametrize("end", ["training finished", "nothing more"])
    def test_a_rank_far_slower_than_the_others_makes_the_run_slow(self, end: str) -> None:
        found = diagnosis_of(job(end, paces={3: 4.0}))
        assert (found.verdict, found.symptom, found.ranks[0].name) == (FAILURE, "slowdown", "3")
        assert "Rank 3 takes 4.0 times as long" in found.sentence
        assert best(found).text.endswith("step_time: 4.0s")

    def test_one_that_is_a_little_slower_does_not(self) -> None:
        assert diagnosis_of(job("training finished", paces={3: 1.4})).verdict == HEALTHY

    def test_half_of_them_are_no_stragglers(self) -> None:
        assert diagnosis_of(job("training finished", paces=dict.fromkeys(range(4), 4.0))).verdict == HEALTHY

    def test_a_run_that_somebody_ended_is_cancelled_still(self) -> None:
        assert diagnosis_of(job(CANCEL, paces={3: 4.0})).verdict == CANCELLED


class TestSingleSlowSteps:
    def test_are_told_of_a_healthy_run(self) -> None:
        found = diagnosis_of("\n".join([*steps(1, 40, pace={20: 9.1}), "training finished"]))
        assert (found.verdict, found.sentence.endswith("One step took far longer than usual.")) == (HEALTHY, True)
        assert [(line.line, line.indicated, line.why) for line in found.lines] == [
            (20, False, ("It took 9 times as long as usual.",))
        ]

    def test_the_first_is_slow_in_any_run(self) -> None:
        assert diagnosis_of("\n".join([*steps(1, 40, pace={1: 30.0}), "training finished"])).lines == ()
