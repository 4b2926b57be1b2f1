"""Signatures: the same failure has the same one in every run, and another failure another one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Diagnosis, Line, Suspect, Verdict
from kb.core.diagnosis.signature import VERSION, signature
from tests.kb.core.diagnosis.lines import diagnosis_of

NUMBERS = st.integers(0, 10_000_000)
FOLDERS = st.lists(st.from_regex(r"[a-z][a-z0-9_.-]{0,12}", fullmatch=True), min_size=1, max_size=5)
NODES = st.from_regex(r"[a-z]{1,8}[0-9]{1,4}", fullmatch=True)


def failed(text: str, *, signal: str | None = None, nodes: tuple[str, ...] = ()) -> Diagnosis:
    line = Line("job.log", 1, text, "root", 1.0, signal, indicated=True)
    return Diagnosis(FAILURE, "", lines=(line,), nodes=tuple(Suspect(name, 1.0, "") for name in nodes))


def key(text: str, *, signal: str | None = None, nodes: tuple[str, ...] = ()) -> str:
    made = signature(failed(text, signal=signal, nodes=nodes))
    assert made is not None
    assert made.version == VERSION
    return made.key


class TestTheSame:
    @given(rank=NUMBERS, address=NUMBERS, folders=FOLDERS, number=NUMBERS, node=NODES)
    def test_whatever_the_rank_address_folder_line_and_node(
        self, rank: int, address: int, folders: list[str], number: int, node: str
    ) -> None:
        def said(rank: int, address: int, folders: list[str], number: int, node: str) -> str:
            path = "/".join(["", *folders, "deepspeed", "engine.py"])
            return (
                f"[rank{rank}]: RuntimeError: {node} rank {rank} lost peer 10.0.{rank % 256}.{number % 256}:29500 at "
                f"{address:#x} in {path}:{number}, job {number}"
            )

        one = key(said(rank, address, folders, number, node), nodes=(node,))
        assert one == key(said(3, 77, ["opt"], 12, "node7"), nodes=("node7",))

    @given(hour=st.integers(0, 23), minute=st.integers(0, 59), patch=st.integers(0, 40), size=st.integers(1, 900))
    def test_whatever_the_time_version_and_size(self, hour: int, minute: int, patch: int, size: int) -> None:
        def said(hour: int, minute: int, patch: int, size: int, unit: str) -> str:
            return (
                f"2026-11-20 {hour:02}:{minute:02}:00,000 ERROR torch.OutOfMemoryError: tried to allocate "
                f"{size}.00 {unit} under torch 2.{patch}.1"
            )

        assert key(said(hour, minute, patch, size, "MiB")) == key(said(4, 5, 6, 7, "GiB"))

    def test_wherever_the_exception_moved_between_versions(self) -> None:
        assert key("torch.cuda.OutOfMemoryError: CUDA out of memory") == key(
            "torch.OutOfMemoryError: CUDA out of memory"
        )

    @given(text=st.text(max_size=600))
    def test_of_any_text_it_is_made_twice_alike_and_short(self, text: str) -> None:
        first = signature(failed(text))
        assert first == signature(failed(text))
        assert first is None or len(first.text) <= 300


class TestAnother:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("worker ended with exit code 137", "worker ended with exit code 1"),
            ("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus", "NVRM: Xid (PCI:0000:3b:00): 48, GPU fell"),
            ("OSError: [Errno 28] No space left on device", "OSError: [Errno 28] No space on the left"),
            ("OSError: [Errno 28] failed", "OSError: [Errno 5] failed"),
            ("ValueError: bad head", "TypeError: bad head"),
            ("failed in /opt/a/engine.py", "failed in /opt/a/worker.py"),
        ],
    )
    def test_where_what_happened_differs(self, one: str, other: str) -> None:
        assert key(one) != key(other)

    def test_where_another_signal_knows_it(self) -> None:
        assert key("it broke", signal="cuda-oom") != key("it broke", signal="nccl-timeout")


class TestNone:
    @pytest.mark.parametrize("verdict", [CANCELLED, HEALTHY, NO_EVIDENCE])
    def test_without_a_failure(self, verdict: Verdict) -> None:
        assert signature(replace(failed("RuntimeError: x"), verdict=verdict)) is None

    def test_without_a_line_of_it(self) -> None:
        assert signature(Diagnosis(FAILURE, "It stopped.")) is None


def test_lines_of_steps_are_no_signature_of_a_hang_or_a_loss() -> None:
    losses = [2.5 - step / 200 for step in range(30)] + [9.9] * 5
    log = "\n".join(f"step {step} | loss: {loss} | step_time: 1.0s" for step, loss in enumerate(losses))
    found = diagnosis_of(log)
    assert found.symptom == "numerical"
    assert signature(found) is None
