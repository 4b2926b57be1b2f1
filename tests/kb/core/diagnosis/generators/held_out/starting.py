"""Held out: starts that fail."""

from tests.kb.core.diagnosis.generators.faults.starting import Load, Start
from tests.kb.core.diagnosis.generators.play import PLAIN, SUPPORT, Say

CONFIG_ASSERTION = Start(
    ("RuntimeError: tensor parallel 3 times pipeline 2 does not divide the world size {world}",), "start", every=True
)
IMPORT_ERROR = Start(
    ("OSError: libcudart.so.13: cannot open shared object file: No such file or directory",),
    "import",
    every=True,
    stage="import",
)
RENDEZVOUS_TIMEOUT = Start(
    ("RuntimeError: wait timeout after 900000ms, keys: /default_pg/0//worker_count",),
    "rendezvous",
    before=(
        Say("still waiting: 1 of {world} workers has not registered at the store", "log", PLAIN, "INFO", wait=880),
        Say("failed to reach the coordinator at {master_ip}:{port}: deadline exceeded", "log", SUPPORT),
    ),
    blame="none",
)
PORT_IN_USE = Start(("OSError: [Errno 98] Address already in use: ('0.0.0.0', {port})",), "rendezvous")
CHECKPOINT_CORRUPT = Load(
    ("_pickle.UnpicklingError: invalid load key, '\\x00'.",),
    before=(
        Say("shard {rank}: 0 of 5.1 GB have the expected checksum", "log", SUPPORT, "WARNING", "restore.py:81:verify"),
    ),
    late=2.0,
)
PERMISSION_DENIED = Load(
    ("OSError: [Errno 30] Read-only file system: '/mnt/shared/cache/{name}/rank_{rank}'",), peers="reset"
)
