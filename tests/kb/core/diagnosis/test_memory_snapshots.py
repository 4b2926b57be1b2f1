"""Snapshots of CUDA memory beside a log: what held the memory, whether it was in pieces, and what is refused."""

import json
import os
import pickle
import time
from collections.abc import Sequence

import pytest

from kb.core.diagnosis.report import FAILURE, INCOMPLETE, Diagnosis
from tests.kb.core.diagnosis.lines import STEPS, diagnosis_of, read_texts

GIB, MIB = 1 << 30, 1 << 20
Json = dict[str, object]
PYTORCH = [
    {"filename": "/build/torch/csrc/cuda/Module.cpp", "line": 900, "name": "THPModule_gather"},
    {"filename": "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", "line": 125, "name": "forward"},
]
MODEL = {"filename": "/env/lib/python3.11/site-packages/models/attention.py", "line": 77, "name": "attend"}
TRAIN = {"filename": "/home/me/job/train.py", "line": 41, "name": "train_step"}
OOM = (
    "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of "
    "79.15 GiB of which 512.25 MiB is free.\n"
)


def block(size: int, frames: Sequence[Json] = (), *, is_free: bool = False) -> Json:
    return {
        "address": 140_000_000_000_000, "size": size, "requested_size": size - 8, "frames": list(frames),
        "state": "inactive" if is_free else "active_allocated",
    }  # fmt: skip


def segment(*blocks: Json, device: int = 1, **more: object) -> Json:
    sizes = [own["size"] for own in blocks if isinstance(own["size"], int)]
    return {
        "device": device, "address": 140_000_000_000_000, "total_size": sum(sizes), "stream": 0,
        "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
        "blocks": list(blocks),
    } | more  # fmt: skip


def snapshot(*segments: Json, request: int = 0, device: int = 1, expandable: bool = False) -> Json:
    trace: list[Json] = [{"action": "alloc", "addr": 1, "size": 512, "stream": 0, "time_us": 1, "frames": []}]
    if request:
        trace.append({"action": "oom", "device_free": 512 * MIB, "size": request, "stream": 0, "frames": []})
    return {
        "segments": list(segments),
        "device_traces": [trace if number == device else [] for number in range(2)],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": expandable},
        "external_annotations": [],
    }


def beside(content: object, log: str = STEPS, name: str = "rank1_memory.pickle") -> Diagnosis:
    return diagnosis_of({"train.log": log, name: pickle.dumps(content)})


PIECES = [segment(block(3 * GIB, [*PYTORCH, MODEL, TRAIN]), block(GIB, is_free=True)) for _ in range(4)]


class TestWhatHeldTheMemory:
    def test_the_code_that_held_most_is_named_by_the_user_s_own_frame(self) -> None:
        small = segment(block(GIB, [*PYTORCH, {**TRAIN, "line": 12, "name": "load"}]))
        diagnosis = beside(snapshot(*PIECES, small, request=5 * GIB), f"{STEPS}\n{OOM}")
        fullness, held = diagnosis.recorded
        assert "Memory of rank 1, GPU 1 (rank1_memory.pickle): 17.00 GiB reserved, 13.00 GiB" in fullness
        assert "A request for 5.00 GiB failed with 512.00 MiB left on the device" in fullness
        assert held.startswith(
            "Most was held by me/job/train.py:41 train_step (in models/attention.py:77 attend): 12.00 GiB in 4 blocks; "
            "me/job/train.py:12 load: 1.00 GiB in 1 block"
        )

    def test_as_json_and_by_every_protocol_it_says_the_same(self) -> None:
        content = snapshot(*PIECES, request=2 * GIB)
        texts = {beside(content).recorded}
        for protocol in (2, 3, 4, 5):
            files: dict[str, str | bytes] = {"train.log": STEPS, "rank1_memory.pickle": pickle.dumps(content, protocol)}
            texts.add(diagnosis_of(files).recorded)
        texts.add(diagnosis_of({"train.log": STEPS, "rank1_memory.pickle": json.dumps(content)}).recorded)
        assert len(texts) == 1

    def test_a_snapshot_of_pytorch_2_0_keeps_its_stacks_in_a_history(self) -> None:
        old = {**block(GIB), "history": [{"addr": 1, "real_size": GIB, "frames": [TRAIN]}]}
        del old["frames"]
        assert "train.py:41 train_step: 1.00 GiB" in beside(snapshot(segment(old))).recorded[1]

    def test_without_stacks_it_is_said_how_to_get_them(self) -> None:
        diagnosis = beside(snapshot(segment(block(GIB)), request=GIB))
        assert diagnosis.recorded[1] == "Who held it was not recorded."
        assert any("_record_memory_history" in check for check in diagnosis.checks)

    def test_devices_on_which_an_allocation_failed_come_first_and_few_are_told(self) -> None:
        files: dict[str, str | bytes] = {
            f"mem/rank{rank}.pickle": pickle.dumps(snapshot(segment(block(rank * GIB + 1, [TRAIN]))))
            for rank in range(9)
        }
        files["mem/rank9.pickle"] = pickle.dumps(snapshot(segment(block(GIB, [TRAIN])), request=GIB))
        recorded = diagnosis_of(files | {"train.log": STEPS}).recorded
        assert "rank 9" in recorded[0]
        assert len(recorded) == 2


