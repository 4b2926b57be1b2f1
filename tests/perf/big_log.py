"""Big logs of made-up runs, written fast: what a diagnosis is timed on. Logs with a known truth are elsewhere."""

from collections.abc import Iterator
from pathlib import Path

RANKS, PER_NODE = 64, 8
DAY = 86_400
FAILURE = (
    "[rank13]: Traceback (most recent call last):",
    '[rank13]:   File "/app/train.py", line 88, in main',
    "[rank13]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.25 GiB. GPU 5 has 79.1 GiB in all",
    *(
        f"[rank{rank}]: [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)"
        for rank in range(RANKS)
        if rank != 13
    ),
)


def multi_rank(size: int) -> Iterator[str]:
    """At least so many characters of a training run on 64 ranks that ends badly, in pieces of whole lines."""
    yield "".join(
        f"gpu-{rank // PER_NODE:02}: rank {rank} nranks {RANKS} cudaDev {rank % PER_NODE}\n" for rank in range(RANKS)
    )
    written, step = 0, 0
    while written < size:
        step += 1
        piece = "".join(_step(step))
        written += len(piece)
        yield piece
    yield "\n".join(FAILURE) + "\n"


def _step(step: int) -> Iterator[str]:
    when = _clock(step * 2)
    for rank in range(RANKS):
        head = f"[rank{rank}]: {when},{rank:03} -"
        yield f"{head} trainer - INFO - step {step} begin | mem {60 + step % 9}.{rank % 10} GB | queue {step % 7}\n"
        if (step + rank) % 3 == 0:
            yield f"{head} loader - DEBUG - prefetched batch {step * 31 + rank} of shard-{rank:05} in {step % 90} ms\n"
        if (step + rank) % 50 == 0:
            node, gpu, peer = rank // PER_NODE, rank % PER_NODE, (rank + 1) % RANKS
            head = f"gpu-{node:02}:{4000 + rank}:{5000 + rank} [{gpu}]"
            yield f"{head} NCCL INFO Channel {step % 4} : {rank} -> {peer}\n"
    yield (
        f"[rank0]: {when},900 - trainer - INFO - iteration {step:8}/ 900000 | elapsed time per iteration (ms): "
        f"{2000 + step % 37}.{step % 10} | learning rate: 1.500E-04 | lm loss: {2 + 3 / (1 + step / 500):.6E} | "
        f"grad norm: 0.{step % 90:02} |\n"
    )


def plain(size: int) -> Iterator[str]:
    """As many characters of lines that say nothing of note, without heads: the fast path."""
    written, number = 0, 0
    while written < size:
        piece = "".join(
            f"request {number + place} served in {place % 900} ms, {place % 64} tokens, cache hit {place % 3}\n"
            for place in range(20_000)
        )
        number += 20_000
        written += len(piece)
        yield piece


def write(file: Path, pieces: Iterator[str]) -> int:
    """Write them; returns how many lines there are."""
    lines = 0
    with file.open("w") as log:
        for piece in pieces:
            log.write(piece)
            lines += piece.count("\n")
    return lines


def _clock(seconds: int) -> str:
    day, rest = divmod(seconds, DAY)
    return f"2026-03-{1 + day % 28:02} {rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
