"""Reading a set-up: texts in, `Setup` out. Forms are recognised by content; a file's name only breaks ties.

Not here: the forms themselves (`readers/`), and what follows from what they say (`deriving.py`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from kb.core.setups.deriving import derive
from kb.core.setups.facts import Fact, Setup
from kb.core.setups.mentions import mentioned
from kb.core.setups.parts import Part, parts_of
from kb.core.setups.readers.banners import read_banners
from kb.core.setups.readers.configurations import read_configuration
from kb.core.setups.readers.draft import Claims, Draft, agreed, agreed_package, last
from kb.core.setups.readers.environments import read_environment
from kb.core.setups.readers.jobs import read_batch, read_dockerfile, read_job
from kb.core.setups.readers.locks import read_conda_environment, read_lock
from kb.core.setups.readers.manifests import read_manifest
from kb.core.setups.readers.notebooks import code_of, magics_of
from kb.core.setups.readers.packages import read_requirements, read_tables
from kb.core.setups.readers.scripts import read_calls, read_script
from kb.core.setups.readers.shell import parsed
from kb.core.setups.readers.trees import composed, entries_of, toml_entries
from kb.core.setups.readers.variables import read_variables
from kb.core.setups.readers.words import read_words

MAX_TEXTS, MAX_CHARACTERS, MAX_LINES = 200, 1_000_000, 30_000


class SetupError(ValueError):
    """Texts that are too many or too long; its text says what the limits are."""


def line_count(texts: Iterable[tuple[str, str]]) -> int:
    """How many lines the texts have, whatever ends them."""
    return sum(text.count("\n") + text.count("\r") for _, text in texts)


def read_setup(texts: Sequence[tuple[str, str]]) -> Setup:
    """All that the texts, given by name and content, say of one set-up. Raises `SetupError`."""
    if len(texts) > MAX_TEXTS:
        raise SetupError(f"{len(texts)} files are too many: hand over {MAX_TEXTS} at most")
    size = sum(len(text) for _, text in texts)
    if size > MAX_CHARACTERS:
        raise SetupError(
            f"{size:,} characters are too many: hand over {MAX_CHARACTERS:,} at most, such as one list each"
        )
    lines = line_count(texts)
    if lines > MAX_LINES:
        raise SetupError(f"{lines:,} lines are too many: hand over {MAX_LINES:,} at most, without logs")
    draft = Draft()
    for name, text in texts:
        _read_text(name, text, draft)
    derive(draft)
    return _setup_of(draft)


def _read_text(name: str, text: str, draft: Draft) -> None:
    before = len(draft.sources)
    text = code_of(text) or text
    if read_script(text, name, 1, draft):
        _read_commands(magics_of(text), Part(name, []), draft)
        return
    for part in parts_of(name, text):
        rest = _read_part(part, draft)
        if not part.language:
            is_alone = len(draft.sources) == before
            read_words("\n".join(rest), part.name, part.offset, draft, is_alone=is_alone)
    if len(draft.sources) == before:
        draft.add_source(name, "")


def _read_part(part: Part, draft: Draft) -> list[str]:
    """Whole documents first; else every reader that goes by lines. What no list or document took is left."""
    lines, name, offset = part.lines, part.name, part.offset
    if not any(line.strip() for line in lines):
        return []
    if part.language is not None and _read_document(part, draft):
        return []
    lines = _without_json(part, draft)
    read = read_tables(lines, name, offset, draft)
    rest = ["" if number in read else line for number, line in enumerate(lines)]
    has_one_line = sum(bool(line.strip()) for line in rest) == 1
    read |= read_requirements(rest, name, offset, draft, is_alone=has_one_line)
    rest = ["" if number in read else line for number, line in enumerate(lines)]
    read_banners("\n".join(rest), name, offset, draft)
    read_environment(rest, name, offset, draft)
    read_variables(rest, name, offset, draft)
    _read_commands(rest, part, draft)
    text = "\n".join(rest)
    if not _read_trees(rest, part, draft):
        is_code = part.language in ("python", "py", "python3", "ipython")
        read_calls(text, name, offset, draft, is_code=is_code)
    return rest


def _read_document(part: Part, draft: Draft) -> bool:
    """A part that is one document as a whole: a lock file, a configuration, a script."""
    name, offset, lines = part.name, part.offset, part.lines
    if read_lock(lines, name, offset, draft) or read_dockerfile(lines, name, offset, draft):
        return True
    text = part.text
    if read_script(text, name, offset, draft, is_part=True):
        _read_commands(magics_of(text), part, draft)
        return True
    if _may_be_toml(lines) and read_configuration(toml_entries(lines), name, offset, draft):
        return True
    read = [_read_tree(document, name, offset + start, draft) for start, document in _documents(lines)]
    return any(read)


def _documents(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The documents of a YAML text, each with the number of its first line."""
    start = 0
    for number, line in enumerate([*lines, "---"]):
        if line.rstrip() == "---":
            if number > start:
                yield start, "\n".join(lines[start:number])
            start = number + 1


