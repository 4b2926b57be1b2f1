"""Where launchers write what ranks print, by the command that starts them: patterns of files. Nothing is opened here.

The layouts are those of torch 2.x, accelerate 1.x (torch's), DeepSpeed 0.1x, Slurm, Open MPI 4 and 5, and Hydra.
"""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import escape
from pathlib import PurePath

# What srun puts into a file's name for the job, the step, the task or the node; Hydra for the rank.
PLACEHOLDERS = re.compile(r"%\d*[A-Za-z]")
ATTEMPTS = "*/attempt_*/*"
TORCH_FILES = ("stdout.log", "stderr.log", "error.json")
REDIRECTS = frozenset({"--redirects", "--tee", "--r", "--t"})
REDIRECTS_BY_ENVIRONMENT = frozenset({"PET_REDIRECTS", "PET_TEE"})
SHORT = {"-o": "--output", "-e": "--error"}


def patterns_of(command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Patterns of the files that the ranks of this command write to, for all launchers in it."""
    found: dict[str, None] = {}
    for place, word in enumerate(command):
        launcher = LAUNCHERS.get(PurePath(word).name)
        if launcher is not None:
            arguments = command[place + 1 :]
            options = _options(arguments)
            found |= dict.fromkeys(launcher(options, arguments, environment))
    return tuple(found)


Launcher = Callable[[Mapping[str, str], Sequence[str], Mapping[str, str]], Iterator[str]]


def _options(arguments: Sequence[str]) -> dict[str, str]:
    """Long options with their values, `_` in their names written as `-`; the first of a name counts."""
    options: dict[str, str] = {}
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument.startswith("-"):
            name, equals, value = argument.partition("=")
            name = "--" + name.lstrip("-").replace("_", "-")
            options.setdefault(name, value if equals else following)
    return options


def _of_torch(options: Mapping[str, str], _: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Without a folder of its own, torchrun makes one. Its options may be told by the environment."""
    own_folder = options.get("--log-dir") or environment.get("PET_LOG_DIR")
    if own_folder:
        folder = escape(own_folder)
    elif REDIRECTS.intersection(options) or REDIRECTS_BY_ENVIRONMENT.intersection(environment):
        folder = f"{escape(tempfile.gettempdir())}/torchelastic_*"
    else:
        return
    yield from (f"{folder}/{ATTEMPTS}/{file}" for file in TORCH_FILES)


def _of_deepspeed(options: Mapping[str, str], _: Sequence[str], __: Mapping[str, str]) -> Iterator[str]:
    if folder := options.get("--enable-each-rank-log"):
        yield f"{escape(folder)}/*_rank*.log"


def _of_srun(_: Mapping[str, str], arguments: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Up to the program: what comes behind it are its own options."""
    own = {"--output": environment.get("SLURM_STDOUTMODE", ""), "--error": environment.get("SLURM_STDERRMODE", "")}
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if PurePath(argument).name in LAUNCHERS or PurePath(argument).name.startswith(("python", "bash", "sh")):
            break
        name, equals, value = argument.partition("=")
        if name in SHORT.values():
            own[name] = value if equals else following
        elif argument[:2] in SHORT:
            own[SHORT[argument[:2]]] = argument[2:] or following
    for value in own.values():
        if value and value not in ("all", "none"):
            yield PLACEHOLDERS.sub("*", escape(value))


def _of_mpi(options: Mapping[str, str], _: Sequence[str], __: Mapping[str, str]) -> Iterator[str]:
    if folder := options.get("--output-filename"):
        yield f"{escape(folder.partition(':')[0])}/*/rank.*/std*"
        yield f"{escape(folder.partition(':')[0])}.*"
    for place in options.get("--output", "").split(","):
        kind, _equals, value = place.partition("=")
        value = escape(value.partition(":")[0])
        if kind == "file" and value:
            yield f"{value}.*"
        elif kind in ("dir", "directory") and value:
            yield f"{value}/*/rank.*/std*"
    for name in ("--outfile-pattern", "--errfile-pattern"):
        if name in options:
            yield PLACEHOLDERS.sub("*", escape(options[name]))


LAUNCHERS: dict[str, Launcher] = {
    "torchrun": _of_torch,
    "torch.distributed.run": _of_torch,
    "torch.distributed.launch": _of_torch,
    "accelerate": _of_torch,
    "accelerate.commands.launch": _of_torch,
    "deepspeed": _of_deepspeed,
    "deepspeed.launcher.runner": _of_deepspeed,
    "srun": _of_srun,
    "mpirun": _of_mpi,
    "mpiexec": _of_mpi,
    "mpiexec.hydra": _of_mpi,
    "orterun": _of_mpi,
    "prterun": _of_mpi,
}
