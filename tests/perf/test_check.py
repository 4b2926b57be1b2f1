"""A check of one set-up against 5,000 ranges takes 50 ms of a processor at most."""

import time
from dataclasses import replace
from itertools import cycle, islice

from kb.core.check.answer import answer
from kb.core.setups.known_faults import KnownFault
from kb.core.setups.reading import read_setup
from tests.kb.core.setups.evaluation.faults import faults_of_records

RANGES, MOST_SECONDS, RUNS = 5_000, 0.05, 7
FREEZE = "".join(
    f"{name}\n"
    for name in (
        "torch==2.6.0+cu124", "deepspeed==0.18.2", "transformers==4.48.0", "accelerate==1.2.0", "peft==0.14.0",
        "trl==0.12.0", "vllm==0.8.5", "bitsandbytes==0.45.0", "numpy==1.26.4",
    )
)  # fmt: skip
ZERO_2 = '{"zero_optimization": {"stage": 2, "overlap_comm": true}, "bf16": {"enabled": true}}\n'


def many_faults() -> list[KnownFault]:
    """The records' faults over and over, each under an address of its own, until there are so many ranges."""
    known = [fault for fault in faults_of_records() if fault.rows]
    faults = (replace(fault, url=f"{fault.url}-{number}") for number, fault in enumerate(cycle(known)))
    return list(islice(faults, RANGES))


def test_a_check_of_five_thousand_ranges_is_quick() -> None:
    faults = many_faults()
    texts = [("pip-freeze.txt", FREEZE), ("ds.json", ZERO_2)]
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        data = answer(read_setup(texts), faults)
        seconds.append(time.process_time() - began)
    assert data["counts"]["affects"]
    assert min(seconds) <= MOST_SECONDS, f"{min(seconds) * 1000:.0f} ms"
