"""Which places of a round are assisted: as equally many on every item as can be, by a seed that is published. Pure."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

Place = tuple[int, int]


@dataclass(frozen=True)
class Held:
    """How many places an item has already, and how many of them are assisted."""

    places: int = 0
    assisted: int = 0


def assisted(
    places: Mapping[int, Collection[int]], *, percent: int, seed: str, held: Mapping[int, Held] | None = None
) -> set[Place]:
    """The assisted ones of these new places, by an item's position and the place's number.

    Every item gets the whole number below its share. What is missing to the share of all places goes, one each, to
    the items whose SHA-256 of `seed:position` comes first; within an item, to the places whose SHA-256 of
    `seed:position:number` comes first. `held`: what items have already counts for their share, and stays.
    """
    held = held or {}
    sizes = {at: len(numbers) + held.get(at, Held()).places for at, numbers in places.items()}
    quotas = {at: size * percent // 100 for at, size in sizes.items()}
    # Half a place is rounded up.
    missing = (sum(sizes.values()) * percent + 50) // 100 - sum(quotas.values())
    partial = [at for at, size in sizes.items() if size * percent % 100]
    for at in sorted(partial, key=lambda at: _digest(f"{seed}:{at}"))[:missing]:
        quotas[at] += 1
    chosen = set()
    for at, numbers in places.items():
        ordered = sorted(numbers, key=lambda number: _digest(f"{seed}:{at}:{number}"))
        wanted = max(0, quotas[at] - held.get(at, Held()).assisted)
        chosen |= {(at, number) for number in ordered[:wanted]}
    return chosen


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
