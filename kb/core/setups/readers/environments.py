"""Dumps of an environment: lines of label and value, as collect_env, ds_report, `transformers env` and others print.

Which label says what stands in `labels.yaml`. Lines that programs log by themselves are read in `banners.py`.
"""

import re
from collections.abc import Callable
from functools import partial

from kb.core.setups.facts import Place, Value
from kb.core.setups.readers.configurations import read_configuration
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.labels import labels
from kb.core.setups.readers.packages import requirement
from kb.core.setups.readers.trees import composed, entries_of
from kb.core.versions import as_version

LINE = re.compile(
    r"[\s>|*•🤗-]{0,12}[`\"*_]{0,3}([A-Za-z][A-Za-z0-9 _.()/+?,-]{1,70}?)[`\"*_]{0,3}(\s{0,3}version)?"
    r"(\s{0,2}\([^()\n]{0,40}\)\??)?[`\"*_]{0,3}"
    r"(?:\s{0,3}\.{3,200}\s{0,3}|\s{0,20}:\s{0,40}|\s{0,3}[=|]\s{1,3})[`\"*]{0,3}(\S.{0,400})?",
    re.IGNORECASE,
)
# No line without one of these says a label and a value.
SIGN = re.compile(r"[:=|\[]|\.\.\.")
# A package and its version and nothing else, which is enough alone.
BARE = re.compile(r"\s*[-*]?\s*`?[A-Za-z][\w.-]{1,40}`?(?: version)?\s?[:=]\s*v?\d+\.\d+[\w.+-]*\s*", re.IGNORECASE)
LISTED = re.compile(r"\s{0,8}\[(pip3?|conda)\]\s{1,8}(\S.{0,200})")
CONDA = re.compile(r"([A-Za-z0-9][\w.-]{0,98})\s+(\d[\w.+!-]{0,60})(?:\s+(\S{1,100}))?.{0,200}")
GPU = re.compile(r"\s{0,8}GPU\s?(\d{1,2}(?:\s?,\s?\d{1,2}){0,40})\s?:\s{1,3}(\S.{2,80})")
VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){0,4}[\w.+!-]{0,40})")
NOT_THERE = re.compile(r"(?:not installed|not found|module not found|n/?a\b|none\b|not available|no\b)", re.IGNORECASE)
CUDA_VERSION = re.compile(r"\d{1,2}\.\d{1,2}")


Teller = Callable[[re.Match[str], Place, Draft], None]


def read_environment(lines: list[str], name: str, offset: int, draft: Draft) -> bool:
    """Read the lines of a dump; whether there are enough of them to be one."""
    gathered: list[tuple[Teller, re.Match[str], Place]] = []
    seen: dict[str, str] = {}
    for number, line in enumerate(lines):
        place = Place(name, offset + number)
        if len(line) > 600 or not SIGN.search(line):
            continue
        if listed := LISTED.fullmatch(line):
            gathered.append((_listed, listed, place))
        elif gpu := GPU.match(line):
            gathered.append((_gpu, gpu, place))
        elif (match := LINE.fullmatch(line)) and (label := _known(match)):
            seen.setdefault(label, (match[4] or "").strip().lower())
            gathered.append((_labelled, match, place))
    is_enough = len(gathered) > 1 or (gathered and (len(lines) < 3 or BARE.fullmatch(gathered[0][1][0])))
    if not is_enough:
        return False
    for tell, match, place in gathered:
        tell(match, place, draft)
    _read_default_configuration(lines, name, offset, draft)
    _without_cuda(seen, Place(name, offset), draft)
    form = next((labels().marks[label] for label in labels().marks if label in seen), "environment")
    draft.add_source(name, form)
    return True


DEFAULT_CONFIGURATION = re.compile(
    r"[-\s]*`?Accelerate`? (?:default )?config:\s*(?:- (\w{1,60}: .{0,500}))?", re.IGNORECASE
)
CONFIGURED = re.compile(r"\s+- (\w{1,60}: .{0,1000})")


