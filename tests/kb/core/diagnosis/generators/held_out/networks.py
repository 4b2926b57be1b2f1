"""Held out: networks and ranks that fall silent."""

from tests.kb.core.diagnosis.generators.faults.networks import hang, hang_until_limit, slow
from tests.kb.core.diagnosis.generators.play import SUPPORT, Crash, Say

NETWORK_ERROR = Crash(
    (
        "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:268, unhandled system error (run with "
        "NCCL_DEBUG=INFO for details), NCCL version 2.20.5",
        "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. ",
    ),
    "collective",
    before=(
        Say(
            "ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_3:1, curr state INIT, next state RTR",
            "nccl",
        ),
    ),
    blame="none",
    peers="reset",
    trace=SUPPORT,
)
SILENT_HANG = hang("python thread 7 has held the interpreter lock for 45 s")
HANG_TIME_LIMIT = hang_until_limit(
    "keepalive {job}: {minutes} minutes without a new line", "pinned memory pool is empty"
)
STRAGGLER = slow("rank {rank} was last at the barrier in 38 of 40 steps, by 3.4 s", 5, 2.5)