class TestFragmentation:
    EXPANDABLE = "free memory lies in pieces smaller than the request"

    def advised(self, content: Json) -> bool:
        return any(self.EXPANDABLE in check for check in beside(content).checks)

    def test_what_would_have_fitted_in_one_piece(self) -> None:
        diagnosis = beside(snapshot(*PIECES, request=2 * GIB))
        assert "4.00 GiB was reserved but free for it, the largest block of 1.00 GiB" in diagnosis.recorded[0]
        assert self.advised(snapshot(*PIECES, request=2 * GIB))

    @pytest.mark.parametrize(
        "content",
        [
            snapshot(*PIECES),
            snapshot(*PIECES, request=5 * GIB),
            snapshot(*PIECES, request=GIB),
            snapshot(*PIECES, request=2 * GIB, expandable=True),
            snapshot(*[{**piece, "is_expandable": True} for piece in PIECES], request=2 * GIB),
            snapshot(*[{**piece, "segment_type": "small"} for piece in PIECES], request=2 * GIB),
        ],
    )
    def test_nothing_is_advised_where_that_would_not_help(self, content: Json) -> None:
        assert not self.advised(content)

    def test_memory_of_cuda_graphs_serves_nothing_else(self) -> None:
        content = snapshot(*[{**piece, "segment_pool_id": (0, 3)} for piece in PIECES], request=2 * GIB)
        diagnosis = beside(content)
        assert "4.00 GiB is free in private pools" in diagnosis.recorded[0]
        assert not self.advised(content)
        assert any("CUDA graphs" in check for check in diagnosis.checks)


class TestJoined:
    def test_a_log_that_breaks_off_failed_where_an_allocation_did(self) -> None:
        assert diagnosis_of(STEPS).verdict == INCOMPLETE
        diagnosis = beside(snapshot(*PIECES, request=2 * GIB))
        assert (diagnosis.verdict, diagnosis.symptom, diagnosis.symptom_code) == (FAILURE, "crash", "oom-gpu")
        assert [rank.name for rank in diagnosis.ranks] == ["1"]

    def test_a_snapshot_without_a_failure_changes_no_verdict(self) -> None:
        diagnosis = beside(snapshot(*PIECES))
        assert (diagnosis.verdict, diagnosis.ranks) == (INCOMPLETE, ())
        assert diagnosis.recorded

    def test_a_snapshot_alone(self) -> None:
        diagnosis = diagnosis_of({"oom.pickle": pickle.dumps(snapshot(*PIECES, request=2 * GIB))})
        assert (diagnosis.verdict, diagnosis.ranks) == (FAILURE, ())

    def test_where_all_ran_out_nobody_is_suspect_for_it(self) -> None:
        files = {f"rank{rank}.pickle": pickle.dumps(snapshot(*PIECES, request=2 * GIB)) for rank in range(4)}
        assert diagnosis_of({"train.log": STEPS, **files}).ranks == ()

    def test_the_node_of_the_rank_is_suspect_too(self) -> None:
        log = "".join(f"rank {rank} of 4 up on node0{rank}, device cuda:0\n" for rank in range(4)) + STEPS
        assert [node.name for node in beside(snapshot(*PIECES, request=2 * GIB), log).nodes] == ["node01"]


class Evil:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("false",)


class TestSafety:
    @pytest.mark.parametrize(
        "content",
        [
            {"segments": [{"device": 10**9, "blocks": []}]},
            {"segments": [{}] * 200_001},
            {"segments": [Evil()]},
            {"segments": [{"blocks": [{}] * 400_000}] * 3},
        ],
    )
    def test_what_is_none_is_left_out_with_the_reason(self, content: object) -> None:
        began = time.monotonic()
        diagnosis = beside(content)
        assert diagnosis.verdict == INCOMPLETE
        assert any("rank1_memory.pickle was left out" in sentence for sentence in diagnosis.unknown)
        assert time.monotonic() - began < 8

    def test_values_of_the_wrong_type_and_shared_ones_do_no_harm(self) -> None:
        shared: list[object] = []
        for _ in range(60):
            shared = [shared, shared]
        strange: list[object] = [None, -1, 2**70, "x\x00\ud800", shared, {"size": shared, "frames": shared}, 1.5]
        for value in strange:
            odd = {"device": value, "total_size": value, "segment_pool_id": value, "blocks": [value, block(GIB)]}
            odd_block = {"size": value, "state": value, "frames": [value, {"filename": value, "line": value}]}
            content = snapshot(odd, segment(odd_block, block(1)), request=GIB) | {"allocator_settings": value}
            content["device_traces"] = [value, [value, {"action": "oom", "size": value, "device_free": value}]]
            beside(content)

    def test_a_log_of_segments_is_a_log(self) -> None:
        line = '{"text": "hello", "segments": [{"start": 0.0, "end": 1.5}]}\n'
        assert read_texts({"out.jsonl": line * 3}).scan.lines == [3]
