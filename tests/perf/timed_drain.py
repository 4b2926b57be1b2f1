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


def rate(name: str, most: int, *, masked: bool) -> float:
    """Lines per second, from the file to the templates."""
    config: Any = import_module("drain3.template_miner_config").TemplateMinerConfig()
    config.profiling_enabled = False
    if masked:
        instruction = import_module("drain3.masking").MaskingInstruction
        config.masking_instructions = [instruction(pattern, name) for pattern, name in MASKS]
    miner: Any = import_module("drain3").TemplateMiner(config=config)
    lines = 0
    began = time.perf_counter()
    with Path(name).open() as file:
        for line in islice(file, most):
            miner.add_log_message(line.rstrip("\n"))
            lines += 1
    return lines / (time.perf_counter() - began)


def main(name: str, most: str) -> None:
    """Mine, and tell."""
    rates = {how: rate(name, int(most), masked=how == "masked") for how in ("masked", "unmasked")}
    sys.stdout.write(json.dumps(rates))


if __name__ == "__main__":
    main(*sys.argv[1:])
