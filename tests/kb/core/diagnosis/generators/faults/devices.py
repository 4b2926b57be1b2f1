"""Devices that fail: lost from the bus, memory errors, broken links between them, bad accesses."""

from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Play, Say

ASYNC = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.",
    "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
)

GPU_LOST: tuple[Play, ...] = (
    Crash(
        ("torch.AcceleratorError: CUDA error: unspecified launch failure", *ASYNC),
        before=(Say("NVRM: Xid (PCI:{bus}): 79, pid={pid}, name=python3.11, GPU has fallen off the bus.", "kernel"),),
        trace=SUPPORT,
    ),
    Crash(
        ("RuntimeError: CUDA error: uncorrectable ECC error encountered", *ASYNC),
        before=(
            Say(
                "NVRM: Xid (PCI:{bus}): 94, pid={pid}, name=python3.11, Contained: SM (0x1). RST: No, D-RST: No",
                "kernel",
            ),
            Say(
                "NVRM: Xid (PCI:{bus}): 63, pid='<unknown>', Row Remapper: New row marked for remapping",
                "kernel",
                SUPPORT,
            ),
        ),
        late=2.0,
        trace=SUPPORT,
    ),
    Crash(
        ("RuntimeError: CUDA error: device-side hardware fault: the device is lost", *ASYNC),
        "backward",
        after=(
            Say(
                "health check of {host}: nvidia-smi -i {gpu}: Unable to determine the device handle for "
                "GPU{bus}: GPU is "
                "lost.  Reboot the system to recover this GPU",
                "agent",
                SUPPORT,
            ),
        ),
        peers="reset",
    ),
)
NVLINK_ERROR: tuple[Play, ...] = (
    Crash(
        ("torch.AcceleratorError: CUDA error: an illegal instruction or link failure was met", *ASYNC),
        "collective",
        before=(
            Say(
                "NVRM: Xid (PCI:{bus}): 74, pid={pid}, name=python3.11, NVLink: fatal error detected on link "
                "7(0x0, 0x0, "
                "0x10000, 0x0, 0x0, 0x0, 0x0)",
                "kernel",
            ),
        ),
        trace=SUPPORT,
    ),
    Crash(
        (
            "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94, unhandled cuda error, NCCL "
            "version 2.21.5",
            "ncclUnhandledCudaError: Call to CUDA function failed.",
        ),
        "collective",
        before=(Say("transport/nvls.cc:244 Cuda failure 719 'NVLink uncorrectable error on device {gpu}'", "nccl"),),
        trace=SUPPORT,
    ),
)
ILLEGAL_ACCESS: tuple[Play, ...] = (
    Crash(("RuntimeError: CUDA error: an illegal memory access was encountered", *ASYNC), "backward", code=-6),
    Crash(
        before=(
            Say(
                "[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: "
                "CUDA error: an illegal memory access was encountered",
                "native",
                where="ProcessGroupNCCL.cpp:1896",
            ),
            Say("terminate called after throwing an instance of 'c10::DistBackendError'", "raw", SUPPORT),
            Say("  what():  CUDA error: an illegal memory access was encountered", "raw", SUPPORT),
        ),
        code=-6,
        peers="reset",
    ),
)
CUBLAS_FAILURE: tuple[Play, ...] = (
    Crash(
        (
            "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, "
            "opb, m, n, k, "
            "&falpha, a, CUDA_R_16BF, lda, b, CUDA_R_16BF, ldb, &fbeta, c, CUDA_R_16BF, ldc, compute_type, algo)`",
        ),
    ),
    Crash(
        ("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",),
        peers="reset",
        late=5.0,
    ),
)
