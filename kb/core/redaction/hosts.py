"""Finds machines: IP addresses, host names, Kubernetes pods, the numbers of jobs.

A word with dots is a host only where its ending or what stands around it says so: `logger.info`, `train.py` are none.
Each pattern takes a whole run of its characters or nothing, so that no part of a text is gone through twice.
"""

import ipaddress
import re
from collections.abc import Iterator

from kb.core.redaction.findings import LONGEST, Found, Kind, is_stand_in, words
from kb.core.secrets.addresses import ENDINGS

IPV4 = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\d)(?!\.\d)")
IPV6 = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{4}:[0-9A-Fa-f:]{2,35}+")
ANYWHERE = re.compile(r"(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|255\.255\.255\.\d+)")
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*+")
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
URL = re.compile(r"(?<=://)(?:[^\s/\"'`<>?#\\|@]{1,200}@)?(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*+)")
SIGN = re.compile(r"[\d-]")
SHORTEST = 4
# Endings that nothing but a host has, and those that sure hosts of two words have.
INSIDE = words("local internal intranet lan corp localdomain private cluster svc home")
SURE = words("com org net edu gov mil cloud cn de fr uk jp kr ru eu")
# What the house and everybody else links to.
PUBLIC = words(
    "github.com githubusercontent.com github.io gitlab.com gitee.com pytorch.org huggingface.co hf.co nvidia.com "
    "nvcr.io "
    "python.org readthedocs.io readthedocs.org google.com googleapis.com stackoverflow.com "
    "kubernetes.io arxiv.org microsoft.com anaconda.org anaconda.com conda.io amd.com intel.com ubuntu.com debian.org "
    "kernel.org docker.io docker.com quay.io ghcr.io tensorflow.org apache.org w3.org modelscope.cn mindspore.cn "
    "deepspeed.ai ray.io vllm.ai wandb.ai openai.com example.com example.org example.net schedmd.com open-mpi.org "
    "gnu.org llvm.org freedesktop.org wikipedia.org tuna.tsinghua.edu.cn hiascend.com "
    "hf-mirror.com"
)
GENERIC = words("localhost master worker node host server none null unknown hostname rank root head")
AWS_NAME = re.compile(r"ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}")
POD = re.compile(
    r"[a-z][a-z0-9-]{0,200}-(?:[0-9bcdf]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}"
    r"|[a-z][a-z0-9-]{0,200}-(?:worker|master|launcher|head|chief|leader|ps)-(?:\d{1,5}|[bcdfghjklmnpqrstvwxz2456789]{5})"
)
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}+"
POD_NAMED = re.compile(rf"\b[Pp]ods?(?:/|: ?| ?= ?| )[\"']?(?P<name>{NAME})")
# Where a name stands that can be nothing but a host's, whatever it looks like.
NAMED_SURELY = (
    re.compile(
        r"(?i:(?<![A-Za-z])(?:master_addr|hostname|host_name|nodename|node_name|slurmd_nodename|head_node|rdzv_endpoint|server_addr)"
        rf"\b[\"']{{0,2}}[ ]?[=:][ ]?[\"']{{0,2}})(?P<name>{NAME})"
    ),
    # Kernels and system logs, NCCL's heads, MPI's heads.
    re.compile(rf"(?m)^[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (?P<name>{NAME})(?= \S+:)"),
    re.compile(r"(?<![\w.-])(?P<name>[A-Za-z][A-Za-z0-9.-]{0,100}+):\d{1,8}:\d{1,8} \["),
    re.compile(
        r"(?<![\w-])[a-z_][a-z0-9_.-]{0,31}+@(?P<name>[A-Za-z][A-Za-z0-9.-]{0,100}+)(?=:[~/]| [~/]\S{0,80}[$#%])"
    ),
)
# Words that machines of clusters are called by, with a number that no count of GPUs or workers has.
CALLED = re.compile(
    r"(?:gpu|dgx|hgx|node|nid|host|compute|cn|worker|server|login|rack|npu|ascend|trn|tpu)"
    r"(?:(?:-[a-z0-9]{1,20}){0,4}-(?:[a-z]{1,8}\d{1,6}|\d{2,6})|-?\d{3,6}|-?0\d{1,5})"
)
# ... and where it must look like one: with a digit, a dash or a dot.
NAMED_MAYBE = (
    re.compile(rf"(?<![\w./-])(?P<name>{NAME})(?= ?[(/<\[@](?:\d{{1,3}}\.){{3}}\d)"),
    re.compile(rf"(?i:\b(?:hosts?|nodes?|server|peer|machine)[\"']?(?:[ ]?[=:][ ]?|[ ]))[\"']?(?P<name>{NAME})"),
    re.compile(r"\[(?P<name>[A-Za-z][A-Za-z0-9.-]{0,100}+):\d{3,8}[\],]"),
    re.compile(r"(?<![\w./-])(?P<name>[A-Za-z][A-Za-z0-9-]{0,100}+):(?:29\d{3}|6379|2222|8265)(?!\d)"),
)
JOB = re.compile(
    r"(?i:(?<![A-Za-z])job[ _-]?id[\"']?[ ]?[=: ][ ]?[\"']?|\bstep ?id[ ]?=[ ]?|\*\*\* (?:job|step) |\bslurm-)"
    r"(?P<name>\d{1,20}+(?:[._]\d{1,10}){0,3})"
)
RANKED = re.compile(r"(?i:ranks?|gpus?|cuda|steps?|pid|line|epoch|iter(?:ation)?)[-_.]?\d*(?:\.\d+)*")
FILE = re.compile(r"\.(?:py|pyx|cpp|cc|cu|cuh|c|h|hpp|log|txt|out|err|json|jsonl|yaml|yml|sh|so|pt|pth|bin|gz|csv|md)$")


