"""Reports of `nvidia-smi -q` beside a log: faults of GPUs are joined to ranks by their places on the bus."""

import time

import pytest

from kb.core.diagnosis.report import FAILURE, INCOMPLETE, Diagnosis
from tests.kb.core.diagnosis.lines import STEPS, diagnosis_of, indicated, read_texts

TRAIN = "".join(
    f"node02:42{rank}2:43{rank}0 [{rank}] NCCL INFO comm 0x55 rank {8 + rank} nranks 16 cudaDev {rank} nvmlDev {rank} "
    f"busId {rank + 4}4000 commId 0xabc - Init COMPLETE\n"
    for rank in range(4)
)
LOST = "[rank3]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error\n"
TITLE = (
    "\n==============NVSMI LOG==============\n\nTimestamp                                 : Thu May 14 10:00:00 2026\n"
)
TITLE += "Driver Version                            : 570.86.10\nAttached GPUs                             : 4\n"


def gpu(number: int, **changed: str) -> str:
    """A GPU as nvidia-smi writes it, one value changed in each section that is named."""
    sections = {
        "product": "    Product Name                          : NVIDIA H100 80GB HBM3\n",
        "recovery": "    GPU Recovery Action                   : None\n",
        "link": (
            "    PCI\n        Bus                               : 0x44\n        GPU Link Info\n"
            "            PCIe Generation\n                Max                       : 5\n"
            "                Current                   : 1\n            Link Width\n"
            "                Max                       : 16x\n                Current                   : 16x\n"
        ),
        "clocks": (
            "    Clocks Event Reasons\n        Idle                              : Not Active\n"
            "        SW Power Cap                      : Active\n"
            "        HW Slowdown                       : Not Active\n"
            "            HW Thermal Slowdown           : Not Active\n"
            "            HW Power Brake Slowdown       : Not Active\n"
        ),
        "ecc": (
            "    ECC Mode\n        Current                           : Enabled\n    ECC Errors\n        Volatile\n"
            "            SRAM Correctable              : 0\n            DRAM Correctable              : 177\n"
            "            DRAM Uncorrectable            : 0\n        Aggregate\n"
            "            DRAM Uncorrectable            : 0\n"
        ),
        "rows": (
            "    Remapped Rows\n        Correctable Error                 : 1\n"
            "        Pending                           : No\n        Remapping Failure Occurred        : No\n"
        ),
        "processes": "    Processes                             : None\n",
    }  # fmt: skip
    return f"GPU 00000000:{number + 4}4:00.0\n" + "".join((sections | changed).values()) + "\n"


def changed(section: str, old: str, new: str) -> dict[str, str]:
    whole = gpu(0)
    start = whole.index(
        {"ecc": "    ECC Mode", "rows": "    Remapped", "clocks": "    Clocks", "link": "    PCI\n"}[section]
    )
    ends = {"ecc": "    Remapped", "rows": "    Processes", "clocks": "    ECC Mode", "link": "    Clocks"}
    text = whole[start : whole.index(ends[section])]
    assert old in text
    return {section: text.replace(old, new, 1)}


def beside(*gpus: str, log: str = f"{TRAIN}{STEPS}\n{LOST}", name: str = "nvidia-smi-node02.txt") -> Diagnosis:
    return diagnosis_of({"train.log": log, name: TITLE + "\n" + "".join(gpus)})


FAULTS = [
    (changed("ecc", "DRAM Uncorrectable            : 0", "DRAM Uncorrectable            : 3"), "3 uncorrectable"),
    (changed("rows", "Pending                           : No", "Pending                           : Yes"), "remapped"),
    (changed("rows", "Occurred        : No", "Occurred        : Yes"), "could not be remapped"),
    ({"recovery": "    GPU Recovery Action                   : Reset\n"}, "asks for this: reset"),
    ({"product": "    Product Name                          : Unknown Error\n"}, "could not read it"),
    ({"ecc": "    ECC Errors                            : GPU is lost\n"}, "could not read it"),
    (
        {"rows": "    Retired Pages\n        Pending Page Blacklist            : Yes\n"},
        "wait to be retired",
    ),
    (
        {"ecc": "    ECC Errors\n        Volatile\n            Double Bit\n                Device Memory       : 2\n"},
        "2 uncorrectable",
    ),
]  # fmt: skip


