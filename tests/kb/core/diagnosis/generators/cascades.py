"""What follows a failure: waits that time out, connections that break, signals, the launcher's last words."""

from typing import Literal

from tests.kb.core.diagnosis.generators import launchers
from tests.kb.core.diagnosis.generators.entries import Part
from tests.kb.core.diagnosis.generators.script import Script

Peers = Literal["timeout", "reset", "quiet"]
CASCADE = Part.CASCADE
GROUP = "ProcessGroupNCCL.cpp"


def collapse(s: Script, victim: int, code: int, peers: Peers = "timeout", died: Part = Part.SUPPORT) -> None:
    """The rest of the job falls after this rank has ended with this code."""
    s.wait(1.2)
    launchers.died(s, victim, code, died, CASCADE if died == CASCADE else Part.SUPPORT)
    follow(s, victim, peers)
    s.wait(2)
    for node in s.cluster.nodes:
        if node.index != victim // s.cluster.gpus:
            launchers.terminated(s, node.index)
    if s.style.launcher == "slurm":
        for rank in others(s, victim)[:6]:
            launchers.died(s, rank, s.rng.choice((1, -6, -15)), CASCADE, CASCADE)
    launchers.step_cancelled(s)


def others(s: Script, victim: int) -> list[int]:
    """The other ranks, in no order."""
    ranks = [rank for rank in range(s.cluster.world) if rank != victim]
    s.rng.shuffle(ranks)
    return ranks


def follow(s: Script, victim: int, peers: Peers) -> None:
    """The peers notice, each in its own time. Those on the failed node are mostly stopped before they can."""
    if peers == "quiet" or s.spec.serving:
        return
    away = [rank for rank in others(s, victim) if rank // s.cluster.gpus != victim // s.cluster.gpus]
    hit = away or others(s, victim)
    if peers == "timeout":
        s.wait(600)
        watchdogs(s, hit)
    else:
        resets(s, hit[:10], victim)


def watchdogs(s: Script, ranks: list[int], part: Part = CASCADE) -> None:
    """The watchdog of each rank gives up on the collective that never ends."""
    number = 400 + s.step * 37
    for rank in ranks:
        spent = 600_000 + s.rng.randint(2, 95)
        work = f"WorkNCCL(SeqNum={number}, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000)"
        text = f"[Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {spent} milliseconds"
        s.native(rank, f"{text} before timing out.", f"{GROUP}:632", part=part)
        s.wait(0.02)
    for rank in ranks:
        text = (
            f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] failure detected by watchdog at work sequence id: {number}, "
        )
        s.native(
            rank,
            f"{text}last enqueued work: {number + 1}, last completed work: {number - 1}",
            f"{GROUP}:2268",
            part=part,
        )
    for rank in ranks[: max(2, len(ranks) // 2)]:
        text = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: "
        text += f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={number})"
        s.raw(s.rank(rank), "terminate called after throwing an instance of 'c10::DistBackendError'", part=part)
        s.raw(s.rank(rank), f"  what():  {text}", part=part)


def resets(s: Script, ranks: list[int], victim: int) -> None:
    """Connections to the dead rank break."""
    address = s.cluster.node_of(victim).address
    for rank in ranks:
        port = s.rng.randint(30_000, 60_000)
        text = f"socketProgress: Connection closed by remote peer {address}<{port}>"
        s.nccl(rank, f"misc/socket.cc:53 {text}", "WARN", CASCADE)
        s.wait(0.01)
    for rank in ranks[:4]:
        error = (
            f"torch.distributed.DistBackendError: NCCL error in: {GROUP}:3384, remote process exited or there was a "
            "network error, NCCL version 2.21.5",
            "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
        )
        s.trace(rank, "collective", error, CASCADE)
