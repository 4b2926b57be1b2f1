"""What the watchdogs of collectives say, in the forms of several versions of PyTorch, is read as dumps are."""

from collections.abc import Iterable

import pytest

from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.scanning.claim_patterns import CLAIMS
from kb.core.diagnosis.scanning.watchdogs import CollectiveReport
from tests.kb.core.diagnosis.lines import diagnosis_of, read_texts

STEPS = "".join(f"step {number} | loss: 2.{number} | step_time: 1.1s\n" for number in range(10, 20))


def head(rank: int, source_line: int = 632) -> str:
    return f"[rank{rank}]:[E702 21:45:12.408271{rank:03d} ProcessGroupNCCL.cpp:{source_line}] "


def timeout(rank: int, sequence: int, operation: str = "ALLREDUCE", numel: tuple[int, int] = (4096, 4096)) -> str:
    work = f"SeqNum={sequence}, OpType={operation}, NumelIn={numel[0]}, NumelOut={numel[1]}, Timeout(ms)=600000"
    return (
        f"{head(rank)}[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL({work}) ran for 600038 "
        "milliseconds before timing out.\n"
    )


def failure(rank: int, sequence: int, enqueued: int, group: str = "PG ID 0 PG GUID 0(default_pg)") -> str:
    return (
        f"{head(rank)}[{group} Rank {rank}]  failure detected by watchdog at work sequence id: {sequence} "
        f"PG status: last enqueued work: {enqueued}, last completed work: {sequence - 1}\n"
    )


def dump_signal(rank: int, enqueued: int, completed: int, group: str = "PG ID 0 PG GUID 0(default_pg)") -> str:
    return (
        f"{head(rank)}[{group} Rank {rank}] Received a dump signal due to a collective timeout "
        f"from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: {enqueued}, last "
        f"completed NCCL work: {completed}.This is most likely caused by incorrect usages of collectives\n"
    )


def reports(*lines: str) -> list[CollectiveReport]:
    return read_texts({"job.log": "\n".join(lines)}).scan.collectives


def suspected(*lines: str | Iterable[str]) -> Diagnosis:
    text = "".join(line if isinstance(line, str) else "".join(line) for line in lines)
    return diagnosis_of(STEPS + text)


def ranks(diagnosis: Diagnosis) -> list[str]:
    return [rank.name for rank in diagnosis.ranks]


class TestForms:
    @pytest.mark.parametrize(
        ("text", "group", "sequence", "status"),
        [
            (
                "[PG 0 Rank 2] Timeout at NCCL work: 7, last enqueued NCCL work: 9, last completed NCCL work: 6.",
                "0", 7, (9, 6),
            ),
            (
                "[PG 4 (default_pg) Rank 6] Exception (either an error or timeout) detected by watchdog at work: 5, "
                "last enqueued NCCL work: 5, last completed NCCL work: 4.",
                "4", 5, (5, 4),
            ),
            (
                "[PG ID 3 PG GUID 37(TENSOR_MODEL_PARALLEL_GROUP) Rank 1]  failure detected by watchdog at work "
                "sequence id: 49387 PG status: last enqueued work: 49406, last completed work: 49386",
                "37", 49387, (49406, 49386),
            ),
            (
                "[PG ID 2 PG GUID a1:b2-c3 Rank 1] Received a dump signal due to a collective timeout from this local "
                "rank. Last enqueued XCCL work: 3, last completed XCCL work: -1.",
                "a1:b2-c3", None, (3, -1),
            ),
            (
                "[PG ID 0 PG GUID 0 Rank 1]  failure detected by watchdog at work sequence id: 2 PG status: last "
                "enqueued work: 39, last started work: 19 (_ALLGATHER_BASE), last completed work: 1",
                "0", 2, (39, 1),
            ),
        ],
    )  # fmt: skip
    def test_group_number_and_counters_are_read(
        self, text: str, group: str, sequence: int | None, status: tuple[int, int]
    ) -> None:
        (report,) = reports(head(2) + text)
        assert (report.group, report.sequence) == (group, sequence)
        assert (report.enqueued, report.completed) == status

    def test_the_collective_is_read_with_its_sizes_or_without(self) -> None:
        new, old, oldest = reports(
            timeout(1, 15, "_REDUCE_SCATTER_BASE", (64, 8)),
            "[E ProcessGroupNCCL.cpp:828] [Rank 3] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=15, OpType=BROADCAST, Timeout(ms)=1800000) ran for 1803308 milliseconds",
            "[E ProcessGroupNCCL.cpp:587] [Rank 5] Watchdog caught collective operation timeout: "
            "WorkHCCL(OpType=ALLGATHER, Timeout(ms)=1800000) ran for 1803308 milliseconds",
        )
        assert (new.sequence, new.operation, new.elements) == (15, "_REDUCE_SCATTER_BASE", (64, 8))
        assert (old.sequence, old.operation, old.elements) == (15, "BROADCAST", (None, None))
        assert (oldest.sequence, oldest.operation, oldest.waits) == (None, "ALLGATHER", True)

    def test_a_counter_printed_before_it_was_set_is_not_believed(self) -> None:
        text = (
            "[PG 0 Rank 2] Timeout at NCCL work: 1, last enqueued NCCL work: 1, last completed NCCL work: 7628075023."
        )
        (report,) = reports(head(2) + text)
        assert (report.enqueued, report.completed) == (1, None)

    def test_an_error_of_the_rank_itself_is_no_wait(self) -> None:
        work = "[Rank 3] Collective WorkNCCL(SeqNum=4, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=9) raised"
        own, others = (
            f"{head(3)}{work} the following async exception: NCCL error: {error}, NCCL version 2.21.5"
            for error in ("unhandled cuda error", "remote process exited or there was a network error")
        )
        assert not reports(own)
        assert [report.waits for report in reports(others)] == [True]

    def test_all_is_watched_for(self) -> None:
        assert CLAIMS["collective"].search("LAST ENQUEUED WORK: 3")


