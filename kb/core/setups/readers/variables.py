"""Variables of the environment: the output of `env`, `.env` files, and settings that a log repeats."""

import re

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank

LINE = re.compile(r"\s{0,8}(?:export\s{1,4}|declare -x )?([A-Z][A-Z0-9_]{1,80})=(.{0,4000})")
# Variables that nearly every shell has: a list with some of them is a whole one.
USUAL = {"PATH", "HOME", "PWD", "USER", "SHELL", "LANG", "TERM", "HOSTNAME", "SHLVL", "LOGNAME", "OLDPWD", "_"}


def read_variables(lines: list[str], name: str, offset: int, draft: Draft) -> set[int]:
    """Runs of assignments. Which lines were read."""
    read: set[int] = set()
    run: list[tuple[int, re.Match[str]]] = []
    for number, line in enumerate([*lines, "."]):
        match = LINE.fullmatch(line) if "=" in line else None
        if match and not _is_command(match[2]):
            run.append((number, match))
        elif run and line.strip() and not line.startswith("#"):
            read |= _take(run, name, offset, draft)
            run = []
    return read


def _is_command(value: str) -> bool:
    """Whether a command follows the assignment: `CUDA_VISIBLE_DEVICES=0 python train.py`."""
    if ".py" in value:
        return True
    return " --" in value and re.match(r"[^\s\"'$]{0,200}\s+[\w./-]{2,}", value) is not None


def _take(run: list[tuple[int, re.Match[str]]], name: str, offset: int, draft: Draft) -> set[int]:
    names = {match[1] for _, match in run}
    is_whole = len(names & USUAL) >= 4
    if len(run) < 2 and not any("_" in variable for variable in names):
        return set()
    for number, match in run:
        draft.add_variable(match[1], match[2].strip().strip("'\""), Place(name, offset + number), Rank.FILE)
    draft.lists_all_variables |= is_whole
    draft.add_source(name, "env" if is_whole else "environment variables")
    return {number for number, _ in run}
