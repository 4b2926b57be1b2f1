"""A bare name before a colon is a host's only if it is known as one, or stands where hosts stand again and again."""

import io

import pytest

from kb.core.diagnosis.context import with_context
from kb.core.diagnosis.parsing.hosts import is_typical_host, may_be_host
from kb.core.diagnosis.pipeline import InputFile, as_data
from kb.core.diagnosis.topology import topology
from tests.kb.core.diagnosis.lines import diagnosis_of, read_texts


def nodes_of(*lines: str) -> list[str]:
    return topology(read_texts({"job.log": "\n".join(lines)}).scan).nodes


@pytest.mark.parametrize(
    "name",
    [
        "EI0006", "ERR01100", "EZ9999", "RAS-1234", "E1024", "mlx5_1", "mlx5_core", "nvidia-nvswitch3", "nvidia0",
        "eth0", "ib0", "enp12s0f0", "nvme0n1", "sda1", "npu7", "bond0", "amdgpu0", "EXT4-fs", "r8169", "ixgbe0",
        "H100", "A100-SXM4-80GB", "MI300X", "RTX4090", "GB200", "L40S", "gpu3", "Gaudi2", "Ascend910B", "Qwen2.5",
        "Qwen2.5-7B-Instruct", "Llama-3", "gpt2", "deepseek-v3", "llama-2-70b-chat", "mixtral8x7b", "step3",
        "epoch12", "rank7", "stage2", "zero3", "layer17", "top5", "fp16", "attempt2", "v1", "job1234", "1234",
        "tp2", "model-00001-of-00030.safetensors", "libcudart.so.12", "train2.py", "config1.yaml", "Python3Error",
    ],
)  # fmt: skip
def test_codes_devices_models_and_counted_things_are_no_hosts(name: str) -> None:
    assert not may_be_host(name)
    lines = [f"2026-03-04 02:11:{second:02} {name}: something {'abc'[second % 3]}" for second in range(9)]
    undated = [f"{name}: something {'abc'[second % 3]}" for second in range(9)]
    assert nodes_of(*lines) == nodes_of(*undated) == []


@pytest.mark.parametrize(
    "name",
    [
        "node07", "gpu-a-07", "gpu-03", "dgx-12", "ip-10-0-0-7", "nid001234", "worker-3", "c12n3",
        "node7.cluster.example", "hgx02",
    ],
)  # fmt: skip
def test_names_that_hosts_have_are_believed(name: str) -> None:
    assert is_typical_host(name)
    assert nodes_of(*(f"{name}: says {word}" for word in ("a", "b", "c"))) == [name]


class TestEvidence:
    def test_any_other_name_needs_dated_lines(self) -> None:
        words = ("alpha", "beta", "gamma")
        assert nodes_of(*(f"zeus9: {word}" for word in words)) == []
        assert nodes_of(*(f"zeus9: 2026-03-04 02:11:27,000 INFO {word}" for word in words)) == ["zeus9"]

    def test_or_a_host_of_its_kind_that_the_log_names(self) -> None:
        lines = ["MASTER_ADDR=zeus1", "zeus9: alpha", "zeus9: beta", "other", "words"]
        assert nodes_of(*lines) == ["zeus1", "zeus9"]

    def test_one_line_is_not_enough(self) -> None:
        assert nodes_of("zeus9: 2026-03-04 02:11:27,000 INFO alpha") == []

    def test_what_is_measured_is_no_host_however_often(self) -> None:
        assert nodes_of(*(f"acc5x: {number}.5" for number in range(60))) == []

    def test_a_code_stays_in_the_text_that_it_begins(self) -> None:
        found = diagnosis_of("[rank1]: EI0006: [PID: 71] Getting socket times out. Reason: no data came in time")
        assert found.lines[0].text.startswith("EI0006: ")
        assert found.nodes == ()


class TestPods:
    RECORD = '{"log":"%s","kubernetes":{"host":"node0%d","pod_name":"w-%d","container_name":"c"}}'

    def test_the_host_of_a_pod_is_the_node(self) -> None:
        lines = [self.RECORD % (f"[rank{rank}]: hello {rank}", rank, rank) for rank in (1, 2)]
        found = topology(read_texts({"job.log": "\n".join([*lines, *lines])}).scan)
        assert found.rank_node == {1: "node01", 2: "node02"}
        assert found.node_named("w-2") == "node02"

    def test_a_line_is_found_again_with_its_neighbours(self) -> None:
        lines = [self.RECORD % (text, 1, 1) for text in ("before", r"KeyError: \"a \\ b\" of 3", "behind")]
        data = "\n".join(lines).encode()
        found = with_context(as_data(diagnosis_of({"job.log": data})), [InputFile("job.log", io.BytesIO(data))])
        assert [near["line"] for near in found["lines"][0]["context"]] == [1, 3]


def test_a_worker_is_known_by_its_place_in_the_head() -> None:
    heads = [f"[2026-03-04 02:11:27 TP{rank}] Load weight end." for rank in range(2)]
    lines = [
        *heads,
        "[2026-03-04 02:11:28 TP1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.",
    ]
    assert [rank.name for rank in diagnosis_of("\n".join(lines)).ranks][:1] == ["1"]