class TestWhoHoldsUpTheOthers:
    def test_a_silent_rank_of_a_known_world(self) -> None:
        diagnosis = suspected("world size 8\n", (timeout(rank, 31) for rank in range(7)))
        assert ranks(diagnosis) == ["7"]
        assert "wrote no watchdog line" in diagnosis.ranks[0].why

    @pytest.mark.parametrize("absent", [1, 2])
    def test_a_hole_in_the_ranks_of_an_unknown_world(self, absent: int) -> None:
        assert ranks(suspected(timeout(rank, 31) for rank in range(4) if rank != absent)) == [str(absent)]

    def test_the_sizes_that_are_gathered_show_how_many_take_part(self) -> None:
        assert ranks(suspected(timeout(rank, 31, "_ALLGATHER_BASE", (64, 256)) for rank in range(3))) == ["3"]

    def test_one_that_did_not_return_from_the_call(self) -> None:
        diagnosis = suspected((timeout(rank, 779) for rank in (0, 1, 3)), dump_signal(2, 778, 778))
        assert ranks(diagnosis)[0] == "2"
        assert "did not return from the call of all_reduce number 779" in diagnosis.ranks[0].why
        assert "if it came there" in diagnosis.ranks[0].why
        assert "never enqueued" not in " ".join(diagnosis.recorded)

    def test_one_that_enqueued_less_behind_the_same_collective(self) -> None:
        diagnosis = suspected(timeout(rank, 779) + failure(rank, 779, 779 if rank == 2 else 781) for rank in range(4))
        assert ranks(diagnosis) == ["2"]

    @pytest.mark.parametrize("odd", [("BROADCAST", (4096, 4096)), ("ALLREDUCE", (2048, 2048))])
    def test_one_in_another_operation_or_with_another_size(self, odd: tuple[str, tuple[int, int]]) -> None:
        usual = ("ALLREDUCE", (4096, 4096))
        diagnosis = suspected(timeout(rank, 5, *(odd if rank == 3 else usual)) for rank in range(6))
        assert ranks(diagnosis) == ["3"]

    def test_uneven_parts_of_an_all_to_all_are_no_mismatch(self) -> None:
        assert not ranks(suspected(timeout(rank, 5, "ALLTOALL_BASE", (64 + rank, 64 - rank)) for rank in range(4)))

    def test_one_that_waits_in_what_the_others_completed(self) -> None:
        diagnosis = suspected(timeout(1, 215121), timeout(0, 215122, "BROADCAST"))
        assert ranks(diagnosis) == ["1"]
        assert "did not see the end of what the others completed" in diagnosis.ranks[0].why

    def test_the_rank_is_the_job_s_where_a_line_names_that_in_its_group_too(self) -> None:
        group = "PG ID 5 PG GUID 37(TENSOR_MODEL_PARALLEL_GROUP)"
        lines = [timeout(rank, 49).replace(f"[Rank {rank}]", f"[Rank {rank - 8}]") for rank in (8, 9, 11)]
        lines += [failure(rank, 49, 52, group).replace(f"Rank {rank}]", f"Rank {rank - 8}]") for rank in (8, 9, 11)]
        assert ranks(suspected(lines)) == ["10"]

    def test_groups_of_one_name_are_not_compared(self) -> None:
        group = "PG ID 5 PG GUID 3(mesh_tp)"
        lines = [failure(rank, 49 + rank, 60, group).replace(f"Rank {rank}]", f"Rank {rank % 2}]") for rank in range(4)]
        assert not ranks(suspected(lines))

    def test_a_wait_is_followed_from_group_to_group(self) -> None:
        """Ranks 0 and 1 wait for 2 in one group, which waits for 3 in another."""
        one, other = "PG ID 1 PG GUID 1(DATA)", "PG ID 2 PG GUID 2(TENSOR)"
        lines = [
            failure(0, 9, 9, one),
            failure(1, 9, 9, one),
            dump_signal(2, 8, 8, one),
            failure(2, 70, 70, other),
            dump_signal(3, 69, 69, other),
        ]
        assert ranks(suspected(lines))[0] == "3"


class TestNobodyIsToBlame:
    def test_where_all_wait_in_the_same_collective(self) -> None:
        diagnosis = suspected(timeout(rank, 779) + failure(rank, 779, 781) for rank in range(4))
        assert not diagnosis.ranks
        assert "do not tell who is at fault" in diagnosis.recorded[0]

    def test_where_one_rank_alone_is_heard(self) -> None:
        assert not ranks(suspected("world size 8\n", timeout(3, 31), failure(3, 31, 33)))

    def test_where_half_the_world_is_silent(self) -> None:
        assert not ranks(suspected("world size 16\n", (timeout(rank, 31) for rank in range(8))))

    def test_where_ranks_only_tell_how_far_they_came(self) -> None:
        assert not suspected(dump_signal(rank, 6 + rank, 6) for rank in range(4)).recorded

    def test_where_counters_are_of_another_group(self) -> None:
        """The signal to dump is handled by the group of all, whichever group waits."""
        lines = [timeout(rank, 1580) + dump_signal(rank, 6, 6) for rank in range(3)]
        assert not ranks(suspected(lines, timeout(3, 1580), dump_signal(3, 5, 5)))
