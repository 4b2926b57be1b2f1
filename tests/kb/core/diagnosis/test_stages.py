"""In which stage a run failed, and whether it failed to get going: by imports, rendezvous, loading, server marks."""

import pytest

from kb.core.diagnosis.report import CANCELLED, FAILURE
from tests.kb.core.diagnosis.lines import diagnosis_of

TRACEBACK = "Traceback (most recent call last):"


def traceback(*frames: str, last: str) -> list[str]:
    """A traceback of functions and their statements, outermost first."""
    lines = [TRACEBACK]
    for frame in frames:
        function, _, statement = frame.partition(": ")
        lines += [
            f'  File "/opt/venv/lib/python3.12/site-packages/vllm/x.py", line 4, in {function}',
            f"    {statement}",
        ]
    return [*lines, last]


STARTING = {
    "init": [
        ["INFO [__init__.py:216] Automatically detected platform cuda.",
         *traceback("<module>: import vllm._C", last="ImportError: libcudart.so.12: cannot open shared object file")],
        ["nproc_per_node : 8", "INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous'ing worker group",
         *traceback("run: elastic_launch(", "_rendezvous: spec.rdzv_handler.next_rendezvous()",
                    last="torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError")],
        ["Loading model weights took 14.2 GB", "Memory profiling takes 4.1 seconds",
         "RuntimeError: CUDA error: an illegal memory access was encountered"],
        ["Load weight end. type=LlamaForCausalLM", *traceback(
            "run_scheduler_process: scheduler = Scheduler(", "init_memory_pool: raise RuntimeError(",
            last="RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.")],
        ["world size: 8", *traceback("<module>: model = DDP(model)", last="RuntimeError: NCCL error: x")],
        ["node01:41:41 [0] NCCL INFO Bootstrap : Using eth0:192.0.2.11<0>",
         "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error."],
        ["world size: 8", *traceback("<module>: deepspeed.initialize(model=model)",
                                     last="AssertionError: train_batch_size is not equal to micro_batch_per_gpu * 8")],
        ["CUDA SETUP: Required library version not found: libbitsandbytes_cuda121.so. Maybe you need to compile it?"],
    ],
    "load": [
        ["text_generation_launcher: Starting shard rank=0",
         "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB."],
        ["Loading checkpoint shards:  39%|███▉      | 13/33 [01:12<01:50,  5.5s/it]",
         "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 (pid: 812917)"],
        traceback("<module>: tokenizer = f(m)", "cached_file: hf_hub_download(", last="OSError: no access"),
        ["llama_model_loader: - type  f32:   33 tensors", "llama_model_load: error loading model: wrong number"],
        [*traceback("load: with safe_open(path) as f:", last="SafetensorError: Error while deserializing header: x")],
        ['time=2026-01-04T10:00:00Z level=INFO source=routes.go:1544 msg="Listening on 127.0.0.1:11434"',
         'time=2026-01-04T10:00:01Z level=INFO source=ggml.go:92 msg="" architecture=llama num_tensors=459',
         "GGML_ASSERT(type >= 0 && type < GGML_TYPE_COUNT) failed"],
        ["0: world size 8", "0: tokenising 214 files into memory", "srun: error: node07: tasks 5-7: Out Of Memory"],
    ],
}  # fmt: skip
WORKING = {
    "serve": [
        ["The server is fired up and ready to roll!", *traceback(
            "event_loop_overlap: self.stream.synchronize()",
            last="RuntimeError: CUDA error: an illegal memory access was encountered")],
        ["main: server is listening on http://127.0.0.1:8080", "CUDA error: out of memory"],
    ],
    "train": [
        [*(f"{{'loss': 2.{n}, 'epoch': 0.{n}}}" for n in range(9)),
         "RuntimeError: CUDA error: device-side assert triggered"],
        ["Episode [1/20]:  10%|█▎        | 20/196 [04:10<29:11, 125.11s/it]",
         "INFO metrics.py:455] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 2210.4 tokens/s",
         "RuntimeError: CUDA error: device-side assert triggered"],
    ],
    "checkpoint": [
        ["step 9 loss 2.1", "step 10 loss 2.0",
         *traceback("save: _save(obj)", "_save: zip_file.write_record(name)", last="RuntimeError: file write failed")],
        traceback("fsdp_save_ckpt: ema = x", "hook: hook(self, prefix)", last="OutOfMemoryError: CUDA out of memory"),
        traceback("export: weights = model.state_dict()", "gather: x", last="OutOfMemoryError: CUDA out of memory"),
        traceback("<module>: x", "_full_pre_state_dict_hook: unshard(", last="OutOfMemoryError: CUDA out of memory"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("stage", "log"), [(stage, log) for stage, logs in STARTING.items() for log in logs])
def test_what_fails_while_starting_failed_to_launch(stage: str, log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.stage, found.symptom) == (FAILURE, stage, "launch_failure")


@pytest.mark.parametrize(("stage", "log"), [(stage, log) for stage, logs in WORKING.items() for log in logs])
def test_what_fails_at_work_crashed(stage: str, log: list[str]) -> None:
    found = diagnosis_of("\n".join(log))
    assert (found.verdict, found.stage, found.symptom) == (FAILURE, stage, "crash")


def test_what_to_check_depends_on_the_stage() -> None:
    frames = {
        "": "main: x = y",
        "checkpoint": "_save: gather(",
        "load": "load_state_dict: copy_(",
        "eval": "evaluate: x",
    }
    oom = {
        stage: diagnosis_of("\n".join(traceback(frame, last="torch.OutOfMemoryError: CUDA out of memory.")))
        for stage, frame in frames.items()
    }
    assert {stage: found.stage or "" for stage, found in oom.items()} == {stage: stage for stage in frames}
    assert "micro batch" in oom[""].checks[1]
    assert "SHARDED_STATE_DICT" in oom["checkpoint"].checks[0]
    assert len({found.checks for found in oom.values()}) == len(frames)


def test_what_a_run_says_that_it_will_do_when_it_is_told_to_stop_is_no_stage_of_it() -> None:
    log = [f"step {n} loss 2.{n}" for n in range(9)]
    found = diagnosis_of("\n".join([*log, "WARNING: received SIGTERM, will save a checkpoint and exit"]))
    assert (found.verdict, found.stage) == (CANCELLED, "train")


def test_a_process_that_was_killed_is_no_native_crash() -> None:
    log = "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: {}) local_rank: 3 (pid: 812917)"
    codes = [diagnosis_of(f"step 1 loss 2.1\n{log.format(code)}").symptom_code for code in (-9, -6, -11)]
    assert codes == ["worker-death", "native-crash", "native-crash"]