def machines(text: str) -> Iterator[Found]:
    """All machines and jobs, in no order; some may overlap."""
    yield from _addresses(text)
    yield from _named_by_context(text)
    for word in WORD.finditer(text):
        start, name = word.start(), word[0].rstrip(".-")
        first = name.partition(".")[0]
        kind = _kind(name, text, start)
        if kind is not None:
            yield Found(start, start + len(name), kind)
        elif CALLED.fullmatch(first) and not is_stand_in(first):
            yield Found(start, start + len(first), Kind.HOST)


def _addresses(text: str) -> Iterator[Found]:
    for match in IPV4.finditer(text):
        if all(int(part) < 256 for part in match[0].split(".")) and not ANYWHERE.fullmatch(match[0]):
            yield Found(*match.span(), Kind.IP)
    if ":" not in text:
        return
    for match in IPV6.finditer(text):
        name = match[0] if match[0].endswith("::") else match[0].rstrip(":")
        end = match.start() + len(name)
        if not text[end : end + 1].isalnum() and _is_ipv6(name):
            yield Found(match.start(), end, Kind.IP)


def _is_ipv6(name: str) -> bool:
    try:
        ipaddress.IPv6Address(name)
    except ValueError:
        return False
    return True


def _named_by_context(text: str) -> Iterator[Found]:
    """What only the words around it tell."""
    for pattern in NAMED_SURELY:
        yield from _named(pattern, text, Kind.HOST, needs_sign=False)
    for pattern in NAMED_MAYBE:
        yield from _named(pattern, text, Kind.HOST, needs_sign=True)
    yield from _named(POD_NAMED, text, Kind.POD, needs_sign=True)
    for match in JOB.finditer(text):
        yield Found(*match.span("name"), Kind.JOB)
    for match in URL.finditer(text):
        name = match["host"].rstrip(".-")
        if not _is_nobodys(name) and not is_public(name):
            yield Found(match.start("host"), match.start("host") + len(name), Kind.HOST)


def _named(pattern: re.Pattern[str], text: str, kind: Kind, *, needs_sign: bool) -> Iterator[Found]:
    """What the pattern calls `name`. `needs_sign`: a digit, a dash or a dot in it."""
    for match in pattern.finditer(text):
        name = match["name"].rstrip(".-_")
        has_sign = not name.isalpha() and not name.isdigit()
        if name and (has_sign or not needs_sign) and not _is_nobodys(name) and not is_public(name):
            yield Found(match.start("name"), match.start("name") + len(name), kind)


def _is_nobodys(name: str) -> bool:
    """Whether the name says nothing of anybody: a stand-in, a rank, a file, a number."""
    if is_stand_in(name) or name.lower() in GENERIC or FILE.search(name) or RANKED.fullmatch(name):
        return True
    return name.replace(".", "").isdigit()


def _kind(name: str, text: str, start: int) -> Kind | None:
    """What a word is by itself."""
    before, behind = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
    if not SHORTEST <= len(name) <= LONGEST or "_" in (before, behind):
        return None
    first = name.partition(".")[0]
    if "-" in name and not is_stand_in(name):
        if POD.fullmatch(first):
            return Kind.POD
        if AWS_NAME.fullmatch(first):
            return Kind.HOST
    return Kind.HOST if "." in name and behind != "(" and _is_host(name) else None


def _is_host(name: str) -> bool:
    """Whether it is the whole name of a host that is not everybody's."""
    labels = name.split(".")
    if len(labels) < 2 or not all(map(LABEL.fullmatch, labels)) or is_public(name):
        return False
    ending = labels[-1].lower()
    if ending in INSIDE:
        return not labels[-1][0].isupper()
    if ending not in ENDINGS or is_stand_in(labels[0]):
        return False
    has_sign = SIGN.search("".join(labels[:-1])) is not None
    return ending in SURE or (has_sign and len(labels) > 2)


def is_public(name: str) -> bool:
    """Whether it is a place of the internet that everybody knows, or below one."""
    labels = name.lower().split(".")
    return any(".".join(labels[-count:]) in PUBLIC for count in range(2, min(len(labels), 4) + 1))
