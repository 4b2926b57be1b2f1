"""Programs that a command may start, and its flags with their values. Which programs there are: `programs.yaml`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from kb.core.setups.facts import Value
from kb.core.setups.readers.trees import scalar
from kb.core.yaml_files import Strict, read_yaml

PROGRAMS = Path(__file__).with_name("programs.yaml")
# What may stand before a program.
BEFORE = """sudo nohup time exec env command uv poetry conda stdbuf numactl nsys then do else ! bash sh -lc -c run
profile { uvx"""
WRAPPERS = frozenset(BEFORE.split())
FLAG = re.compile(r"(--?)([A-Za-z][\w.-]{0,99})(?:=(.*))?", re.DOTALL)
PYTHON_OPTION = re.compile(r"-[uBEIOsSvq]{1,4}")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
MEGATRON = re.compile(r"(?:pretrain_\w+|train_\w*gpt|finetune_gpt)\.py")
SCRIPT = re.compile(r"\S{1,500}\.py")


class Program(Strict):
    """A program that a command may begin with, as `programs.yaml` explains it."""

    words: tuple[str, ...]
    program: str
    kind: str = ""
    engine: str = ""
    launcher: str = ""
    task: str = ""
    config: str = ""
    positional: str = ""
    launches: bool = False
    is_module: bool = False
    boolean: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()


@cache
def programs() -> dict[str, list[Program]]:
    """The programs by their first word. Raises `pydantic.ValidationError`."""
    every = TypeAdapter(list[Program]).validate_python(read_yaml(PROGRAMS))
    by_word: dict[str, list[Program]] = {}
    for program in sorted(every, key=lambda each: -len(each.words)):
        by_word.setdefault(program.words[0], []).append(program)
    return by_word


@dataclass(frozen=True)
class Flag:
    """A flag of a command with its value; True where it has none."""

    name: str
    value: Value


def program_of(words: Sequence[str]) -> tuple[Program, int] | None:
    """The program that the words start, and how many words name it, with all that stands before."""
    for start, word in enumerate(words[:16]):
        name = program_name(word)
        for program in programs().get(name, []):
            size = len(program.words)
            first = start + 1 + _options_of_python(name, words[start + 1 :])
            rest = [name, *words[first : first + size - 1]]
            is_meant = not program.flags or program.flags & set(words)
            if is_meant and rest == list(program.words):
                return program, first + size - 1
        is_option = word.startswith("-") or "=" in word or NUMBER.fullmatch(word)
        is_value = start > 0 and words[start - 1].startswith("-") and not SCRIPT.fullmatch(word)
        if word not in WRAPPERS and not is_option and not is_value:
            if MEGATRON.search(word) or (SCRIPT.fullmatch(word) and start == 0):
                return Program(words=("python",), program="python", launcher="python"), start
            return None
    return None


def _options_of_python(name: str, words: Sequence[str]) -> int:
    """How many of the interpreter's own options stand before what it runs: python -u -m."""
    others = (number for number, word in enumerate(words) if not PYTHON_OPTION.fullmatch(word))
    return next(others, 0) if name == "python" else 0


def program_name(word: str) -> str:
    """The program that a word names, without its folder; every Python is `python`."""
    name = re.split(r"[/\\]", word)[-1].removesuffix(".exe")
    return "python" if re.fullmatch(r"python(?:3(?:\.\d+)?)?|py", name) else name


def flags_of(words: Sequence[str], program: Program) -> tuple[list[Flag], list[str]]:
    """The flags of a command and its other words. A launcher's flags end where its script begins."""
    flags: list[Flag] = []
    rest: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        match = FLAG.fullmatch(word)
        index += 1
        if not match:
            if program.launches:
                return flags, list(words[index - 1 :])
            rest.append(word)
            continue
        name, value = match[2], match[3]
        takes_value = name.replace("-", "_") not in program.boolean
        if value is None and takes_value and index < len(words) and _is_value(words[index], program, words, index):
            value = words[index]
            index += 1
            index = _skip_list(words, index, program)
        flags.append(Flag(name, True if value is None else _typed(value)))
    return flags, rest


def _is_value(word: str, program: Program, words: Sequence[str], index: int) -> bool:
    """Whether the word is the value of the flag before it: no flag, and not the script of a launcher."""
    if FLAG.fullmatch(word):
        return False
    # `--standalone train.py`: a script after a launcher's flag is what it starts, unless another one follows.
    return not (
        program.launches and SCRIPT.fullmatch(word) and not any(SCRIPT.fullmatch(w) for w in words[index + 1 :])
    )


def _skip_list(words: Sequence[str], index: int, program: Program) -> int:
    """Past the further values of a flag that takes several; a launcher's take one."""
    if program.launches or program.positional:
        return index
    while index < len(words) and not FLAG.fullmatch(words[index]) and not SCRIPT.fullmatch(words[index]):
        index += 1
    return index


def _typed(value: str) -> Value:
    typed = scalar(value)
    return value if typed is None else typed
