"""Which signals of the diagnosis an issue's or a log's error lines give. How a line is matched is the catalogue's."""

from collections.abc import Iterable

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.format import Signal

MOST_CHARACTERS = 600
# Signals of other roles only say that something failed.
TELLING_ROLES = frozenset({"root", "cascade", "confirmation", "either"})


def telling_signal(line: str) -> Signal | None:
    """The first signal of the line that tells one fault from another; None where it gives none."""
    for signal in catalogue().match(line[:MOST_CHARACTERS]):
        if signal.role in TELLING_ROLES and not signal.general:
            return signal
    return None


def signals_of_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The codes of the telling signals of these lines, each once."""
    signals = (telling_signal(line) for line in lines)
    return tuple(dict.fromkeys(signal.code for signal in signals if signal is not None))
