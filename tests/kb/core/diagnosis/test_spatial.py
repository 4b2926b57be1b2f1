"""Who is suspected: who wrote it, whom it names, who lacks what the others say, who is slower, who is unlike."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.analysis.findings import findings_of
from kb.core.diagnosis.analysis.reports import nodes_in, ranks_in
from kb.core.diagnosis.analysis.spatial import fell_silent, lacking, outlying_ranks, slower
from kb.core.diagnosis.report import Diagnosis
from kb.core.diagnosis.topology import Topology, topology
from tests.kb.core.diagnosis.lines import diagnosis_of, read_texts
from tests.support.growth import MOST, growth

OOM = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
WATCHDOG = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE, Timeout(ms)=600000)"


def up(rank: int, world: int, per_node: int = 2) -> str:
    return f"[rank{rank}]: rank {rank} of {world} up on node{rank // per_node:03d}, device cuda:{rank % per_node}"


def job(world: int, *lines: str) -> str:
    steps = [f"[rank0]: step {number} | loss: {3 - number / 100:.3f} | step_time: 1.0s" for number in range(1, 21)]
    return "\n".join([*(up(rank, world) for rank in range(world)), *steps, *lines])


def names(found: Diagnosis) -> tuple[list[str], list[str]]:
    return [one.name for one in found.nodes], [one.name for one in found.ranks]


class TestWhoIsWho:
    @pytest.mark.parametrize(
        ("head", "introduction"),
        [
            ("3: ", "3: 2025-10-25 00:01:52,003 INFO boot: rank 3 of 4 up on node001, device cuda:1"),
            (
                "(RayTrainWorker pid=77, ip=10.0.0.9) ",
                "(RayTrainWorker pid=77, ip=10.0.0.9) rank 3 of 4 up on node001, device cuda:1",
            ),
            (
                "(RayTrainWorker pid=77, ip=10.0.0.9) ",
                "- (node_id=ab12, ip=10.0.0.9, pid=77) world_rank=3",
            ),
            (
                "E0821 01:07:42.785632  77 loop.py:301] ",
                "I0821 01:07:41.0 77 boot.py:5] rank 3 of 4 up on node001",
            ),
            ("[pod/job-worker-0/pytorch] [rank3]: ", "[pod/job-worker-0/pytorch] rank 3 of 4 up on node001, cuda:1"),
            ("(VllmWorker rank=3 pid=77) ", "(VllmWorker rank=3 pid=77) loading"),
            ("(Worker_TP3 pid=77) ", "(Worker_TP3 pid=77) rank 3 in world size 4 is assigned as DP rank 0, TP rank 3"),
        ],
    )
    def test_a_process_is_the_rank_that_it_says_it_is(self, head: str, introduction: str) -> None:
        others = introduction.replace("77", "75").replace("3", "0") if "77" in introduction else up(0, 4)
        found = diagnosis_of(f"{others}\n{introduction}\n{head}{OOM}")
        assert names(found)[1][:1] == ["3"]

    def test_a_file_named_after_a_rank_is_that_ranks(self) -> None:
        files = {f"rank_{rank:04d}.log": "" for rank in range(3)}
        logs = {name: f"rank {rank} of 3 up on node00{rank}\n" for rank, name in enumerate(files)}
        logs["rank_0002.log"] += OOM
        assert names(diagnosis_of(logs)) == (["node002"], ["2"])

    def test_a_log_of_all_ranks_is_not_one_ranks_for_one_of_them_having_spoken(self) -> None:
        found = diagnosis_of(f"rank 0 of 8 up on node000, device cuda:0\n{OOM}")
        assert found.ranks == ()

    def test_tasks_that_run_several_ranks_are_no_ranks(self) -> None:
        log = "1: [rank4]: rank 4 of 8 up on node001, cuda:0\n0: [rank0]: rank 0 of 8 up on node000, cuda:0\n"
        scan = read_texts({"job.log": f"{log}1: {OOM}"}).scan
        assert topology(scan).identities.tasks == {}

    def test_a_pod_stands_for_the_host_that_its_processes_name(self) -> None:
        log = "\n".join(f"[pod/job-worker-{n}/pytorch] rank {n} of 2 up on node00{n}, device cuda:0" for n in range(2))
        found = diagnosis_of(f"{log}\n[pod/job-worker-1/pytorch] {OOM}")
        assert names(found)[0][:1] == ["node001"]

    def test_ranks_are_counted_where_a_nodes_number_and_size_are_told(self) -> None:
        log = "\n".join(f"node00{n}: node_rank=0{n}, nproc_per_node=4, starting" for n in range(2))
        scan = read_texts({"job.log": f"{log}\nnode001: [default2]: {OOM}\n" * 2}).scan
        found = topology(scan)
        assert found.gpu_rank["node001", 2] == 6
        assert found.rank_node[6] == "node001"


class TestWhoWasNamed:
    def known(self) -> Topology:
        return topology(read_texts({"job.log": "\n".join(up(rank, 4) for rank in range(4))}).scan)

    @pytest.mark.parametrize(
        ("text", "ranks"),
        [
            ("compute took 11.9 s (rank 3 is slow)", {3}),
            ("AssertionError: rank=2: NaN in the local gradient", {2}),
            ("local rank 3 of the group", set()),
            ("ranks 0, 1, 2 and 3 disagree: rank 0, rank 1, rank 2", set()),
            ("rank 9 is not of this job", set()),
        ],
    )
    def test_ranks_of_the_job_are_read_in_a_text(self, text: str, ranks: set[int]) -> None:
        assert ranks_in(text, self.known(), "") == ranks

    def test_a_device_is_a_rank_only_on_a_known_node(self) -> None:
        assert ranks_in("GPU 1: clock throttled", self.known(), "node001") == {3}
        assert ranks_in("GPU 1: clock throttled", self.known(), "") == set()

    def test_a_host_within_an_address_is_read(self) -> None:
        assert nodes_in("failed to connect to (node001, 29500).", self.known()) == {"node001"}

    @pytest.mark.parametrize(
        "line",
        [
            "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: [5]",
            "0: INFO | MnRtt/Rnk: 1400.00ms/1 | MxRtt/Rnk: 3900.00ms/5 | MnPwr/Rnk: 61W/2",
            "metrics: compute phase took 11.9 s, median 4.1 s (rank 5 is slow)",
        ],
    )
    def test_a_slow_rank_that_the_log_names_is_suspect(self, line: str) -> None:
        before = [f"[rank0]: step {n} | loss: 2.0{n} | step_time: 1.0s" for n in range(1, 16)]
        after = [f"{line}\n[rank0]: step {n} | loss: 2.0{n} | step_time: 3.5s" for n in range(16, 31)]
        found = diagnosis_of("\n".join([*(up(rank, 8) for rank in range(8)), *before, *after]))
        assert (found.symptom, names(found)[0][:1], names(found)[1][:1]) == ("slowdown", ["node002"], ["5"])

    def test_a_storage_server_is_no_node_of_the_job(self) -> None:
        found = diagnosis_of(job(4, "[rank1]: nfs: server store-3 not responding, still trying", f"[rank1]: {OOM}"))
        assert "store-3" not in names(found)[0]


class TestWhoIsUnlike:
    @settings(max_examples=25, deadline=None)
    @given(st.permutations(range(8)))
    def test_other_numbers_for_the_ranks_give_the_same_suspects_by_their_new_numbers(self, new: list[int]) -> None:
        log = job(8, f"[rank5]: {OOM}", *(f"[rank{rank}]: {WATCHDOG}" for rank in (0, 1, 2)))
        renamed = re.sub(r"\[rank(\d)\]: rank \d", lambda m: f"[rank{new[int(m[1])]}]: rank {new[int(m[1])]}", log)
        renamed = re.sub(r"^\[rank(\d)\]: (?!rank)", lambda m: f"[rank{new[int(m[1])]}]: ", renamed, flags=re.MULTILINE)
        assert names(diagnosis_of(renamed))[1][0] == str(new[int(names(diagnosis_of(log))[1][0])]) == str(new[5])

    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 60))
    def test_more_ranks_that_are_well_change_nothing(self, more: int) -> None:
        assert names(diagnosis_of(job(4 + more, f"[rank3]: {OOM}")))[1][:1] == ["3"]

    def test_of_two_ranks_the_one_that_alarms_is_unlike(self) -> None:
        scan = read_texts({"job.log": job(2, f"[rank1]: {OOM}")}).scan
        found = findings_of(scan)
        assert [rank.name for rank in outlying_ranks(found.ranked, scan, found.context.topology)] == ["1"]

    def test_where_all_say_the_same_nobody_is(self) -> None:
        found = diagnosis_of(
            job(4, *(f"[rank{rank}]: ModuleNotFoundError: No module named 'apex'" for rank in range(4)))
        )
        assert found.ranks == ()

    def test_the_one_whose_collectives_did_not_time_out_held_the_others_up(self) -> None:
        found = diagnosis_of(job(8, *(f"[rank{rank}]: {WATCHDOG}" for rank in range(8) if rank != 6)))
        assert (found.symptom, names(found)[0][:1], names(found)[1][:1]) == ("hang", ["node003"], ["6"])

    def test_who_only_waited_is_not_blamed_for_being_taken_down(self) -> None:
        waited = [f"[rank{rank}]: {WATCHDOG}" for rank in range(8) if rank != 6]
        report = "mpirun noticed that process rank 2 with PID 4711 on node node001 exited on signal 6 (Aborted)."
        assert names(diagnosis_of(job(8, *waited, report)))[1][:1] == ["6"]


class TestLacking:
    def test_few_that_lack_it_are_told_and_many_are_not(self) -> None:
        known = Topology(world=8)
        assert lacking(frozenset(range(7)), known) == [7]
        assert lacking(frozenset(range(4)), known) == []

    def test_a_whole_node_may_lack_it(self) -> None:
        known = Topology(["a1", "b1"], {rank: "a1" if rank < 4 else "b1" for rank in range(8)}, world=8)
        assert lacking(frozenset(range(4)), known) == [4, 5, 6, 7]

    def test_without_a_number_of_ranks_nothing_is_lacking(self) -> None:
        assert lacking(frozenset(range(7)), Topology()) == []


class TestPaceAndSilence:
    def test_the_rank_whose_own_steps_are_longer_is_slower(self) -> None:
        lines = [
            f"[rank{rank}]: step {number} | loss: 2.0 | step_time: {2.6 if rank == 2 else 1.0}s"
            for number in range(1, 9)
            for rank in range(4)
        ]
        scan = read_texts({"job.log": "\n".join(lines)}).scan
        assert [(rank, round(times, 3)) for rank, times in slower(scan, topology(scan))] == [(2, 2.6)]

    def test_a_file_that_ended_long_before_the_others_fell_silent(self) -> None:
        def log(rank: int, until: int) -> str:
            return "\n".join(f"2025-01-01 10:{m:02d}:00 step {m} loss: 2.5 rank time 1 s" for m in range(1, until))

        scan = read_texts({f"rank_{rank}.log": log(rank, 20 if rank == 1 else 40) for rank in range(4)}).scan
        found = findings_of(scan)
        silent = fell_silent(scan, found.context.topology, found.context.order)
        assert [(rank, node, round(seconds)) for rank, node, seconds in silent] == [(1, "", 1200)]


def test_time_grows_as_the_ranks_do_up_to_4096() -> None:
    logs = {size: read_texts({"job.log": job(size, f"[rank3]: {OOM}")}).scan for size in (512, 4096)}
    found = {size: findings_of(scan) for size, scan in logs.items()}

    def compare(size: int) -> object:
        return outlying_ranks(found[size].ranked, logs[size], found[size].context.topology)

    assert growth(compare, 512) < MOST
    ranks = outlying_ranks(found[4096].ranked, logs[4096], found[4096].context.topology)
    assert [rank.name for rank in ranks] == ["3"]


def test_a_rank_that_is_slow_is_found_among_ranks_whose_steps_are_only_counted() -> None:
    lines = [f"gpu{rank // 4}: rank {rank} nranks 16 cudaDev {rank % 4}" for rank in range(16)]
    for number in range(1, 80):
        lines += [
            f"[rank{rank}]: step {number} | loss: 2.5 | step_time: {4 if rank == 11 else 2}.{number % 10}s"
            for rank in range(16)
        ]
    scan = read_texts({"job.log": "\n".join(lines)}).scan
    assert {len(emitter.paces) for emitter in scan.emitters if emitter.fields} == {79}
    ((rank, share),) = slower(scan, topology(scan))
    assert rank == 11
    assert share == pytest.approx(4.4 / 2.4, abs=0.1)
