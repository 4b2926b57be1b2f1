"""How computing time grows with the size of what is computed: as it does, not how long it takes on some machine."""

from collections.abc import Callable
from time import process_time

ROUNDS = 3
FACTOR = 4
# More than in proportion to the size, with room for a busy machine, and still far from the square's 16.
MOST = 8
# What takes less is noise.
LEAST_SECONDS = 0.002


def growth(call: Callable[[int], object], size: int) -> float:
    """How many times longer four times `size` takes: 4 where time grows with the size, 16 with its square."""
    return _seconds(call, FACTOR * size) / max(_seconds(call, size), LEAST_SECONDS)


def _seconds(call: Callable[[int], object], size: int) -> float:
    """Seconds of computing, the best of some rounds: whatever else the machine does only adds to them."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = process_time()
        call(size)
        best = min(best, process_time() - start)
    return best
