"""Held-out noise: other harmless lines."""

HELD_OUT_STARTUP = (
    "/usr/lib/python3/dist-packages/requests/__init__.py:109: RequestsDependencyWarning: urllib3 (2.2.1) or chardet "
    "doesn't match a supported version!",
    "OMP: Info #276: omp_set_nested routine deprecated, please use omp_set_max_active_levels instead.",
    "ERROR: ld.so: object 'libtcmalloc.so.4' from LD_PRELOAD cannot be preloaded: ignored.",
    "No protocol specified",
    "[W CUDAAllocatorConfig.h:28] expandable_segments not supported on this platform (function operator())",
    "Could not load the custom kernel for rotary, falling back to the reference implementation",
    "perl: warning: Setting locale failed.",
    "[W TCPStore.cpp:131] [c10d] recvValue failed on SocketImpl(fd=9, addr=[{master}]:{port}): retrying",
    "tput: No value for $TERM and no -T specified",
)
HELD_OUT_DURING = (
    ("WARNING", "non-finite gradient in 1 of 512 buckets, step {step} not applied"),
    ("WARNING", "lost the lease on the lock of the cache, took it again"),
    ("ERROR", "tensorboard writer: event file busy, write deferred"),
    ("WARNING", "skipping a corrupt record in part-00{gpu}31 (crc mismatch), 1 of 40211 skipped so far"),
    ("INFO", "watchdog of the loader: no failure in the last 300 s"),
    ("WARNING", "object store answered 429 Too Many Requests, slept 2 s, then ok"),
    ("INFO", "crash handler installed for signals SIGSEGV, SIGABRT"),
    ("WARNING", "thermal: GPU {gpu} at 84 C, clocks lowered for 3 s"),
    ("WARNING", "expert 5 dropped 3.1% of its tokens (capacity exceeded)"),
)
