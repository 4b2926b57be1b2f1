"""What stands around a launch command: installations by pip, `docker run`, Slurm's scripts, Dockerfiles."""

import re
from collections.abc import Sequence

from kb.core.setups.facts import Place
from kb.core.setups.readers.commands import read_command
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.images import read_image
from kb.core.setups.readers.packages import requirement, wheel
from kb.core.setups.readers.programs import FLAG, WRAPPERS, program_name, program_of
from kb.core.setups.readers.shell import Command, expanded, parsed


def read_job(command: Command, name: str, offset: int, draft: Draft) -> bool:
    """Read a command of any kind; whether it says anything of a set-up."""
    if read_installation(command.words, Place(name, offset + command.line), draft):
        return True
    words = list(command.words)
    while words and words[0] in WRAPPERS and len(words) > 1:
        words.pop(0)
    if words and program_name(words[0]) in ("docker", "podman", "nerdctl"):
        return _read_container(words, command, name, offset, draft)
    return read_command(command, name, offset, draft)


MOST = 500
PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{1,60}(?:\[[\w,-]{1,100}\])?")


def read_installation(words: Sequence[str], place: Place, draft: Draft) -> bool:
    """`pip install torch==2.6.0`: what it names is there, at a version that it states."""
    is_pip = "install" in words[:6] and any(program_name(word).startswith("pip") for word in words[:5])
    is_add = len(words) > 2 and program_name(words[0]) in ("uv", "poetry") and words[1] == "add"
    if not (is_pip or is_add):
        return False
    start = list(words).index("install" if is_pip else "add") + 1
    for before, word in zip(words[start - 1 :], words[start : start + MOST], strict=False):
        line = requirement(word)
        if line is not None:
            draft.add_package(line.name, line.requirement, place, Rank.INSTALLED if line.is_pinned else Rank.FILE)
        elif built := wheel(word):
            draft.add_package(built[0], built[1], place, Rank.INSTALLED)
        elif PLAIN_NAME.fullmatch(word) and not before.startswith("-"):
            draft.add_package(word.partition("[")[0], "", place, Rank.FILE)
    draft.add_source(place.file, "pip install")
    return True


VALUED = """e env v volume p publish name gpus shm-size ipc network net w workdir entrypoint runtime ulimit device
memory m user u h hostname env-file platform restart group-add cap-add security-opt mount cpus label l"""
OPTIONS = frozenset(VALUED.split())
# What an image runs by itself when only flags follow its name.
STARTS = {
    "vllm-openai": ["python", "-m", "vllm.entrypoints.openai.api_server"],
    "llama.cpp:server": ["llama-server"],
    "llama.cpp:full": ["llama-cli"],
    "llama.cpp:light": ["llama-cli"],
}


def _read_container(words: list[str], command: Command, name: str, offset: int, draft: Draft) -> bool:
    """`docker run`: variables, the image, and the command in it."""
    if "run" not in words[:3]:
        return False
    place = Place(name, offset + command.line)
    options, index = _options(words, words.index("run") + 1, place, draft)
    if index < len(words):
        read_image(words[index], place, draft)
        read_contained(words[index], options, words[index + 1 :], command, name, offset, draft)
    draft.add_fact("shm_limited", not {"shm-size", "ipc"} & options.keys(), place)
    draft.add_source(name, "launch command")
    return True


def _options(words: list[str], index: int, place: Place, draft: Draft) -> tuple[dict[str, str], int]:
    """The options before the image, and where it stands."""
    options: dict[str, str] = {}
    while index < len(words) and (match := FLAG.fullmatch(words[index])):
        key, value = match[2], match[3]
        if value is None and key in OPTIONS and index + 1 < len(words):
            index += 1
            value = words[index]
        if key in ("e", "env") and value and "=" in value:
            variable, _, content = value.partition("=")
            draft.add_variable(variable, content, place, Rank.COMMAND)
        options[key] = value or ""
        index += 1
    return options, index


def read_contained(
    image: str, options: dict[str, str], words: list[str], command: Command, name: str, offset: int, draft: Draft
) -> None:
    """The command that runs in a container: its entry point, or what the image starts by itself."""
    entry = parsed(options.get("entrypoint", "")).commands
    inner = [*(entry[0].words if entry else []), *words]
    own = next((start for part, start in STARTS.items() if part in image), [])
    if own and not program_of(inner):
        inner = [*own, *inner]
    if len(inner) > 2 and program_name(inner[0]) in ("bash", "sh") and inner[1] in ("-c", "-lc"):
        for each in parsed(inner[2]).commands:
            read_job(Command(each.words, command.line, each.variables, each.hides_words), name, offset, draft)
    elif inner:
        read_job(Command(inner, command.line, hides_words=command.hides_words), name, offset, draft)


# Slurm

