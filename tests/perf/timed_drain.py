"""Run by the peers' own Python: mines the file that is its argument with drain3 alone, and tells how fast, as JSON.

The second argument: how many lines at most. With the masks that drain3's documentation shows, and without any.
"""

import json
import sys
import time
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

MASKS = ((r"\d+\.\d+\.\d+\.\d+", "IP"), (r"0x[0-9a-fA-F]+", "HEX"), (r"\d+", "NUM"))


def rate(lines: list[str], *, masked: bool) -> float:
    """Lines per second."""
    config: Any = import_module("drain3.template_miner_config").TemplateMinerConfig()
    config.profiling_enabled = False
    if masked:
        instruction = import_module("drain3.masking").MaskingInstruction
        config.masking_instructions = [instruction(pattern, name) for pattern, name in MASKS]
    miner: Any = import_module("drain3").TemplateMiner(config=config)
    began = time.perf_counter()
    for line in lines:
        miner.add_log_message(line)
    return len(lines) / (time.perf_counter() - began)


def main(name: str, most: str) -> None:
    """Mine, and tell."""
    with Path(name).open() as file:
        lines = [line.rstrip("\n") for line in islice(file, int(most))]
    sys.stdout.write(json.dumps({"masked": rate(lines, masked=True), "plain": rate(lines, masked=False)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
