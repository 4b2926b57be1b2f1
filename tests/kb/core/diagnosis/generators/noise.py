"""What sounds alarming and is harmless: warnings, retries that succeed, skipped steps. It happens in good runs too."""

from random import Random

from tests.kb.core.diagnosis.generators.entries import Voice
from tests.kb.core.diagnosis.generators.held_out.noise import HELD_OUT_DURING, HELD_OUT_STARTUP
from tests.kb.core.diagnosis.generators.script import Script

STARTUP = (
    "fatal: not a git repository (or any of the parent directories): .git",
    "/opt/conda/lib/python3.11/site-packages/torch/cuda/__init__.py:61: FutureWarning: The pynvml package is "
    "deprecated.",
    "E0000 00:00:1746612345.120931    4471 cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to "
    "register factory for plugin "
    "cuDNN when one has already been registered",
    "WARNING: failed to import apex fused layer norm (No module named 'apex'), using the built-in one",
    "libibverbs: Warning: couldn't open config directory '/etc/libibverbs.d'.",
    "[W socket.cpp:752] [c10d] The client socket has failed to connect to [{master}]:{port} (errno: 111 - Connection "
    "refused).",
    "wandb: WARNING Serializing object of type ndarray that is 131200 bytes",
    "/app/data/index.py:31: UserWarning: memory-mapped array is not writable; undefined behavior if written to",
    "huggingface_hub.utils._http: HTTP Error 504 thrown while requesting HEAD, retrying in 1s [Retry 1/5].",
    "Error in cpuinfo: prctl(PR_SVE_GET_VL) failed",
)
# (level, who, text): said through the logger while the run goes well.
DURING = (
    ("WARNING", "gradient overflow at step {step}, skipping the update, loss scale 65536 -> 32768"),
    ("WARNING", "shard 0{gpu}17 unreadable at offset 88211 (attempt 1 of 4), will retry"),
    ("INFO", "shard 0{gpu}17 read after 2 attempts"),
    ("WARNING", "metrics push failed: HTTP 503 Service Unavailable; buffered 12 points"),
    ("ERROR", "could not upload the profile: connection reset by peer; retrying in 5 s"),
    ("INFO", "profile uploaded after an error"),
    ("WARNING", "sample 9012{gpu} longer than the window, truncated"),
    ("WARNING", "allocator: 1 cudaMalloc retry since the last report; fragmentation is high"),
    ("INFO", "error rate of the reader: 0 failed of 8192"),
    ("WARNING", "fetch took 4.1 s, the queue of the loader is nearly empty"),
    ("INFO", "exception handlers armed, timeout 1800 s, abort on failure: true"),
    ("WARNING", "gc paused the main thread for 0.8 s"),
)


def at_start(s: Script, most: int = 3) -> None:
    """A few of the alarming lines that every start prints."""
    pool = HELD_OUT_STARTUP if s.spec.held_out else STARTUP
    for text in s.rng.sample(pool, min(most, len(pool))):
        rank = s.rng.randrange(s.cluster.world)
        s.raw(s.rank(rank), text.format_map(s.words(rank)), level="WARNING")
        s.wait(0.2)


def during(s: Script, chance: float = 0.15) -> None:
    """Now and then a warning of some rank."""
    if s.rng.random() > chance:
        return
    level, text = s.rng.choice(HELD_OUT_DURING if s.spec.held_out else DURING)
    rank = s.rng.randrange(s.cluster.world)
    s.log(s.rank(rank), text.format_map(s.words(rank)), level, where(s.rng))


def where(rng: Random) -> str:
    """Some place in the program."""
    return rng.choice(("loop.py:188:step", "reader.py:64:fetch", "metrics.py:40:push", "memory.py:112:check"))


def voices(s: Script) -> list[Voice]:
    """All ranks, in an order of the moment: nobody prints in turn."""
    ranks = list(range(s.cluster.world))
    s.rng.shuffle(ranks)
    return [s.rank(rank) for rank in ranks]