def _may_be_toml(lines: list[str]) -> bool:
    return any(re.fullmatch(r"\[[\w.]+\]\s*", line) for line in lines)


def _read_tree(text: str, name: str, offset: int, draft: Draft) -> bool:
    """Read a YAML or JSON text as the configuration that it is; whether it is one."""
    node = composed(text)
    entries = entries_of(node)
    if not entries:
        return False
    return (
        read_conda_environment(entries, name, offset, draft)
        or read_configuration(entries, name, offset, draft)
        or read_manifest(node, name, offset, draft)
    )


MAX_OBJECTS = 50


def _without_json(part: Part, draft: Draft) -> list[str]:
    """Read the JSON objects among other lines, and give the lines without them."""
    lines = list(part.lines)
    number = tries = 0
    while number < len(lines) and tries < MAX_OBJECTS:
        if lines[number].rstrip().endswith("json = {"):
            # DeepSpeed prints its configuration so, behind a log's prefix.
            lines[number] = "{"
        if lines[number].lstrip().startswith("{"):
            tries += 1
            end = _end_of_object(lines, number)
            if end and _read_tree("\n".join(lines[number:end]), part.name, part.offset + number, draft):
                lines[number:end] = [""] * (end - number)
                number = end
                continue
        number += 1
    return lines


def _end_of_object(lines: list[str], start: int) -> int:
    """The number of the line after the object's last one; 0 where it does not end within 400 lines."""
    depth = 0
    for number in range(start, min(len(lines), start + 400)):
        depth += lines[number].count("{") - lines[number].count("}")
        if depth <= 0:
            return number + 1
    return 0


YAML_LINE = re.compile(
    r"\s{0,40}(?:- )?[\"']?[A-Za-z_][\w.-]{0,80}[\"']?:(?:\s.{0,2000})?|\s{0,40}- .{0,2000}|\s{0,40}#.*"
)


def _read_trees(lines: list[str], part: Part, draft: Draft) -> bool:
    """Runs of lines that look like YAML, among other lines."""
    is_read = False
    start = None
    for number, line in enumerate([*lines, "."]):
        if YAML_LINE.fullmatch(line) or (start is not None and not line.strip() and number < len(lines)):
            start = number if start is None else start
        elif start is not None:
            if 3 <= number - start < len(lines):
                is_read |= _read_tree("\n".join(lines[start:number]), part.name, part.offset + start, draft)
            start = None
    return is_read


