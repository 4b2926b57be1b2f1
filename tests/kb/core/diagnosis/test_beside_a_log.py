"""What lies beside a log is joined to it: kernels' logs, NCCL's status, stacks, Slurm's word on its nodes."""

import pytest

from tests.kb.core.diagnosis.lines import diagnosis_of
from tests.kb.core.diagnosis.test_blame import STEPS, first


class TestKernelLogs:
    TRAIN = "".join(
        f"node02:42{rank}2:43{rank}0 [{rank}] NCCL INFO comm 0x55 rank {8 + rank} nranks 16 cudaDev {rank} nvmlDev 0 "
        f"busId {rank + 4}4000 commId 0xabc - Init COMPLETE\n"
        for rank in range(4)
    )
    LOST = (
        "[rank2]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error\n"
    )

    @pytest.mark.parametrize(
        "name", ["node02-dmesg.log", "dmesg_node02.txt", "logs/node02/kern.log", "journal.node02.gz.txt"]
    )
    def test_a_killed_process_is_the_rank_that_it_was(self, name: str) -> None:
        kernel = "[811.100200] Out of memory: Killed process 4232 (python3) total-vm:9kB, anon-rss:8kB, UID:0\n"
        diagnosis = diagnosis_of({"train.log": f"{self.TRAIN}{STEPS}{self.LOST}", name: kernel})
        assert first(diagnosis) == ("node02", "11")

    @pytest.mark.parametrize(
        "told",
        [
            "[rank1]: pid 4242, device cuda:1",
            "rank=1, local_rank=1, pid=4242",
            "[INFO] worker ready (pid: 4242, rank: 1)",
            "global rank 1 started as pid 4242",
            "[rank1]: PID=4242",
        ],
    )
    def test_a_process_whose_number_was_told(self, told: str) -> None:
        other = told.replace("rank1", "rank0").replace("rank=1", "rank=0").replace("rank 1", "rank 0")
        other = other.replace("rank: 1", "rank: 0").replace("4242", "4241")
        kernel = "[811.100200] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, UID:0\n"
        files = {"train.log": f"{other}\n{told}\n{STEPS}", "dmesg.log": kernel}
        assert first(diagnosis_of(files))[1] == "1"

    @pytest.mark.parametrize("place", ["PCI:0000:54:00", "PCI:0000:54:00.0", "PCI:00000000:54:00"])
    def test_a_device_is_the_rank_that_used_it(self, place: str) -> None:
        kernel = f"[945.100200] NVRM: Xid ({place}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
        diagnosis = diagnosis_of({"train.log": f"{self.TRAIN}{STEPS}{self.LOST}", "dmesg-node02.log": kernel})
        assert first(diagnosis) == ("node02", "9")

    def test_a_device_by_its_number_in_nvidia_smi(self) -> None:
        """nvidia-smi tells the device's number, the launcher which rank had it."""
        train = "".join(f"[rank{rank}]: rank {rank} of 4 up on node02, device cuda:{rank}\n" for rank in range(4))
        smi = "".join(
            f"|   {rank}  NVIDIA H100 80GB HBM3          On  | 00000000:{rank + 1}B:00.0 Off |                    0 |\n"
            for rank in range(4)
        )
        kernel = "[945.100200] NVRM: Xid (PCI:0000:3b:00): 48, pid=77, Double Bit ECC Error\n"
        files = {"train.log": train + STEPS, "nvidia-smi-node02.txt": smi, "dmesg-node02.log": kernel}
        assert first(diagnosis_of(files)) == ("node02", "2")

    def test_the_node_that_only_the_name_of_its_log_tells(self) -> None:
        kernel = "[945.100200] NVRM: Xid (PCI:0000:3b:00): 48, pid=77, Double Bit ECC Error\n"
        assert first(diagnosis_of({"dmesg-node08.log": kernel}))[0] == "node08"

    @pytest.mark.parametrize("part", ["nvidia-nvswitch3", "mlx5_1", "nvme0n1"])
    def test_a_part_of_the_machine_is_none(self, part: str) -> None:
        kernel = f"[945.100200] {part}: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n" * 3
        assert [node.name for node in diagnosis_of({"dmesg-node08.log": kernel}).nodes] == ["node08"]

    def test_a_kernel_s_line_that_another_quotes(self) -> None:
        quoted = (
            "Xid errors found: May 29 01:37:38 ip-10-0-7-135 kernel: [257087.8126] NVRM: Xid (PCI:0000:3b:00): 94\n"
        )
        assert first(diagnosis_of(quoted))[0] == "ip-10-0-7-135"

    @pytest.mark.parametrize("name", ["dmesg-2024-05-01.log", "console.1.log", "train-7.log"])
    def test_a_name_that_tells_no_node(self, name: str) -> None:
        kernel = "[945.100200] NVRM: Xid (PCI:0000:3b:00): 48, pid=77, Double Bit ECC Error\n"
        assert not diagnosis_of({name: kernel}).nodes


