"""How sure a suspicion is: whose word it rests on, and whether it tells one from the others."""

import pytest

from tests.kb.core.diagnosis.lines import diagnosis_of
from tests.kb.core.diagnosis.test_blame import OOM, STEPS, first


class TestHowSureItIs:
    @staticmethod
    def exits(*lines: str, error: str) -> str:
        """All eight ranks fail alike; the launcher names one."""
        failed = "".join(f"[rank{rank}]: {error}\n" for rank in range(8))
        return f"world size 8\n{STEPS}{failed}" + "\n".join(lines)

    def test_which_of_all_that_failed_alike_ended_first_tells_nothing(self) -> None:
        launcher = "  rank      : 5 (local_rank: 5)\n  exitcode  : 1 (pid: 12)"
        text = self.exits(launcher, error="ValueError: shapes (4, 8) and (4, 9) do not match")
        assert not diagnosis_of(text).ranks

    def test_a_signal_of_its_own_tells_something(self) -> None:
        launcher = "E torch/distributed/elastic: failed (exitcode: -11) local_rank: 5 (pid: 12) of binary: python"
        places = "".join(f"[rank{rank}]: rank {rank} of 8 up on node01, device cuda:{rank}\n" for rank in range(8))
        text = places + self.exits(launcher, error="RuntimeError: Connection closed by peer")
        assert first(diagnosis_of(text))[1] == "5"

    @pytest.mark.parametrize(
        ("other", "rank"), [("", "3"), ("node02: NCCL INFO Bootstrap\n", "3"), ("NODE_RANK=1\n", None)]
    )
    def test_a_local_rank_is_the_rank_where_there_is_one_node(self, other: str, rank: str | None) -> None:
        launcher = (
            f"['python', '-u', 'train.py', '--local_rank=3', {'x' * 300!r}] exits with return code = -7\n"
            "E torch/distributed/elastic: failed (exitcode: -7) local_rank: 3 (pid: 702) of binary: python3\n"
        )
        assert first(diagnosis_of(f"{other}{STEPS}{launcher}"))[1] == rank

    def test_who_wrote_it_comes_before_who_ended_first(self) -> None:
        places = "".join(f"[rank{rank}]: rank {rank} of 8 up on node01, device cuda:{rank}\n" for rank in range(8))
        launcher = "E torch/distributed/elastic: failed (exitcode: -6) local_rank: 5 (pid: 12) of binary: python\n"
        ranks = diagnosis_of(f"{places}{STEPS}[rank3]: {OOM}\n{launcher}").ranks
        assert [rank.name for rank in ranks if rank.score >= 0.9] == ["3"]
        assert "5" in {rank.name for rank in ranks}

    def test_one_rank_alone_is_no_certainty(self) -> None:
        alone = f"[rank3]: rank 3 of 8 up on node01, device cuda:3\n{STEPS}[rank3]: {OOM}\n"
        others = "".join(f"[rank{rank}]: rank {rank} of 8 up on node01, device cuda:{rank}\n" for rank in (0, 1, 2))
        assert diagnosis_of(alone).ranks[0].score < 0.9
        assert diagnosis_of(others + alone).ranks[0].score == 1

    def test_the_rank_that_torchrun_calls_the_first(self) -> None:
        def report(rank: int, code: int) -> str:
            place = f"  host      : node02\n  rank      : {rank} (local_rank: {rank - 8})\n"
            return f"{place}  exitcode  : {code} (pid: 81{rank})\n"

        plain = f"Failures:\n[1]:\n{report(9, 1)}Root Cause (first observed failure):\n[0]:\n{report(11, 1)}"
        assert first(diagnosis_of(f"{STEPS}train.py FAILED\n{plain}")) == ("node02", "11")
        signal = f"Failures:\n[1]:\n{report(9, -11)}Root Cause (first observed failure):\n[0]:\n{report(11, 1)}"
        assert first(diagnosis_of(f"{STEPS}train.py FAILED\n{signal}")) == ("node02", "9")

    @pytest.mark.parametrize(("rank", "suspects"), [(0, []), (3, ["3"])])
    def test_rank_0_prints_the_numbers_of_all(self, rank: int, suspects: list[str]) -> None:
        scale = f"[2024-03-06 10:00:01,040] [INFO] [Rank {rank}] step=79990, skipped=0"
        error = f"[rank{rank}]: Exception: Current loss scale already at minimum - cannot decrease scale anymore."
        diagnosis = diagnosis_of(f"{scale}\n{STEPS}{error}\n")
        assert diagnosis.symptom == "numerical"
        assert [suspect.name for suspect in diagnosis.ranks] == suspects

    def test_a_local_rank_that_ended_plainly_tells_nothing(self) -> None:
        launcher = "E torch/distributed/elastic: failed (exitcode: 1) local_rank: 0 (pid: 702) of binary: python3\n"
        error = "Exception: Current loss scale already at minimum - cannot decrease scale anymore."
        assert not diagnosis_of(f"{STEPS}{error}\n{launcher}").ranks

    def test_a_scheduler_s_word_is_nearly_one(self) -> None:
        (node,) = diagnosis_of(f"{STEPS}srun: error: Node failure on node02\n").nodes
        assert 0.9 < node.score < 1

    def test_a_process_that_is_not_reached_after_the_failure_is_not_to_blame(self) -> None:
        late = "[c10d] The client socket has timed out after 60000ms while trying to connect to (node01, 41331).\n"
        diagnosis = diagnosis_of(f"[rank3]: rank 3 of 8 up on node02\n{STEPS}[rank3]: {OOM}\n{late}")
        assert first(diagnosis) == ("node02", "3")
