"""How good diagnoses are on the judged logs: a floor that no change falls below unseen. The measures by hand."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from kb.core.diagnosis.parsing.vocabulary import Level
from tests.kb.core.diagnosis.evaluation.calibration import suspects
from tests.kb.core.diagnosis.evaluation.levels import figures as level_figures
from tests.kb.core.diagnosis.evaluation.levels import levels_of
from tests.kb.core.diagnosis.evaluation.measures import (
    Answer,
    Tally,
    f1,
    f1_of_events,
    judged,
    precision,
    recall,
    tally,
    wilson,
)
from tests.kb.core.diagnosis.evaluation.methods import first_error, ours
from tests.kb.core.diagnosis.evaluation.published import JUDGED, figures_of
from tests.kb.core.diagnosis.evaluation.truth import LOGS, Truth, read_truth
from tests.support.measured import compare

# A signal more or less does not change what readers may expect.
TOLERANCE = 0.03
NO_TRUTH = Truth(
    "id", "source", "kind", (), (), "failure", frozenset(), frozenset(), frozenset(), frozenset(), "", (), ""
)
FLOORS = {
    "hit@1": 0.75, "hit@5": 0.92, "F1": 0.57, "F1 events": 0.70, "node top-1": 0.85, "node top-3": 0.95, "stage": 0.9,
    "iteration": 0.85, "symptom": 0.85,
}  # fmt: skip


def truth(**fields: object) -> Truth:
    return replace(NO_TRUTH, **fields)  # type: ignore[arg-type]


@cache
def measured() -> Tally:
    return tally(judged(one, ours(one)) for one in read_truth())


class TestLevels:
    def test_what_is_said_alike_counts_once_at_its_gravest_level(self, tmp_path: Path) -> None:
        log = tmp_path / "job.log"
        log.write_text("WARNING: rank 1 lost\nERROR: rank 2 lost\nINFO: going down\nRuntimeError: gone\n")
        one = truth(files=(str(log),), root=frozenset((0, line) for line in (1, 2, 3, 4)))
        assert sorted(levels_of(one)) == [Level.UNKNOWN, Level.INFO, Level.WARNING, Level.ERROR]

    def test_lines_without_a_level_are_no_part_of_what_stands_below_error(self, tmp_path: Path) -> None:
        log = tmp_path / "job.log"
        log.write_text("ERROR: the disk is full\nINFO: going down\nRuntimeError: gone\n")
        one = truth(files=(str(log),), root=frozenset((0, line) for line in (1, 2, 3)))
        found = {figure.name: (figure.value, figure.n) for figure in level_figures([one], "all")}
        assert found["below_error_share"] == (0.5, 2)
        assert found["level_none"] == (0.3333, 3)
        assert found["job_without_error"] == (0, 1)


class TestMeasures:
    def test_support_is_right_but_need_not_be_found(self) -> None:
        one = truth(root=frozenset({(0, 3)}), support=frozenset({(0, 2), (0, 4)}))
        assert f1({(0, 3)}, one) == f1({(0, 2), (0, 3)}, one) == 1
        assert f1({(0, 3), (0, 9)}, one) == pytest.approx(2 / 3)
        assert f1({(0, 2)}, one) == f1(set(), one) == 0

    def test_hits_count_the_first_line_and_the_first_five(self) -> None:
        one = truth(root=frozenset({(0, 3)}))
        lines = tuple((0, line) for line in (9, 8, 7, 6, 3))
        found = judged(one, Answer(lines))
        assert (found["hit@1"], found["hit@5"], found["F1"]) == (0, 1, 0)
        assert judged(one, Answer(lines[::-1]))["hit@1"] == 1
        assert judged(one, Answer((*lines[:4], (0, 5), (0, 3))))["hit@5"] == 0

    def test_the_same_event_on_other_ranks_counts_once(self, tmp_path: Path) -> None:
        log = tmp_path / "job.log"
        log.write_text("step 1\n[rank1]: timed out at 10:01\n[rank2]: timed out at 10:02\nbye\n")
        one = truth(files=(str(log),), root=frozenset({(0, 2), (0, 3)}))
        assert f1({(0, 2)}, one) == pytest.approx(2 / 3)
        assert f1_of_events({(0, 2)}, one) == f1_of_events({(0, 2), (0, 3)}, one) == 1
        assert f1_of_events({(0, 2), (0, 4)}, one) == pytest.approx(2 / 3)

    def test_a_frame_is_of_the_event_that_it_belongs_to(self, tmp_path: Path) -> None:
        log = tmp_path / "job.log"
        log.write_text("step 1\n[rank1]: java.lang.Gone: shard 3\n[rank1]: \tat a.B.c(B.java:3)\n\n  at 4\nbye\n")
        one = truth(files=(str(log),), root=frozenset({(0, 2), (0, 3), (0, 5)}))
        assert f1_of_events({(0, 2)}, one) == 1
        assert f1_of_events({(0, 6)}, one) == 0

    def test_precision_is_of_what_is_named_and_recall_of_what_is_true(self) -> None:
        one = truth(root=frozenset({(0, 3), (0, 5)}), support=frozenset({(0, 2)}))
        named = {(0, 2), (0, 3), (0, 9), (0, 10)}
        assert (precision(named, one), recall(named, one)) == (0.5, 0.5)
        assert (precision(set(), one), recall(named, NO_TRUTH)) == (0, 0)

    @pytest.mark.parametrize(("share", "n", "low", "high"), [(0.5, 10, 0.237, 0.763), (1.0, 20, 0.839, 1.0)])
    def test_an_interval_is_wilsons(self, share: float, n: int, low: float, high: float) -> None:
        assert wilson(share, n) == pytest.approx((low, high), abs=0.001)

    def test_of_suspects_those_of_jobs_with_known_guilt_are_judged(self) -> None:
        answer = Answer(blamed=(("node", "node1", 0.95), ("node", "node2", 0.1), ("rank", "3", 0.8)))
        assert list(suspects([(truth(nodes=frozenset({"node1"})), answer), (NO_TRUTH, answer)])) == [
            (0.95, True),
            (0.1, False),
        ]

    def test_what_is_not_known_is_not_judged(self) -> None:
        assert judged(NO_TRUTH, Answer((), verdict="failure")) == {"verdict": 1}
        assert judged(truth(verdict="none"), Answer(verdict="failure")) == {"verdict": 0, "false alarm": 1}

    def test_an_iteration_may_be_one_off(self) -> None:
        one = truth(iterations=(40, 99))
        found = [judged(one, Answer(verdict="failure", iteration=number))["iteration"] for number in (39, 41, 42, 100)]
        assert found == [1, 1, 0, 1]

    def test_a_mean_is_over_the_jobs_that_were_judged(self) -> None:
        found = tally([{"hit@1": 1.0}, {"hit@1": 0.0, "F1": 0.5}])
        assert (found.mean("hit@1"), found.n("hit@1"), found.mean("F1"), found.mean("stage")) == (0.5, 2, 0.5, 0.0)


@pytest.mark.real_data
@pytest.mark.skipif(not LOGS.is_dir(), reason="needs ../shared/data")
class TestJudgedLogs:
    @pytest.mark.parametrize("measure", FLOORS)
    def test_each_measure_keeps_its_floor(self, measure: str) -> None:
        assert measured().mean(measure) >= FLOORS[measure], f"n = {measured().n(measure)}"

    def test_the_site_shows_what_is_measured(self) -> None:
        compare("diagnosis", list(figures_of(measured(), among=JUDGED)), within=TOLERANCE)

    def test_sound_runs_raise_no_alarm(self) -> None:
        assert measured().n("false alarm") >= 13
        assert measured().mean("false alarm") <= 0.05

    def test_a_diagnosis_beats_the_first_error_line_by_far(self) -> None:
        simple = tally(judged(one, first_error(one)) for one in read_truth())
        assert measured().mean("hit@1") >= 2 * simple.mean("hit@1") > 0
