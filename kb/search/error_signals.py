"""Which signals of the diagnosis an issue's or a log's error lines give. How a line is matched is the catalogue's."""

from collections.abc import Iterable

from kb.core.diagnosis.signals.catalogue import catalogue

MOST_CHARACTERS = 600
# Signals of other roles only say that something failed.
TELLING_ROLES = frozenset({"root", "cascade", "confirmation", "either"})


def signals_of_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """The codes of the signals that these lines give, each once; signals that tell no fault from another are none."""
    codes: dict[str, None] = {}
    for line in lines:
        for signal in catalogue().match(line[:MOST_CHARACTERS]):
            if signal.role in TELLING_ROLES and not signal.general:
                codes[signal.code] = None
                break
    return tuple(codes)
