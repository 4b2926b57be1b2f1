"""A server whose engine dies of one worker."""

from tests.kb.core.diagnosis.generators.faults.devices import ASYNC
from tests.kb.core.diagnosis.generators.play import ROOT, SUPPORT, Crash, Play, Say

ENGINE_DEATH: tuple[Play, ...] = (
    Crash(
        ("torch.AcceleratorError: CUDA error: an illegal instruction was encountered", *ASYNC),
        "sample",
        before=(Say("graph replay of size 48 took 3.1 s", "log", SUPPORT, "WARNING", "gpu_model_runner.py:1990:run"),),
    ),
    Crash(
        before=(
            Say("*** SIGSEGV received at time=1746612 on cpu 14 ***", "raw", ROOT),
            Say("    @ 0x7f11a2 custom_all_reduce::allreduce()", "raw", SUPPORT),
        ),
        code=-11,
    ),
)