def _read_default_configuration(lines: list[str], name: str, offset: int, draft: Draft) -> None:
    """Accelerate's default configuration, as a list below its own line."""
    for number, line in enumerate(lines):
        head = DEFAULT_CONFIGURATION.fullmatch(line) if "onfig:" in line else None
        if not head:
            continue
        keys = [head[1] or ""]
        for below in lines[number + 1 : number + 60]:
            item = CONFIGURED.fullmatch(below)
            if not item:
                break
            keys.append(item[1])
        read_configuration(entries_of(composed("\n".join(keys))), name, offset + number, draft)


def _without_cuda(seen: dict[str, str], place: Place, draft: Draft) -> None:
    """A PyTorch that was built for neither CUDA nor ROCm; on a Mac it may still use the GPU."""
    rocm = seen.get("rocm used to build pytorch", "n/a")
    if seen.get("cuda used to build pytorch") == "none" and rocm in ("n/a", "none", "could not collect"):
        draft.add_fact("cpu_only", True, place, Rank.RUNNING)
        if not seen.get("os", "").startswith(("mac", "darwin")):
            draft.add_fact("device", "cpu", place, Rank.INSTALLED)


def _known(match: re.Match[str]) -> str:
    """The label, if it is one of ours and its value can be meant."""
    label = match[1].strip().lower().rstrip("?")
    table = labels()
    if label in table.packages:
        value = match[4] or ""
        is_version = VERSION.match(value.strip("`'\" ")) or NOT_THERE.match(value) or value.strip() == "dev"
        return label if is_version else ""
    return label if label in table.facts or label in table.marks else ""


def _labelled(match: re.Match[str], place: Place, draft: Draft) -> None:
    label, table, value = _known(match), labels(), (match[4] or "").strip(" `'\"*|")
    package = table.packages.get(label)
    if package and not (label == "accelerate" and "config" in match[0].lower()):
        _package(package, value, place, draft)
    if fact := table.facts.get(label):
        READERS.get(fact, partial(_plain, fact))(value, place, draft)
    if label == "deepspeed info":
        _package("deepspeed", value, place, draft)


def _package(package: str, value: str, place: Place, draft: Draft) -> None:
    version = VERSION.match(value)
    if version and as_version(version[1].rstrip(".,-")) is not None:
        draft.add_package(package, version[1].rstrip(".,-"), place, Rank.RUNNING)
    elif NOT_THERE.match(value) and "dev" not in value:
        draft.absent[package] = place
    elif version or "dev" in value:
        draft.add_package(package, None, place, Rank.RUNNING)


def _listed(match: re.Match[str], place: Place, draft: Draft) -> None:
    """`[pip3] torch==2.6.0` and `[conda] torch 2.6.0 pypi_0 pypi`."""
    if match[1].startswith("pip"):
        line = requirement(match[2])
        if line is not None:
            draft.add_package(line.name, line.requirement, place, Rank.INSTALLED)
    elif row := CONDA.fullmatch(match[2]):
        # `conda` may list another environment than the one that runs.
        draft.add_package(row[1], row[2], place, Rank.FILE)


def _gpu(match: re.Match[str], place: Place, draft: Draft) -> None:
    _gpu_name(match[2], place, draft)


def _gpu_name(value: str, place: Place, draft: Draft) -> None:
    """The name of a GPU, without its number among others and its memory."""
    name = (
        re.sub(r"\s{0,3}\((?:UUID|MIG).*$|,.*$|^(?:\d{1,2}\s?[x*×]|GPU \d{1,2}:)\s?", "", value, flags=re.IGNORECASE)
        .strip()
        .lower()
    )
    if name and re.search(r"[a-z]", name) and not NOT_THERE.match(name) and len(name) < 80:
        draft.add_fact("gpu", name, place, Rank.RUNNING)


