"""Held out: devices that fail."""

from tests.kb.core.diagnosis.generators.faults.devices import ASYNC
from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Say

GPU_LOST = Crash(
    before=(
        Say(
            "NVRM: Xid (PCI:{bus}): 48, pid={pid}, name=python3.11, An uncorrectable double bit error (DBE) has been "
            "detected on GPU in the framebuffer at partition 5, subpartition 0.",
            "kernel",
        ),
        Say(
            "NVRM: Xid (PCI:{bus}): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
            "kernel",
            SUPPORT,
        ),
    ),
    code=-6,
    peers="reset",
)
NVLINK_ERROR = Crash(
    ("torch.AcceleratorError: CUDA error: unspecified launch failure", *ASYNC),
    "collective",
    before=(
        Say(
            "NVRM: Xid (PCI:{bus}): 145, NVLINK: RLW_SRC_TRACK Nonfatal XC0 i0 Link 09 (0x000008a2 0x80000000)",
            "kernel",
        ),
        Say("fabric manager: detected NVLink fatal error on NVSwitch port 41, partition disabled", "agent", SUPPORT),
    ),
    trace=SUPPORT,
)
ILLEGAL_ACCESS = Crash(
    ("torch.AcceleratorError: CUDA error: misaligned address", *ASYNC),
    "backward",
    late=7.0,
    code=-6,
)
CUBLAS_FAILURE = Crash(
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasLtMatmul with transpose_mat1 1 "
        "transpose_mat2 0 m 5120 n 2048 k 13824 mat1_ld 13824 mat2_ld 13824 result_ld 5120`",
    ),
    "backward",
    late=2.0,
)