COMMAND_START = re.compile(
    r"\s{0,8}`?(?:\$ |# |> |! ?|RUN |CMD |ENTRYPOINT |ExecStart=)?"
    r"(?:sudo |nohup |time |exec |uv run |env |srun |bash )?"
    r"(?:[A-Z_]\w{0,60}=(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|[^\s\"']\S{0,300}|)\s+){0,12}"
    r"(?:\S{0,200}/)?(?:python[\d.]*|torchrun|deepspeed|accelerate|vllm|sglang|trtllm-serve|lmdeploy|ollama|colossalai|"
    r"mpirun|srun|ray|llamafactory-cli|axolotl|trl|swift|docker|podman|pip3?|uv|llama-[a-z-]+|main|server|tune|xtuner)"
    r"(?:\.exe)?\s.{0,8000}"
)
PREFIX = re.compile(r"^\s*`?(?:[$#>!] ?|RUN |CMD |ENTRYPOINT |ExecStart=)?")
# A command that acts has flags, a file, or a word that says what to do; prose and tables that begin alike have none.
ACTS = re.compile(
    r"\s--?[A-Za-z]|\.py\b|\.ya?ml\b"
    r"|\b(?:vllm serve|accelerate launch|llamafactory-cli \w|pip3? install|trl \w+ |axolotl \w+ )"
)
SHELL_FILES = (".sh", ".bash", ".sbatch", ".slurm")
SHELLS = {"bash", "sh", "shell", "console", "zsh"}
# A fenced block that is said to be shell and longer than this is mostly output.
MAX_SHELL = 150
SHELL_MARK = re.compile(
    r"#!.{0,40}\b(?:ba|z|da)?sh\b|#SBATCH |set -[eux]|export [A-Z]|[A-Za-z_]\w{0,60}=(?:\(|\"[^\"]{0,500}$)"
)


def _read_commands(lines: list[str], part: Part, draft: Draft) -> None:
    """Launch commands: of a whole shell text, or on lines of their own among others."""
    is_named = part.language in SHELLS or part.name.endswith(SHELL_FILES)
    is_shell = any(map(SHELL_MARK.match, lines)) or (is_named and len(lines) < MAX_SHELL)
    if is_shell and part.language is not None:
        known = read_batch(lines, part.name, part.offset, draft)
        if _read_shell("\n".join(lines), part, 0, draft, known):
            return
    number = 0
    while number < len(lines):
        if COMMAND_START.match(lines[number]):
            end = _end_of_command(lines, number)
            text = "\n".join(lines[number:end])
            if ACTS.search(text):
                _read_shell(PREFIX.sub("", text).rstrip("`"), part, number, draft)
            number = end
        else:
            number += 1


def _end_of_command(lines: list[str], start: int) -> int:
    number = start
    while number < len(lines) - 1 and number - start < 200 and lines[number].rstrip().endswith("\\"):
        number += 1
    return number + 1


def _read_shell(text: str, part: Part, start: int, draft: Draft, known: dict[str, str] | None = None) -> bool:
    commands = parsed(text, known).commands
    read = [read_job(command, part.name, part.offset + start, draft) for command in commands]
    return any(read)


def _setup_of(draft: Draft) -> Setup:
    packages = {name: agreed_package(name, entries) for name, entries in sorted(draft.packages.items())}
    return Setup(
        packages=packages,
        facts=_agreed(draft.facts),
        settings=_agreed(draft.settings),
        unread=frozenset(draft.unread),
        flags={name: last(claims).fact for name, claims in draft.flags.items()},
        variables={name: last(claims).fact for name, claims in draft.variables.items()},
        absent={name: place for name, place in draft.absent.items() if name not in packages},
        names=frozenset(draft.names),
        read_kinds=frozenset(draft.read_kinds),
        mentioned=mentioned(draft),
        lists_all_packages=draft.lists_all_packages,
        lists_all_variables=draft.lists_all_variables,
        has_command=draft.has_command and not draft.hides_flags,
        has_script=draft.has_script,
        sources=tuple(draft.sources.values()),
    )


def _agreed(claims: Claims) -> dict[str, Fact]:
    return {name: best.fact for name, every in claims.items() if (best := agreed(every)) is not None}
