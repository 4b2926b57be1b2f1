"""Starts that fail: settings, imports, ports, ranks that never come, checkpoints that cannot be read."""

from functools import partial

from tests.kb.core.diagnosis.generators.play import PLAIN, ROOT, SUPPORT, Crash, Play, Say

Start = partial(Crash, stage="init", symptom="launch_failure", peers="quiet")

CONFIG_ASSERTION: tuple[Play, ...] = (
    Start(("AssertionError: hidden size 5120 is not divisible by 24 attention heads",), "start", every=True),
    Start(
        ("ValueError: global batch 500 is not a multiple of micro batch 2 times data parallel size {world}",),
        "start",
        every=True,
    ),
)
IMPORT_ERROR: tuple[Play, ...] = (
    Start(("ModuleNotFoundError: No module named 'flash_attn_3'",), "import", every=True, stage="import"),
    Start(
        (
            "ImportError: /app/engine/_kernels.cpython-311-x86_64-linux-gnu.so: undefined symbol: "
            "_ZN3c105ErrorC2ENS_14SourceLocationESs",
        ),
        "import",
        every=True,
        stage="import",
    ),
)
RENDEZVOUS_TIMEOUT: tuple[Play, ...] = (
    Start(
        ("torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 7/8 clients joined.",),
        "rendezvous",
        before=(Say("waiting for all workers at {master}:{port}", "log", PLAIN, "INFO", "boot.py:40:wait", wait=590),),
        blame="none",
    ),
    Start(
        (
            "torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while trying to "
            "connect to "
            "({master}, {port}).",
        ),
        "rendezvous",
        before=(
            Say(
                "[W socket.cpp:767] [c10d] The IPv4 network addresses of ({master}, {port}) cannot be retrieved "
                "(gai error: "
                "-2 - Name or service not known).",
                "raw",
                SUPPORT,
                wait=299,
            ),
        ),
    ),
)
PORT_IN_USE: tuple[Play, ...] = (
    Start(
        (
            "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network "
            "address. port: "
            "{port}, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
        ),
        "rendezvous",
    ),
    Start(
        ("RuntimeError: The server socket has failed to bind to 0.0.0.0:{port} (errno: 98 - Address already in use).",),
        "rendezvous",
        before=(
            Say(
                "[W socket.cpp:464] [c10d] The server socket has failed to bind to [::]:{port} (errno: 98 - "
                "Address already "
                "in use).",
                "raw",
                ROOT,
            ),
        ),
        trace=SUPPORT,
    ),
)
Load = partial(Crash, place="load", stage="load", symptom="launch_failure")

CHECKPOINT_CORRUPT: tuple[Play, ...] = (
    Load(
        ("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",),
        before=(Say("reading shard {rank} of the checkpoint", "log", PLAIN, "INFO", "restore.py:70:restore"),),
        peers="reset",
    ),
    Load(
        ("safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer",),
        peers="timeout",
    ),
)
PERMISSION_DENIED: tuple[Play, ...] = (
    Load(
        ("PermissionError: [Errno 13] Permission denied: '/mnt/shared/models/{name}/shard_{rank}.safetensors'",),
        peers="reset",
    ),
    Start(("PermissionError: [Errno 13] Permission denied: '/var/cache/kernels/{name}.lock'",), "start"),
)
