"""Held out: programs that are wrong."""

from tests.kb.core.diagnosis.generators.play import ROOT, SUPPORT, Crash, Say

DATA_EXCEPTION = Crash(
    ("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xb4 in position 20113: invalid start byte",),
    "data",
    late=11.0,
)
SHAPE_MISMATCH = Crash(
    ("AssertionError: mismatch in query/key head dims: 128 against 96 after sharding over {world} ranks",),
    every=True,
    stage="first",
    symptom="launch_failure",
)
DTYPE_MISMATCH = Crash(
    ("RuntimeError: FlashAttention only support fp16 and bf16 data type",),
    every=True,
    stage="first",
    symptom="launch_failure",
)
VOCAB_MISMATCH = Crash(
    ("RuntimeError: CUDA error: device-side assert triggered",),
    "embedding",
    before=tuple(
        Say(
            "/pytorch/aten/src/ATen/native/cuda/Loss.cu:245: nll_loss_forward_reduce_cuda_kernel_2d: block: "
            "[0,0,0], thread: "
            f"[{thread},0,0] Assertion `t >= 0 && t < n_classes` "
            f"failed.",
            "raw",
            ROOT if thread == 3 else SUPPORT,
            wait=0.001,
        )
        for thread in (3, 4, 9, 21)
    ),
    trace=SUPPORT,
    code=-6,
    late=3.0,
)
