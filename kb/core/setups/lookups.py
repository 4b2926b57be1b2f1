"""What a set-up says of one package, flag, name, setting or variable, and when its absence is known.

Absent is only what was looked for in a whole list, a command, a script or a file of its kind.
"""

from collections.abc import Iterator

from kb.core.setups.answers import Answer
from kb.core.setups.facts import Fact, Place, Setup


def is_installed(setup: Setup, name: str) -> Answer:
    """Whether the package is there."""
    package = setup.packages.get(name)
    if package is not None:
        return Answer(True, (f"{name} is installed ({package.place})",))
    if name in setup.absent:
        return Answer(False, (f"{name} is not installed ({setup.absent[name]})",))
    if setup.lists_all_packages:
        return Answer(False, (f"{name} is not in the list of packages",))
    return Answer(None, missing=(f"whether {name} is installed",))


def is_used(setup: Setup, name: str) -> Answer:
    """Whether a script names it."""
    if name in setup.names:
        return Answer(True, (f"a script names {name}",))
    if setup.has_script:
        return Answer(False, (f"no script names {name}",))
    return Answer(None, missing=(f"whether a script uses {name}",))


def has_flag(setup: Setup, flag: str) -> Answer:
    """Whether a launch command has it."""
    fact = setup.flags.get(flag.lstrip("-"))
    if fact is not None:
        return Answer(fact.value is not False, (f"{flag} ({fact.place})",))
    if setup.has_command:
        return Answer(False, (f"no {flag} in the command",))
    return Answer(None, missing=(f"whether the command has {flag}",))


def fact_of(setup: Setup, name: str) -> Fact | None:
    """The fact of this name in `vocabulary.yaml`."""
    return setup.facts.get(name)


def setting_of(setup: Setup, key: str) -> Fact | None:
    """The setting, or its absence where a file of its kind was read."""
    kind = key.partition(".")[0]
    is_whole = kind in setup.read_kinds and setup.unread.isdisjoint(heads(key))
    return setup.settings.get(key) or _absent(is_whole, f"{kind} file")


def flag_of(setup: Setup, flag: str) -> Fact | None:
    """The flag's value, or its absence where a command was read."""
    return setup.flags.get(flag.lstrip("-")) or _absent(setup.has_command, "command")


def variable_of(setup: Setup, name: str) -> Fact | None:
    """The variable's value, or its absence where the whole environment was read."""
    return setup.variables.get(name) or _absent(setup.lists_all_variables, "env")


def heads(key: str) -> Iterator[str]:
    """A setting, and the sections that it lies in."""
    while "." in key:
        yield key
        key = key.rpartition(".")[0]


def _absent(was_looked_for: bool, where: str) -> Fact | None:
    return Fact("not set", Place(where)) if was_looked_for else None
