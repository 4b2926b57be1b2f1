"""Networks and ranks that fall silent: links, hangs, stragglers."""

from tests.kb.core.diagnosis.generators import acts, cascades, noise
from tests.kb.core.diagnosis.generators.entries import Part, Voice
from tests.kb.core.diagnosis.generators.launchers import stamp
from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Play, Say, begin
from tests.kb.core.diagnosis.generators.script import BOSS, Script

REMOTE = (
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3384, remote process exited or "
    "there was a "
    "network error, NCCL version 2.21.5",
    "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
)
NETWORK_ERROR: tuple[Play, ...] = (
    Crash(
        REMOTE,
        "collective",
        before=(
            Say(
                "transport/net_ib.cc:1291 NET/IB : Got completion from peer {peer_ip}<41122> with status=12 "
                "opcode=0 len=0 "
                "vendor err 129 (Send) localGid fe80::1 remoteGid fe80::2 hca mlx5_3",
                "nccl",
            ),
        ),
        blame="none",
        trace=SUPPORT,
    ),
    Crash(
        REMOTE,
        "collective",
        before=(
            Say("mlx5_core 0000:5e:00.0: Port: 1 Link DOWN", "kernel"),
            Say("transport/net_ib.cc:1288 NET/IB : Got async event : port error", "nccl", SUPPORT),
        ),
        blame="node",
        trace=SUPPORT,
    ),
    Crash(
        ("RuntimeError: [enforce fail at transport/tcp/pair.cc:534] Read error [{peer_ip}]:51020: No route to host",),
        "collective",
        blame="none",
        peers="reset",
    ),
)


def silent_rank(s: Script, forewarning: str, names: bool) -> list[int]:
    """One rank says nothing from now on, the others wait; who waits. `names`: the log will tell who is missing."""
    begin(s, "train")
    s.fails("train", "hang")
    if names or forewarning or s.style.reporters == "all":
        s.blame([s.victim], [s.victim // s.cluster.gpus])
    acts.step_begins(s, s.cluster.world, but=s.victim)
    if forewarning:
        s.log(s.rank(s.victim), forewarning.format_map(s.words(s.victim)), "WARNING", noise.where(s.rng), SUPPORT)
    s.wait(600)
    return cascades.others(s, s.victim)


def hang(forewarning: str = "", aborts: bool = True) -> Play:
    """The peers' watchdogs name no one: the one that is silent is to blame. Their first lines are all there is."""

    def play(s: Script) -> None:
        waiting = silent_rank(s, forewarning, names=not s.spec.serving)
        if s.spec.serving:
            _server_hangs(s)
            return
        cascades.watchdogs(s, waiting)
        if aborts:
            cascades.collapse(s, waiting[0], -6, "quiet", died=cascades.CASCADE)

    return play


def _server_hangs(s: Script) -> None:
    """Engine and server wait for the silent worker in vain."""
    engine = Voice("engine", 0)
    text = "No available shared memory broadcast block found in 60 second."
    for _ in range(4):
        s.log(engine, text, "INFO", "shm_broadcast.py:466:acquire", Part.CASCADE)
        s.wait(60)
    s.log(engine, "TimeoutError: RPC call to execute_model timed out.", "ERROR", "core.py:700:run", Part.CASCADE)


def hang_until_limit(beats: str = "", forewarning: str = "") -> Play:
    """No watchdog: the log stops, the scheduler ends it hours later."""

    def play(s: Script) -> None:
        silent_rank(s, forewarning, names=False)
        for minutes in (30, 60, 90) if beats else ():
            s.boss(beats.format(job=s.cluster.job, minutes=minutes))
            s.wait(1800)
        s.wait(3000)
        limit_reached(s, cascades.CASCADE)

    return play


def limit_reached(s: Script, part: Part) -> None:
    """The scheduler's end of a job that took too long."""
    if s.style.scheduler == "kubernetes":
        s.boss(
            acts.event_text(s, 0, "Warning", "DeadlineExceeded") + "Job was active longer than specified deadline",
            part=part,
        )
    elif s.style.scheduler == "ray":
        text = f"job {s.cluster.job}: stopped, it ran for longer than the limit of 4 h"
        s.log(BOSS, text, "WARNING", "job_manager.py:410:stop", part)
    else:
        host = s.cluster.nodes[0].short
        s.boss(
            f"slurmstepd: error: *** JOB {s.cluster.job} ON {host} CANCELLED AT {stamp(s)} DUE TO TIME LIMIT ***",
            part=part,
        )


def slow(told: str, every: int, factor: float) -> Play:
    """One rank holds all of them up; now and then it says so. The run goes on."""

    def play(s: Script) -> None:
        begin(s, "train")
        s.fails("train", "slowdown")
        s.blame([s.victim], [s.victim // s.cluster.gpus])
        while s.step < s.spec.iterations:
            if s.step % every == 0 or s.step == s.iteration:
                text = told.format_map(s.words(s.victim))
                s.log(s.rank(s.victim), text, "WARNING", "metrics.py:40:push", Part.ROOT)
            acts.iterate(s, s.step + 1, factor)
        acts.ending(s)

    return play


SILENT_HANG: tuple[Play, ...] = (hang(), hang("fetch of shard {rank}41 has been pending for 30 s", aborts=False))
HANG_TIME_LIMIT: tuple[Play, ...] = (
    hang_until_limit("job {job} is alive, its last output is {minutes} min old"),
    hang_until_limit(forewarning="device {gpu} busy, waiting for the stream to drain"),
)
STRAGGLER: tuple[Play, ...] = (
    slow("compute phase took 11.9 s on {host}, median of the group 4.1 s (rank {rank} is slow)", 4, 2.9),
    slow("GPU {gpu}: SM clock throttled to 345 MHz (HW slowdown, thermal)", 6, 2.2),
)
