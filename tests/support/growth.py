"""How computing time grows with the size of what is computed: as it does, not how long it takes on some machine."""

from collections.abc import Callable
from time import process_time

ROUNDS = 5
FACTOR = 8
# Three times what is in proportion to the size, for a busy machine, and far from the square's 64.
MOST = 24
# Far enough below that, after two rounds, no further one would change the answer.
CLEAR = MOST / 2
# What takes less is noise.
LEAST_SECONDS = 0.002


def growth(call: Callable[[int], object], size: int) -> float:
    """How many times longer eight times `size` takes: 8 where time grows with the size, 64 with its square.

    The sizes take turns, so that both see the machine when it is fast; of each the best round counts, because whatever
    else the machine does only adds to it.
    """
    smalls: list[float] = []
    larges: list[float] = []
    times = 0.0
    while len(smalls) < 2 or (times >= CLEAR and len(smalls) < ROUNDS):
        smalls.append(_seconds(call, size))
        larges.append(_seconds(call, FACTOR * size))
        times = min(larges) / max(min(smalls), LEAST_SECONDS)
    return times


def _seconds(call: Callable[[int], object], size: int) -> float:
    start = process_time()
    call(size)
    return process_time() - start