class TestFaults:
    @pytest.mark.parametrize(("more", "words"), FAULTS)
    def test_the_rank_of_a_faulty_gpu_is_suspect(self, more: dict[str, str], words: str) -> None:
        diagnosis = beside(*[gpu(number, **(more if number == 2 else {})) for number in range(4)])
        rank = next(rank for rank in diagnosis.ranks if rank.name == "10")
        assert words in rank.why
        assert words in diagnosis.recorded[0]
        assert diagnosis.recorded[0].startswith("GPU 2 (00000000:64:00.0) of node02, by nvidia-smi: ")
        assert diagnosis.nodes[0].name == "node02"

    @pytest.mark.parametrize("name", ["node02/nvidia-smi.txt", "node02/smi-q.log", "node02_nvidia-smi.txt"])
    def test_the_node_is_that_of_the_name_or_the_folder(self, name: str) -> None:
        assert " of node02," in beside(gpu(1, **FAULTS[0][0]), name=name).recorded[0]

    def test_a_report_in_the_middle_of_a_log_is_read_and_what_surrounds_it_too(self) -> None:
        report = TITLE + "\n" + gpu(0) + gpu(2, **FAULTS[0][0])
        diagnosis = diagnosis_of({"node02/train.log": f"{TRAIN}{STEPS}\n$ nvidia-smi -q\n{report}{LOST}"})
        assert "3 uncorrectable" in diagnosis.recorded[0]
        assert indicated(diagnosis) == [
            ("node02/train.log", f"{TRAIN}{STEPS}\n$ nvidia-smi -q\n{report}".count("\n") + 1)
        ]

    def test_gpus_without_fault_are_said_to_be(self) -> None:
        diagnosis = beside(*map(gpu, range(4)))
        assert diagnosis.recorded == ("nvidia-smi shows no fault of the 4 GPUs of node02.",)
        assert diagnosis.ranks == diagnosis_of(f"{TRAIN}{STEPS}\n{LOST}").ranks

    def test_errors_of_earlier_days_make_nobody_suspect(self) -> None:
        past = changed(
            "ecc",
            "Aggregate\n            DRAM Uncorrectable            : 0",
            "Aggregate\n            DRAM Uncorrectable            : 9",
        )
        diagnosis = beside(gpu(0, **past))
        assert "9 uncorrectable memory errors in its life" in diagnosis.recorded[0]
        assert "8" not in [rank.name for rank in diagnosis.ranks if "nvidia-smi" in rank.why]

    @pytest.mark.parametrize(
        ("section", "old", "new", "words"),
        [
            (
                "clocks",
                "HW Thermal Slowdown           : Not Active",
                "HW Thermal Slowdown           : Active",
                "Thermal",
            ),
            ("link", "Current                   : 16x", "Current                   : 8x", "8 lanes of 16"),
        ],
    )
    def test_what_makes_a_gpu_slow_is_told_and_counts_in_a_slowdown_only(
        self, section: str, old: str, new: str, words: str
    ) -> None:
        slow = gpu(1, **changed(section, old, new))
        diagnosis = beside(slow)
        assert words in diagnosis.recorded[0]
        assert not any("nvidia-smi" in rank.why for rank in diagnosis.ranks)
        slower = "\n".join(f"step {number} | loss: 2.1 | step_time: 9.0s" for number in range(40, 90))
        assert words in beside(slow, log=f"{TRAIN}{STEPS}\n{slower}").ranks[0].why

    def test_processes_that_held_memory_are_told(self) -> None:
        held = (
            "    Processes\n        GPU instance ID                   : N/A\n"
            "        Process ID                        : 4711\n            Type                          : C\n"
            "            Name                          : /usr/bin/python3\n"
            "            Used GPU Memory               : 70336 MiB\n"
        )
        diagnosis = beside(gpu(0, processes=held))
        assert "4711 (python3) 70,336 MiB of GPU 0" in diagnosis.recorded[-1]


class TestBesideTheLog:
    def test_a_log_that_breaks_off_failed_where_a_gpu_is_lost(self) -> None:
        assert diagnosis_of(TRAIN + STEPS).verdict == INCOMPLETE
        diagnosis = beside(gpu(3, **FAULTS[4][0]), log=TRAIN + STEPS)
        assert (diagnosis.verdict, diagnosis.nodes[0].name, diagnosis.ranks[0].name) == (FAILURE, "node02", "11")

    def test_a_kernel_s_line_of_the_same_gpu_is_joined_by_the_report(self) -> None:
        log = "".join(f"[rank{rank}]: rank {rank} of 4 up on node02, device cuda:{rank}\n" for rank in range(4)) + STEPS
        kernel = "[945.100200] NVRM: Xid (PCI:0000:54:00): 48, pid=77, Double Bit ECC Error\n"
        report = TITLE + "".join(map(gpu, range(4)))
        files = {"train.log": log, "nvidia-smi-node02.txt": report, "dmesg-node02.log": kernel}
        assert [rank.name for rank in diagnosis_of(files).ranks[:1]] == ["1"]

    def test_a_log_behind_the_report_in_the_same_file_is_read_by_its_own_lines(self) -> None:
        report = TITLE + gpu(0)
        diagnosis = diagnosis_of(
            f"{report}{STEPS}\nRuntimeError: CUDA error: an illegal memory access was encountered\n"
        )
        assert indicated(diagnosis) == [("job.log", report.count("\n") + 31)]

    def test_a_report_that_is_no_report_takes_its_time_and_no_more(self) -> None:
        began = time.monotonic()
        strange = TITLE + "".join(f"GPU 00000000:{number:02x}:00.0\n" + " x : 1\n" * 50 for number in range(250))
        deep = TITLE + "GPU 00000000:44:00.0\n" + "".join(f"{' ' * depth}a\n" for depth in range(1, 4000))
        read_texts({"a.txt": strange * 8, "b.txt": deep, "c.txt": TITLE + " " * 2_000_000 + "\n" + ":" * 2_000_000})
        assert time.monotonic() - began < 10
