"""A text that was pasted, as the parts that are read each on its own: fenced blocks, output below a prompt, the rest.

Lines keep their numbers. Not here: what a part says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"[ \t>]{0,8}(`{3,}|~{3,})[ \t]{0,4}([\w.+-]{0,30})[^\n`]{0,80}")
TAGS = re.compile(
    r"</?(?:details|summary|pre|code|br|p|b|i|em|strong|h\d|ul|li|div|table|tr|td|th|sub|sup)\b[^<>\n]{0,200}>",
    re.IGNORECASE,
)
PROMPT = re.compile(
    r"[ \t]{0,4}(?:\([\w.-]{1,40}\)[ \t]{0,4})?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s$#]{0,200})?"
    r"[ \t]{0,2}(?:\[[^\]\n]{1,80}\][#$]|\$|❯|➜)[ \t]{1,4}(\S.{0,8000})"
)
PROMPT_SIGN = re.compile(r"[$❯➜] |\]# ")
QUOTED = re.compile(r"^[ \t]{0,4}> ?", re.MULTILINE)
FILE_NAME = re.compile(r"([\w./-]{1,200}\.(?:json|ya?ml|toml|py|sh|txt|lock))`?\*{0,2}:?\s*$")
SHOWN = re.compile(
    r"(?:cat|less|more|head|bat)\s+(?:-\w+\s+){0,3}([\w./~-]{1,200}\.(?:json|ya?ml|toml|py|sh|txt|lock))\s*$"
)
HEADER = re.compile(
    r"==> ([\w./~-]{1,200}) <==\s*|#{2,6} (?:File: )?`?([\w./~-]{1,200}\.(?:json|ya?ml|toml|py|sh|lock))`?\s*"
)
HEREDOC = re.compile(
    r"[^\n]{0,200}?>\s{0,3}([\w./~-]{1,200})\s{0,3}<<-?\s{0,3}['\"]?(\w{1,30})['\"]?|[^\n]{0,200}?<<-?\s{0,3}['\"]?(\w{1,30})['\"]?\s{0,3}>\s{0,3}([\w./~-]{1,200})"
)


@dataclass(frozen=True)
class Part:
    """Lines of a text that belong together. `offset` is the number of the first one, from 1."""

    name: str
    lines: list[str]
    offset: int = 1
    # The language that a fence names, or empty; None outside of fences, where words stand between the things.
    language: str | None = ""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def parts_of(name: str, text: str) -> Iterator[Part]:
    """All parts of a text. What is fenced first, then what stands around it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").split("\n")
    if not any(line.lstrip(" \t>").startswith(("```", "~~~")) for line in lines):
        yield from _console(Part(name, lines))
        return
    around = list(lines)
    for start, end, language in _fenced(lines):
        body = _unindented(lines[start:end])
        title = _title(lines, start - 1) or name
        yield from _console(Part(title, body, start + 1, language))
        around[start - 1 : end + 1] = [""] * len(around[start - 1 : end + 1])
    yield Part(name, _fields([TAGS.sub(" ", line) if "<" in line else line for line in around]), 1, None)


FIELD = re.compile(r"#{2,4} ([A-Za-z][^\n#]{1,60}?)\s*")


def _fields(lines: list[str]) -> list[str]:
    """A form's heading and the one line below it as label and value: `### Python version`, then `3.11`."""
    for number, line in enumerate(lines):
        heading = FIELD.fullmatch(line) if line.startswith("##") else None
        below = [text for text in lines[number + 1 : number + 3] if text.strip()]
        if heading and below and len(below[0]) < 100 and ":" not in below[0] and not below[0].startswith("#"):
            lines[number] = f"{heading[1]}: {below[0].strip()}"
    return lines


def _fenced(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First line, end and language of each fenced block; one that is not closed goes on to the end."""
    number = 0
    while number < len(lines):
        opened = FENCE.fullmatch(lines[number])
        number += 1
        if not opened:
            continue
        start = number
        while number < len(lines) and not _closes(lines[number], opened[1]):
            number += 1
        yield start, number, opened[2].lower()
        number += 1


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t>")
    return bare.startswith(fence) and not bare.strip(fence[0])


def _unindented(lines: list[str]) -> list[str]:
    """Without the sign of a quotation and the indent that all lines share."""
    if (
        lines
        and all(line.lstrip().startswith(">") for line in lines if line.strip())
        and not lines[0].startswith(">>>")
    ):
        lines = [QUOTED.sub("", line, count=1) for line in lines]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    indent = min(indents, default=0)
    return [line[indent:] for line in lines]


def _title(lines: list[str], fence: int) -> str:
    """The file's name on the line before a fence."""
    before = [line for line in lines[max(0, fence - 2) : fence] if line.strip()]
    match = FILE_NAME.search(before[-1][-220:]) if before else None
    return match[1] if match else ""


def _console(part: Part) -> Iterator[Part]:
    """The commands after prompts as one part, and what each of them printed; files in a text as their own."""
    yield from _written_files(part)
    commands = [""] * len(part.lines)
    start, title = 0, part.name
    is_split = False
    for number, line in enumerate(part.lines):
        prompt = PROMPT.fullmatch(line) if PROMPT_SIGN.search(line) else None
        header = HEADER.fullmatch(line) if line.startswith(("==>", "##")) else None
        if not (prompt or header):
            continue
        is_split = True
        if start < number:
            yield Part(title, part.lines[start:number], part.offset + start, part.language)
        title = part.name
        start = number + 1
        if prompt:
            commands[number] = prompt[1]
            shown = SHOWN.search(prompt[1][-300:])
            title = shown[1] if shown else part.name
        elif header:
            title = header[1] or header[2]
    if not is_split:
        yield part
        return
    yield Part(title, part.lines[start:], part.offset + start, part.language)
    if any(commands):
        yield Part(part.name, _continued(commands, part.lines), part.offset, "console")


def _written_files(part: Part) -> Iterator[Part]:
    """Files that a script writes: `cat > z3.json <<EOF`, up to the word that ends them."""
    number = 0
    while number < len(part.lines):
        line = part.lines[number]
        heredoc = HEREDOC.match(line) if "<<" in line else None
        number += 1
        if not heredoc:
            continue
        word = heredoc[2] or heredoc[3]
        end = next((at for at in range(number, len(part.lines)) if part.lines[at].strip() == word), None)
        if end is None:
            return
        yield Part(heredoc[1] or heredoc[4], part.lines[number:end], part.offset + number, "")
        number = end


def _continued(commands: list[str], lines: list[str]) -> list[str]:
    """With the lines that a backslash at the end of a command joins to it."""
    for number in range(1, len(commands)):
        if not commands[number] and commands[number - 1].rstrip().endswith("\\"):
            commands[number] = lines[number].removeprefix("> ")
    return commands
