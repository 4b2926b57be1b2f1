"""A diagnosis's data (docs/diagnosing.md) with private things in it, as a browser brings it back."""

from typing import Any

import orjson

from kb.core.diagnosis.schema import DiagnosisData
from tests.support.made_up import BASE62, drawn

TOKEN = "hf_" + drawn(BASE62, 34)
PRIVATE = ("gpu-a17", "10.1.2.3", "/home/ada", "secretlab", TOKEN)
SIGNATURE = {"version": 1, "key": "5f1d0a7c9be2", "text": "torch.OutOfMemoryError: CUDA out of memory on gpu-a17"}
FAILED = (
    "2026-11-20 10:00:02 [rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried 2.00 GiB: /home/ada/secretlab/a.pt "
    f"gpu-a17 10.1.2.3 {TOKEN}"
)
DATA = {
    "schema": 1,
    "signals_version": 2,
    "verdict": "failure",
    "sentence": "It failed first with an allocation on the GPU that found no memory.",
    "lines": [
        {
            "file": "logs/gpu-a17.log", "line": 5, "text": FAILED, "role": "root", "score": 0.9,
            "signal": "cuda-out-of-memory", "indicated": True, "why": ["gpu-a17 alone says it."],
            "context": [{"line": 4, "text": '  File "/home/ada/secretlab/train.py", line 12, in main'}],
        },
        {
            "file": "logs/gpu-a17.log", "line": 1,
            "text": "gpu-a17:1234:1299 [0] NCCL INFO Connected to 10.1.2.3<29500>",
            "role": "context", "score": 0.1, "signal": None, "indicated": False, "why": [], "context": [],
        },
    ],
    "nodes": [],
    "ranks": [{"rank": 0, "score": 0.8, "why": "It wrote the line."}],
    "stage": "train",
    "iteration": 10,
    "symptom": "crash",
    "symptom_code": "crash-oom",
    "causes": [{"code": "resource-settings", "likelihood": 0.6, "why": "The memory that was asked for is not there."}],
    "checks": ["See what else uses the GPU."],
    "recorded": [],
    "unknown": [],
    "stats": {"files": 1, "lines": 5, "templates": 4, "emitters": 1},
    "signature": SIGNATURE,
}  # fmt: skip


def result(**more: Any) -> DiagnosisData:
    """The diagnosis, as JSON gives it back."""
    made: DiagnosisData = orjson.loads(orjson.dumps(DATA | more))
    return made