def _plain(fact: str, value: str, place: Place, draft: Draft) -> None:
    """A version, or one word."""
    version = re.search(r"\d{1,4}(?:\.\d{1,6}){0,3}", value)
    if fact == "arch":
        if re.fullmatch(r"[\w-]{3,12}", value):
            draft.add_fact(fact, value.lower(), place, Rank.RUNNING)
    elif fact == "gpus_per_node":
        if version and version[0].isdigit() and 0 < int(version[0]) < 1000:
            draft.add_fact(fact, int(version[0]), place, Rank.IMAGE)
    elif version:
        draft.add_fact(fact, version[0], place, Rank.RUNNING)


def _cuda(value: str, place: Place, draft: Draft) -> None:
    version = CUDA_VERSION.match(value)
    if version:
        draft.add_fact("cuda", version[0], place, Rank.RUNNING)


def _rocm(value: str, place: Place, draft: Draft) -> None:
    """PyTorch calls ROCm's GPUs CUDA, too: what it was built for decides."""
    version = CUDA_VERSION.match(value)
    if version:
        draft.add_fact("rocm", version[0], place, Rank.RUNNING)
        draft.add_fact("device", "rocm", place, Rank.RUNNING)


def _toolkit(value: str, place: Place, draft: Draft) -> None:
    version = re.search(r"(?:release |V)?(\d{1,2}\.\d{1,3})", value)
    if version:
        draft.add_fact("cuda_toolkit", version[1], place, Rank.RUNNING)


SYSTEMS = {
    "wsl": "wsl",
    "microsoft-standard": "wsl",
    "windows": "windows",
    "macos": "macos",
    "darwin": "macos",
    "linux": "linux",
    "ubuntu": "linux",
    "debian": "linux",
    "centos": "linux",
    "red hat": "linux",
    "rocky": "linux",
    "fedora": "linux",
    "arch": "linux",
    "suse": "linux",
    "amazon": "linux",
    "alma": "linux",
}


def _os(value: str, place: Place, draft: Draft) -> None:
    low = value.lower()
    system = next((system for part, system in SYSTEMS.items() if part in low), None)
    if system:
        # A kernel's name tells WSL, a distribution's does not.
        draft.add_fact("os", system, place, Rank.RUNNING if system == "wsl" else Rank.INSTALLED)
    if arch := re.search(r"x86_64|aarch64|arm64|ppc64le", low):
        draft.add_fact("arch", arch[0], place, Rank.RUNNING)


def _is_cuda(value: str, place: Place, draft: Draft) -> None:
    if value.lower().startswith("true"):
        draft.add_fact("device", "cuda", place, Rank.INSTALLED)


def _distributed(value: str, place: Place, draft: Draft) -> None:
    word: dict[str, Value] = {"true": True, "false": False}
    if value.lower() in word:
        draft.add_fact("torch_distributed", word[value.lower()], place, Rank.RUNNING)


def _accelerator(value: str, place: Place, draft: Draft) -> None:
    kinds = {"cuda": "cuda", "npu": "npu", "xpu": "xpu", "mps": "mps", "cpu": "cpu", "rocm": "rocm"}
    kind = kinds.get(value.lower())
    if kind:
        draft.add_fact("device", kind, place, Rank.RUNNING)


def _shm(value: str, place: Place, draft: Draft) -> None:
    size = re.match(r"(\d{1,6}(?:\.\d{1,4})?)\s?(MB|GB)", value)
    if size:
        megabytes = float(size[1]) * (1024 if size[2] == "GB" else 1)
        draft.add_fact("shm_limited", megabytes <= 64, place, Rank.RUNNING)


READERS: dict[str, Callable[[str, Place, Draft], None]] = {
    "cuda": _cuda,
    "cuda_toolkit": _toolkit,
    "rocm": _rocm,
    "os": _os,
    "gpu": _gpu_name,
    "is_cuda": _is_cuda,
    "torch_distributed": _distributed,
    "accelerator": _accelerator,
    "shm": _shm,
}
