"""Held out: memory that runs out."""

from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Say

GPU_OOM = Crash(
    (
        "RuntimeError: NPU out of memory. Tried to allocate 5.40 GiB (NPU {gpu}; 60.97 GiB total capacity; 54.80 "
        "GiB already "
        "allocated; 1.11 GiB free)",
    ),
    "backward",
    before=(
        Say(
            "reserved 58.3 GiB, peak 57.9 GiB since the last empty_cache", "log", SUPPORT, "INFO", "memory.py:12:check"
        ),
    ),
    late=6.0,
)
HOST_OOM = Crash(
    before=(
        Say(
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=job_{job},mems_allowed=0-1,task=python3.11,"
            "pid={pid},uid=0",
            "kernel",
            SUPPORT,
        ),
        Say(
            "Memory cgroup out of memory: Killed process {pid} (python3.11) total-vm:198211200kB, anon-rss:97770122kB",
            "kernel",
        ),
    ),
    code=-9,
    peers="reset",
)
LOADER_KILLED = Crash(
    ("RuntimeError: DataLoader worker (pid {child}) is killed by signal: Segmentation fault. ",),
    "data",
    late=4.0,
    peers="reset",
)
