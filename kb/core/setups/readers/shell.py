"""Shell text as commands: words with their lines, variables that are set before, continuation lines and quotes.

Not here: what a command means (`commands.py`). Nothing is run, and no file is read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Each alternative takes at least one character and none looks back: linear.
TOKEN = re.compile(
    r"(?P<join>\\\r?\n)|(?P<space>[ \t\r]+)|(?P<end>\n|&&|\|\||;|\||&(?!>))|(?P<comment>(?<![^\s;|&()])#[^\n]*)"
    r"|'(?P<single>[^']{0,20000})'|\"(?P<double>(?:[^\"\\]|\\.){0,20000})\"|(?P<open>\()|(?P<close>\))"
    r"|\\(?P<escaped>.)|(?P<plain>[^\s'\"\\;|&()#][^\s'\"\\;|&()]*)|(?P<other>.)",
    re.DOTALL,
)
ASSIGNED = re.compile(r"(?:(?:export|local|readonly|declare(?: -\w+)?)\s+)?([A-Za-z_]\w{0,99})(\+?)=(.*)", re.DOTALL)
VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w{0,99})(?:\[[@*]\])?(?::?[-=]([^{}]{0,500}))?\}|([A-Za-z_]\w{0,99}))")
MAX_WORDS, MAX_TEXT = 20_000, 20_000


@dataclass
class Command:
    """A command: its words, the line of its first one, from 0, and the variables that are set for it alone."""

    words: list[str]
    line: int
    variables: dict[str, str] = field(default_factory=dict)
    # Whether a word holds a variable of which nothing is known, and which may stand for further flags.
    hides_words: bool = False


@dataclass
class _Word:
    text: str
    is_quoted: bool


@dataclass
class Script:
    """All commands of a text, and the variables that it exports."""

    commands: list[Command] = field(default_factory=list)
    exported: dict[str, tuple[str, int]] = field(default_factory=dict)
    assigned: dict[str, str] = field(default_factory=dict)


def parsed(text: str, known: dict[str, str] | None = None) -> Script:
    """The commands of a shell text, with the variables filled in that it sets itself."""
    script = Script(assigned=dict(known or {}))
    for words, line in _lines_of_words(text):
        _add(words, line, script)
    return script


def _lines_of_words(text: str) -> Iterator[tuple[list[_Word], int]]:
    """The words of each command and its line. An array in parentheses is a part of its word."""
    words: list[_Word] = []
    word: _Word | None = None
    line = start = depth = 0
    for token in TOKEN.finditer(text):
        kind, part = token.lastgroup or "", token[0]
        if kind in ("space", "join", "end", "comment") and depth == 0:
            if word is not None:
                words.append(word)
                word = None
            if kind == "end" and words:
                yield words, start
                words = []
        else:
            if word is None:
                word = _Word("", is_quoted=False)
                start = start if words else line
            depth = max(0, depth + (kind == "open") - (kind == "close"))
            _extend(word, kind, token, depth)
        line += part.count("\n")
    if word is not None:
        words.append(word)
    if words:
        yield words, start


def _extend(word: _Word, kind: str, token: re.Match[str], depth: int) -> None:
    if len(word.text) > MAX_TEXT:
        return
    word.is_quoted |= kind in ("single", "double")
    if depth and kind in ("single", "double"):
        word.text += token[0]
    elif kind == "comment" and depth:
        word.text += " "
    elif kind in ("single", "double", "escaped"):
        word.text += re.sub(r'\\(["\\\n])', r"\1", token[kind]) if kind == "double" else token[kind]
    else:
        word.text += token[0]


def _add(words: list[_Word], line: int, script: Script) -> None:
    """Take the assignments before a command, then the command itself."""
    own: dict[str, str] = {}
    index, is_export = 0, False
    while index < len(words):
        text = words[index].text
        if text in ("export", "declare", "local", "readonly", "set", "-x") and not own:
            is_export |= text in ("export", "-x")
            index += 1
            continue
        match = ASSIGNED.fullmatch(text)
        if not match:
            break
        own[match[1]] = _assigned_value(match, script)
        index += 1
    if index == len(words):
        script.assigned.update(own)
        if is_export or all(name.isupper() for name in own):
            script.exported.update({name: (value, line) for name, value in own.items()})
        return
    command = Command([], line, own)
    for word in words[index:]:
        _add_word(word, command, script.assigned | own)
    script.commands.append(command)


def _assigned_value(match: re.Match[str], script: Script) -> str:
    value = match[3]
    if value.startswith("(") and value.endswith(")"):
        value = value[1:-1]
    value, _ = expanded(value, script.assigned)
    before = script.assigned.get(match[1], "") + " " if match[2] else ""
    return (before + value)[:MAX_TEXT]


def _add_word(word: _Word, command: Command, variables: dict[str, str]) -> None:
    text, is_open = expanded(word.text, variables)
    is_alone = VARIABLE.fullmatch(word.text.strip()) is not None or word.text in ("$@", "$*", "${@}")
    previous = command.words[-1] if command.words else ""
    if is_open and is_alone and not previous.startswith("-"):
        command.hides_words = True
    if word.text in ("$@", "$*", "${@}"):
        command.hides_words = True
        return
    is_array = "[@]" in word.text or "[*]" in word.text
    if is_array or (not word.is_quoted and "$" in word.text and " " in text.strip()):
        command.words += [part.text for words, _ in _lines_of_words(text.replace("\n", " ")) for part in words]
    elif text or word.is_quoted:
        command.words.append(text)
    del command.words[MAX_WORDS:]


def expanded(text: str, variables: dict[str, str]) -> tuple[str, bool]:
    """The text with variables filled in, and whether one is not known."""
    is_open = False

    def value(match: re.Match[str]) -> str:
        nonlocal is_open
        name = match[1] or match[3]
        if name in variables:
            return variables[name]
        if match[2] is not None:
            return match[2]
        is_open = True
        return match[0]

    filled = VARIABLE.sub(value, text) if "$" in text else text
    return filled[:MAX_TEXT], is_open