BATCH = re.compile(r"#SBATCH\s+(?:--|-)([A-Za-z][\w-]{0,40})(?:[= ]\s{0,4}(\S{1,100}))?[^\n]{0,200}")
COUNTS = {
    "nodes": "nodes",
    "N": "nodes",
    "gpus-per-node": "gpus_per_node",
    "gres": "gpus_per_node",
    "ntasks-per-node": "ntasks",
    "ntasks": "ntasks_all",
    "n": "ntasks_all",
}


def read_batch(lines: list[str], name: str, offset: int, draft: Draft) -> dict[str, str]:
    """What a Slurm script asks for, as facts and as the variables that Slurm sets."""
    variables: dict[str, str] = {}
    for number, line in enumerate(lines[:200]):
        match = BATCH.fullmatch(line.rstrip())
        if not match:
            continue
        draft.add_source(name, "Slurm script")
        count = re.search(r"(?:^|[:=])(\d{1,5})$", match[2] or "")
        what = COUNTS.get(match[1])
        if count and what:
            variables[what] = count[1]
            if what in ("nodes", "gpus_per_node") and int(count[1]) > 0:
                draft.add_fact(what, int(count[1]), Place(name, offset + number))
    known = {"SLURM_NNODES": "nodes", "SLURM_JOB_NUM_NODES": "nodes", "SLURM_GPUS_ON_NODE": "gpus_per_node"}
    known |= {"SLURM_NTASKS_PER_NODE": "ntasks", "SLURM_NTASKS": "ntasks_all"}
    return {variable: variables[what] for variable, what in known.items() if what in variables}


# Dockerfiles

INSTRUCTION = re.compile(
    r"\s{0,8}(FROM|RUN|CMD|ENTRYPOINT|ENV|ARG|COPY|ADD|WORKDIR|USER|EXPOSE|SHELL|LABEL)\s+(\S.*)", re.DOTALL
)


def read_dockerfile(lines: list[str], name: str, offset: int, draft: Draft) -> bool:
    """Read a Dockerfile; whether the text is one."""
    if not any(line.lstrip().startswith("FROM ") for line in lines):
        return False
    instructions = _instructions(lines)
    first = next((word for word, _, _ in instructions if word != "ARG"), "")
    if first != "FROM":
        return False
    draft.add_source(name, "Dockerfile")
    arguments: dict[str, str] = {}
    start: dict[str, list[str]] = {}
    image = ""
    for word, text, number in instructions:
        text, _ = expanded(text, arguments)
        place = Place(name, offset + number)
        if word == "FROM":
            image = text.split()[0] if not text.startswith("--") else text.split()[-1]
            read_image(image, place, draft)
        elif word in ("ARG", "ENV"):
            arguments |= _pairs(text, is_env=word == "ENV", place=place, draft=draft)
        elif word == "RUN":
            for command in parsed(text).commands:
                read_job(Command(command.words, number, command.variables), name, offset, draft)
        elif word in ("CMD", "ENTRYPOINT"):
            start[word] = _start_words(text)
    words = [*start.get("ENTRYPOINT", []), *start.get("CMD", [])]
    if words:
        read_contained(image, {}, words, Command(words, len(lines) - 1), name, offset, draft)
    return True


def _instructions(lines: list[str]) -> list[tuple[str, str, int]]:
    """Each instruction with its text, continuation lines joined, and its line."""
    instructions: list[tuple[str, str, int]] = []
    number = 0
    while number < len(lines):
        match = INSTRUCTION.fullmatch(lines[number])
        start = number
        text = match[2] if match else ""
        while lines[number].rstrip().endswith("\\") and number + 1 < len(lines):
            number += 1
            text = text.rstrip().removesuffix("\\") + (
                "" if lines[number].lstrip().startswith("#") else " " + lines[number]
            )
        if match:
            instructions.append((match[1], text.strip(), start))
        number += 1
    return instructions


def _pairs(text: str, *, is_env: bool, place: Place, draft: Draft) -> dict[str, str]:
    """`A=1 B=2`, and the older `A 1`."""
    pairs = dict(re.findall(r"([A-Za-z_]\w{0,80})=(\"[^\"]{0,500}\"|\S{0,500})", text)) if "=" in text else {}
    if not pairs and is_env:
        variable, _, value = text.partition(" ")
        pairs = {variable: value.strip()}
    pairs = {variable: value.strip("\"'") for variable, value in pairs.items()}
    for variable, value in pairs.items() if is_env else ():
        draft.add_variable(variable, value, place)
    return pairs


def _start_words(text: str) -> list[str]:
    """The words of CMD, as a list in JSON or as shell."""
    if text.startswith("["):
        return re.findall(r"\"((?:[^\"\\]|\\.){0,2000})\"", text)
    commands = parsed(text).commands
    return commands[-1].words if commands else []
