"""What stands around a launch command: containers and their images, Dockerfiles, and installations by pip."""

import re
from collections.abc import Sequence

from kb.core.setups.facts import Place
from kb.core.setups.readers.commands import read_command
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.packages import requirement
from kb.core.setups.readers.programs import FLAG, program_name, program_of
from kb.core.setups.readers.shell import Command


def read_job(command: Command, name: str, offset: int, draft: Draft) -> bool:
    """Read a command of any kind; whether it says anything of a set-up."""
    if read_installation(command.words, Place(name, offset + command.line), draft):
        return True
    if command.words and program_name(command.words[0]) in ("docker", "podman", "singularity", "apptainer"):
        return read_container(command, name, offset, draft)
    return read_command(command, name, offset, draft)


def read_installation(words: Sequence[str], place: Place, draft: Draft) -> bool:
    """`pip install torch==2.6.0`: what it names is there, at a version that it states."""
    is_pip = "install" in words[:6] and any(program_name(word).startswith("pip") for word in words[:5])
    is_add = len(words) > 2 and program_name(words[0]) in ("uv", "poetry") and words[1] == "add"
    if not (is_pip or is_add):
        return False
    start = list(words).index("install" if is_pip else "add") + 1
    for word in words[start:]:
        line = requirement(word)
        if line is not None:
            draft.add_package(line.name, line.requirement, place, Rank.INSTALLED if line.is_pinned else Rank.FILE)
        elif re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{1,60}(?:\[[\w,-]+\])?", word) and not word.startswith("-"):
            draft.add_package(word.partition("[")[0], "", place, Rank.FILE)
    draft.add_source(place.file, "pip install")
    return True


IMAGES = (
    (re.compile(r"(?:^|/)vllm-openai(?:-rocm)?:v(\d[\w.]*)"), "vllm"),
    (re.compile(r"(?:^|/)sglang:v(\d[\w.]*)"), "sglang"),
    (re.compile(r"(?:^|/)pytorch:(\d+\.\d+\.\d+)"), "torch"),
    (re.compile(r"(?:^|/)transformers-pytorch-gpu:(\d[\w.]*)"), "transformers"),
    (re.compile(r"(?:^|/)deepspeed:(?:v)?(\d+\.\d+\.\d+)"), "deepspeed"),
)
IMAGE_CUDA = re.compile(r"cuda[-_:]?(\d+\.\d+)|cu(\d{2})(\d)\b")


def read_image(image: str, place: Place, draft: Draft) -> bool:
    """What the tag of a container's image says of versions; whether it is of a known kind."""
    draft.add_fact("container", True, place)
    for pattern, package in IMAGES:
        if match := pattern.search(image.rpartition("@")[0] or image):
            draft.add_package(package, re.sub(r"-.*$", "", match[1]), place, Rank.IMAGE)
            if cuda := IMAGE_CUDA.search(image):
                draft.add_fact("cuda", cuda[1] or f"{cuda[2]}.{cuda[3]}", place, Rank.IMAGE)
            draft.add_source(place.file, "container image", image[:100])
            return True
    if "/" in image or ":" in image:
        draft.add_source(place.file, "container image", image[:100])
    return False


VALUED = """e env v volume p publish name gpus shm-size ipc network net w workdir entrypoint runtime ulimit device
memory m user u h hostname env-file platform restart group-add cap-add security-opt mount cpus label l"""
OPTIONS = frozenset(VALUED.split())


def read_container(command: Command, name: str, offset: int, draft: Draft) -> bool:
    """`docker run`: variables, the image, and the command in it."""
    words, place = command.words, Place(name, offset + command.line)
    if "run" not in words[:3] and "exec" not in words[:2]:
        return False
    index, options = words.index("run") + 1 if "run" in words else 2, {}
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
    if index >= len(words):
        return False
    image = words[index]
    read_image(image, place, draft)
    if not {"shm-size", "ipc"} & options.keys():
        draft.add_fact("shm_limited", True, place)
    inner = words[index + 1 :]
    if "vllm-openai" in image and not program_of(inner):
        inner = ["python", "-m", "vllm.entrypoints.openai.api_server", *inner]
    if inner:
        read_job(Command(inner, command.line, hides_words=command.hides_words), name, offset, draft)
    draft.add_source(name, "launch command")
    return True
