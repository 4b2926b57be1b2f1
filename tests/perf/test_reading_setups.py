"""Reading a set-up takes 20 ms of a processor at most: a whole one of five files, and an issue's text of all forms."""

import time

import pytest

from kb.core.setups.reading import read_setup
from tests.kb.core.setups import runs, texts

MOST_SECONDS, RUNS = 0.02, 7
PACKAGES = "".join(f"package-{number:03}==1.{number}.0\n" for number in range(300))
WHOLE = [
    ("pip-freeze.txt", PACKAGES + texts.FREEZE),
    ("z3.json", runs.ZERO_3),
    ("run.yaml", runs.LLAMA_FACTORY),
    ("train.py", runs.SCRIPT),
    ("launch.sh", runs.MEGATRON),
]
MIXED = [("issue", "\n\n".join((runs.ISSUE, texts.NVIDIA_SMI, runs.ENGINE_LOG, texts.SGLANG_ENV, runs.CONSOLE)))]


@pytest.mark.parametrize("setup", [WHOLE, MIXED], ids=["whole", "mixed"])
def test_a_set_up_is_read_quickly(setup: list[tuple[str, str]]) -> None:
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        read_setup(setup)
        seconds.append(time.process_time() - began)
    assert min(seconds) <= MOST_SECONDS, f"{min(seconds) * 1000:.0f} ms"
