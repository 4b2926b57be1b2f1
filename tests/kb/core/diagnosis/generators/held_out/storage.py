"""Held out: storage that fails a run."""

from tests.kb.core.diagnosis.generators.faults.storage import stall
from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Say

DISK_FULL = Crash(
    ("safetensors_rust.SafetensorError: Error while serializing: I/O error: No space left on device (os error 28)",),
    "save",
    after=(
        Say(
            "df of the checkpoint volume: 100% used, 0 B available", "log", SUPPORT, "INFO", "checkpointer.py:91:flush"
        ),
    ),
    stage="checkpoint",
    peers="reset",
    late=2.0,
)
STORAGE_STALL = stall(
    "object store: GET part-{rank}.tar stalled at 3 of 512 MB",
    "GET part-{rank}.tar: no bytes for {waited} s, the queue of rank {rank} is empty",
)
