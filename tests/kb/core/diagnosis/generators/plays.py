"""All plays by kind: the variants that may be looked at, then the one that is held out."""

from types import ModuleType
from typing import Any

from tests.kb.core.diagnosis.generators.faults import (
    devices,
    memory,
    networks,
    numbers,
    programs,
    quiet,
    scheduling,
    serving,
    starting,
    storage,
)
from tests.kb.core.diagnosis.generators.held_out import devices as held_devices
from tests.kb.core.diagnosis.generators.held_out import memory as held_memory
from tests.kb.core.diagnosis.generators.held_out import networks as held_networks
from tests.kb.core.diagnosis.generators.held_out import numbers as held_numbers
from tests.kb.core.diagnosis.generators.held_out import programs as held_programs
from tests.kb.core.diagnosis.generators.held_out import quiet as held_quiet
from tests.kb.core.diagnosis.generators.held_out import scheduling as held_scheduling
from tests.kb.core.diagnosis.generators.held_out import serving as held_serving
from tests.kb.core.diagnosis.generators.held_out import starting as held_starting
from tests.kb.core.diagnosis.generators.held_out import storage as held_storage
from tests.kb.core.diagnosis.generators.play import Play
from tests.kb.core.diagnosis.generators.spec import KINDS

OPEN = (memory, devices, programs, starting, networks, numbers, storage, scheduling, serving, quiet)
HELD = (
    held_memory,
    held_devices,
    held_programs,
    held_starting,
    held_networks,
    held_numbers,
    held_storage,
    held_scheduling,
    held_serving,
    held_quiet,
)


def _of(kind: str, modules: tuple[ModuleType, ...]) -> Any:
    """What the modules have under this kind's name."""
    return next(vars(module)[kind.upper()] for module in modules if kind.upper() in vars(module))


def _both(kind: str) -> tuple[Play, ...]:
    return (*_of(kind, OPEN), _of(kind, HELD))


PLAYS: dict[str, tuple[Play, ...]] = {kind: _both(kind) for kind in KINDS}
