"""Memory that runs out: of the device, of the host."""

from tests.kb.core.diagnosis.generators.play import PLAIN, ROOT, SUPPORT, Crash, Play, Say

USE = "See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"

GPU_OOM: tuple[Play, ...] = (
    Crash(
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.11 GiB. GPU {gpu} has a total capacity of "
            "79.11 GiB of which 1.02 GiB is free. Including non-PyTorch memory, this process has 78.07 GiB memory in "
            f"use. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.44 GiB is reserved. {USE}",
        ),
        before=(Say("allocator: 31 cudaMalloc retries since the last report", "log", SUPPORT, "WARNING"),),
    ),
    Crash(
        (
            "RuntimeError: CUDA error: out of memory",
            "CUDA kernel errors might be asynchronously reported at some other "
            "API call, so the stacktrace below might be incorrect.",
        ),
        "backward",
        peers="reset",
        late=3.0,
    ),
    Crash(
        (
            "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 884.00 MiB. GPU {gpu} has a total "
            "capacity of 63.98 GiB of which 310.00 MiB is free.",
        ),
        "backward",
        before=(Say("step {next}: longest sequence in the batch is 31744 tokens", "log", PLAIN, "INFO"),),
        after=(Say("dumped the allocator's snapshot of {short} gpu {gpu}", "log", SUPPORT, "INFO"),),
    ),
)
HOST_OOM: tuple[Play, ...] = (
    Crash(
        before=(
            Say(
                "pt_data_worker invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0", "kernel", SUPPORT
            ),
            Say(
                "Out of memory: Killed process {pid} (python3.11) total-vm:291887104kB, anon-rss:181002340kB, "
                "file-rss:71680kB, shmem-rss:0kB, UID:0 pgtables:401004kB oom_score_adj:0",
                "kernel",
            ),
        ),
        code=-9,
    ),
    Crash(
        before=(
            Say("host memory of {short} at 98 % (1007 of 1024 GiB)", "log", SUPPORT, "WARNING", "mem.py:12:check"),
        ),
        after=(
            Say(
                "slurmstepd: error: Detected 1 oom_kill event in StepId={job}.0. Some of the step tasks have been OOM "
                "Killed.",
                "event",
                SUPPORT,
                "OOMKilling",
                elsewhere=(
                    "memory cgroup out of memory: killed process {pid}",
                    "(raylet, ip={ip}) 1 worker was killed due to the node running low on memory",
                ),
            ),
        ),
        code=-9,
        peers="reset",
        died=ROOT,
    ),
)
LOADER_KILLED: tuple[Play, ...] = (
    Crash(
        ("RuntimeError: DataLoader worker (pid {child}) is killed by signal: Killed. ",),
        "data",
        before=(
            Say("Memory cgroup out of memory: Killed process {child} (pt_data_worker) total-vm:44120332kB", "kernel"),
        ),
        trace=SUPPORT,
    ),
    Crash(
        ("RuntimeError: DataLoader worker (pid(s) {child}) exited unexpectedly",),
        "data",
        before=(
            Say(
                "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory "
                "(shm).",
                "raw",
                SUPPORT,
            ),
        ),
        peers="reset",
    ),
)
