"""Finds machines: IP addresses, host names, Kubernetes pods, the numbers of jobs. Pure.

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
    "gnu.org llvm.org freedesktop.org wikipedia.org tuna.tsinghua.edu.cn hiascend.com"
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
    """Everything that this module finds, in no order; some may overlap."""
    yield from _addresses(text)
    yield from _said(text)
    for word in WORD.finditer(text):
        start, name = word.start(), word[0].rstrip(".-")
        if len(name) > 3 and (kind := _kind(name, text, start)):
            yield Found(start, start + len(name), kind)
        elif CALLED.fullmatch(first := name.partition(".")[0]) and not is_stand_in(first):
            yield Found(start, start + len(first), Kind.HOST)


def _addresses(text: str) -> Iterator[Found]:
    for found in IPV4.finditer(text):
        if all(int(part) < 256 for part in found[0].split(".")) and not ANYWHERE.fullmatch(found[0]):
            yield Found(*found.span(), Kind.IP)
    if ":" in text:
        for found in IPV6.finditer(text):
            name = found[0].rstrip(":") if not found[0].endswith("::") else found[0]
            behind = text[found.start() + len(name) : found.start() + len(name) + 1]
            if not behind.isalnum() and _is_ipv6(name):
                yield Found(found.start(), found.start() + len(name), Kind.IP)


def _is_ipv6(name: str) -> bool:
    try:
        ipaddress.IPv6Address(name)
    except ValueError:
        return False
    return True


def _said(text: str) -> Iterator[Found]:
    """What only the words around it tell."""
    for pattern in NAMED_SURELY:
        yield from _named(pattern, text, Kind.HOST, needs_sign=False)
    for pattern in NAMED_MAYBE:
        yield from _named(pattern, text, Kind.HOST, needs_sign=True)
    yield from _named(POD_NAMED, text, Kind.POD, needs_sign=True)
    for found in JOB.finditer(text):
        yield Found(*found.span("name"), Kind.JOB)
    for found in URL.finditer(text):
        name = found["host"].rstrip(".-")
        if not _is_nobodys(name) and not is_public(name):
            yield Found(found.start("host"), found.start("host") + len(name), Kind.HOST)


def _named(pattern: re.Pattern[str], text: str, kind: Kind, *, needs_sign: bool) -> Iterator[Found]:
    for found in pattern.finditer(text):
        name = found["name"].rstrip(".-_")
        has_sign = any(not one.isalpha() for one in name) and not name.isdigit()
        if name and not _is_nobodys(name) and not is_public(name) and (has_sign or not needs_sign):
            yield Found(found.start("name"), found.start("name") + len(name), kind)


def _is_nobodys(name: str) -> bool:
    """A name that says nothing of anybody: a stand-in, a rank, a file, a number."""
    if is_stand_in(name) or name.lower() in GENERIC or FILE.search(name) or RANKED.fullmatch(name):
        return True
    return name.replace(".", "").isdigit()


def _kind(name: str, text: str, start: int) -> Kind | None:
    """What a word is by itself."""
    before, behind = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
    if len(name) > LONGEST or before == "_" or behind == "_":
        return None
    if "-" in name and not is_stand_in(name):
        first = name.partition(".")[0]
        if POD.fullmatch(first):
            return Kind.POD
        if AWS_NAME.fullmatch(first):
            return Kind.HOST
    return Kind.HOST if "." in name and behind != "(" and is_host(name) else None


def is_host(name: str) -> bool:
    """Is it the whole name of a host that is not everybody's?"""
    labels = name.split(".")
    if len(labels) < 2 or not all(LABEL.fullmatch(label) for label in labels) or is_public(name):
        return False
    ending, rest = labels[-1].lower(), labels[:-1]
    if ending in INSIDE:
        return not labels[-1][0].isupper()
    if ending not in ENDINGS or is_stand_in(labels[0]):
        return False
    signs = any(one.isdigit() or one == "-" for label in rest for one in label)
    return ending in SURE or (signs and len(labels) > 2)


def is_public(name: str) -> bool:
    """Is it a place of the internet that everybody knows, or below one?"""
    labels = name.lower().split(".")
    return any(".".join(labels[-count:]) in PUBLIC for count in (2, 3, 4) if count <= len(labels))
