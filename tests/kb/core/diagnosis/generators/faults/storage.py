"""Storage that fails a run: full, slow."""

from tests.kb.core.diagnosis.generators import acts
from tests.kb.core.diagnosis.generators.cascades import collapse
from tests.kb.core.diagnosis.generators.entries import Part
from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Play, Say, begin
from tests.kb.core.diagnosis.generators.script import Script

DISK_FULL: tuple[Play, ...] = (
    Crash(
        ("OSError: [Errno 28] No space left on device: '/mnt/scratch/{name}/step_{step}/shard_{rank}.pt'",),
        "save",
        stage="checkpoint",
    ),
    Crash(
        (
            "RuntimeError: [enforce fail at inline_container.cc:783] . PytorchStreamWriter failed writing file "
            "data/11: file "
            "write failed",
        ),
        "save",
        before=(
            Say(
                "write of shard {rank} stopped after 3.9 of 5.1 GB: Disk quota exceeded",
                "log",
                where="checkpointer.py:88:flush",
            ),
        ),
        stage="checkpoint",
        peers="reset",
        trace=SUPPORT,
    ),
)


def stall(first: str, again: str, error: str = "") -> Play:
    """A file system answers ever later; all ranks wait for the one that reads. It recovers, or a reader gives up."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.fails("train", "crash" if error else "slowdown")
        s.blame([s.victim], [s.victim // s.cluster.gpus])
        where = "reader.py:64:fetch"
        s.log(s.rank(s.victim), first.format_map(s.words(s.victim)), "WARNING", where, Part.ROOT)
        for waited in (60, 120, 240):
            s.wait(waited)
            text = again.format_map({**s.words(s.victim), "waited": waited})
            s.log(s.rank(s.victim), text, "WARNING", where, Part.SUPPORT)
        if error:
            s.trace(s.victim, "data", (error,), Part.SUPPORT)
            collapse(s, s.victim, 1)
            return
        acts.iterate(s, s.spec.iterations, 7.0)
        acts.ending(s)

    return play


STORAGE_STALL: tuple[Play, ...] = (
    stall("nfs: server store-3 not responding, still trying", "read of shard {rank}77 pending for {waited} s"),
    stall(
        "read of /mnt/corpus/part-{rank}.bin took 61 s (4 MB)",
        "lustre client: request to OST0012 timed out, resending after {waited} s",
        "OSError: [Errno 110] Connection timed out: '/mnt/corpus/part-7.bin'",
    ),
)
