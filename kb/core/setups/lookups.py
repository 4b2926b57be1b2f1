"""What a set-up says of one package, flag, name, setting or variable, and when its absence is known.

Absent is only what was looked for in a whole list, a command, a script or a file of its kind.
"""

import re
from collections.abc import Iterator

from kb.core.setups.answers import Answer
from kb.core.setups.facts import Fact, Place, Setup

ABSENT = "not set"
# Kinds of settings that are a program's flags by another way: a script's arguments or a file that `--config` names.
ENGINE_KINDS = ("vllm", "sglang", "llamacpp")
# A folder or bucket: its name need not say which model lies there.
FOLDER = re.compile(r"[./~]|\w{1,10}:[\\/]")


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
    """Whether a launch command has it, or the script or file that sets the same."""
    fact = flag_of(setup, flag)
    if fact is None:
        return Answer(None, missing=(f"whether the command has {flag}",))
    if fact.value == ABSENT:
        return Answer(False, (f"no {flag} in the {fact.place}",))
    return Answer(fact.value is not False, (f"{flag} ({fact.place})",))


def fact_of(setup: Setup, name: str) -> Fact | None:
    """The fact of this name in `vocabulary.yaml`."""
    return setup.facts.get(name)


def text_of(setup: Setup, name: str, part: str) -> Fact | None:
    """The fact that is searched for a part; a model's folder that names no family may hold any model."""
    fact = setup.facts.get(name)
    if fact is None or name != "model" or "model_family" in setup.facts or part in str(fact.value):
        return fact
    return None if FOLDER.match(str(fact.value)) else fact


def setting_of(setup: Setup, key: str) -> Fact | None:
    """The setting, or its absence where a file of its kind was read."""
    kind = key.partition(".")[0]
    is_whole = kind in setup.read_kinds and setup.unread.isdisjoint(heads(key))
    return setup.settings.get(key) or _absent(is_whole, f"{kind} file")


def flag_of(setup: Setup, flag: str) -> Fact | None:
    """The flag's value, or its absence where a command or an engine's whole configuration was read."""
    name = flag.lstrip("-")
    fact = setup.flags.get(name) or next(_same_settings(setup, name), None)
    # A command that names a configuration leaves the rest to it.
    is_whole = setup.has_command and "config" not in setup.flags
    is_shown = any(kind in setup.read_kinds for kind in ENGINE_KINDS)
    return fact or _absent(is_whole, "command") or _absent(is_shown, "engine's configuration")


def _same_settings(setup: Setup, flag: str) -> Iterator[Fact]:
    key = flag.replace("-", "_")
    for kind in ENGINE_KINDS:
        if fact := setup.settings.get(f"{kind}.{key}"):
            yield fact


def variable_of(setup: Setup, name: str) -> Fact | None:
    """The variable's value, or its absence where the whole environment was read."""
    return setup.variables.get(name) or _absent(setup.lists_all_variables, "env")


def heads(key: str) -> Iterator[str]:
    """A setting, and the sections that it lies in."""
    while "." in key:
        yield key
        key = key.rpartition(".")[0]


def _absent(was_looked_for: bool, where: str) -> Fact | None:
    return Fact(ABSENT, Place(where)) if was_looked_for else None