class TestBesideALog:
    HANG = "".join(
        f"[rank{rank}]:[E702 21:45:12.4082712{rank} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
        "operation timeout: WorkNCCL(SeqNum=31, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for\n"
        for rank in range(4)
    )

    def test_the_process_that_nccl_s_status_cannot_reach(self) -> None:
        status = (
            "Errors\n======\n\nDEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
            "  Process 348798 on node 10.1.64.213 managing GPU 5\n\n#0-0 (cf264af53edbe986) INCOMPLETE\n"
            "  Missing communicator data from 1 rank\n  The missing rank: 21\n"
        )
        assert first(diagnosis_of({"train.log": STEPS + self.HANG, "ras.txt": status})) == ("10.1.64.213", "21")

    def test_ranks_that_launched_less(self) -> None:
        status = (
            "#0-0 (27a079b828ff1a75) MISMATCH\n  Communicator ranks have different collective operation counts\n"
            "  7 ranks have launched up to operation 6650\n  1 rank has launched up to operation 6649\n"
            "  Rank 6 -- GPU 2 managed by process 483074 on node node02\n"
        )
        diagnosis = diagnosis_of({"train.log": STEPS + self.HANG, "ras.txt": status})
        assert first(diagnosis) == ("node02", "6")
        assert "no operation beyond 6649, others 6650" in diagnosis.ranks[0].why

    def test_the_stack_that_is_unlike_the_others(self) -> None:
        def stack(rank: int, frame: str) -> str:
            return (
                f"Process 42{rank}: python train.py\nPython v3.11.9 (/usr/bin/python3.11)\n\n"
                f'Thread 42{rank} (active): "MainThread"\n    {frame}\n    train_step (train.py:41)\n'
                'Thread 77 (idle): "pin_memory"\n    wait (threading.py:324)\n'
            )

        waits = "all_reduce (torch/distributed/distributed_c10d.py:2501)"
        stacks = {
            f"stacks/rank{rank}.txt": stack(rank, "read_bytes (pathlib.py:1050)" if rank == 2 else waits)
            for rank in range(4)
        }
        diagnosis = diagnosis_of({"train.log": STEPS + self.HANG, **stacks})
        assert first(diagnosis)[1] == "2"
        assert "read_bytes (pathlib.py)" in diagnosis.ranks[0].why

    @pytest.mark.parametrize(
        "text",
        [
            "REASON               USER        TIMESTAMP           NODELIST\n"
            "Not responding       slurm       2024-05-20T09:09:37 node02\n",
            "NodeName=node02 Arch=x86_64 CoresPerSocket=48\n   State=DOWN*+NOT_RESPONDING ThreadsPerCore=1\n",
        ],
    )
    def test_what_slurm_says_of_its_nodes(self, text: str) -> None:
        failed = "RuntimeError: NCCL error: remote process exited or there was a network error\n"
        assert first(diagnosis_of({"train.log": f"{STEPS}{failed}", "slurm.txt": text}))[0] == "node02"

    def test_a_node_that_is_up_is_none(self) -> None:
        text = "NodeName=node02 Arch=x86_64 CoresPerSocket=48\n   State=ALLOCATED ThreadsPerCore=1\n"
        failed = "RuntimeError: NCCL error: remote process exited or there was a network error\n"
        assert first(diagnosis_of({"train.log": f"{STEPS}{failed}", "slurm.txt": text}))[0] is None
