"""Finds people and folders in paths, and names of users where only a user's can stand. Pure.

Of a path, what everybody's machine has stays: /usr, site-packages, the name of the file. The folders between are hidden
as one, so that two files of the same folder still are.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from kb.core.redaction.findings import Found, Kind, is_stand_in, words

PATH = re.compile(r"(?:(?<=file://)|(?<![\w./~%-]))/(?=[^\s/])[^\s\"'<>|,;:()\[\]{}`\\=*?]*+")
WINDOWS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:[\\/][^\s\"'<>|,;:()\[\]{}`=*?]*+")
BEHIND_HOST = re.compile(r"(?<=://)(?P<host>[^\s/\"'`<>?#\\|]{1,300}+)(?P<path>/[^\s\"'<>|,;()\[\]{}`\\*?#]*+)")
TILDE = re.compile(r"(?<![\w/~])~(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,31}+)(?=/)")
NAMED = re.compile(
    r"(?:\b(?:USER|LOGNAME|USERNAME|SLURM_JOB_USER|user|username)=[\"']?)(?P<name>[A-Za-z][A-Za-z0-9_.-]{1,31}+)"
)
PROMPT = re.compile(
    r"(?<![\w.@/-])(?P<name>[a-z_][a-z0-9_-]{0,31}+)@[A-Za-z][A-Za-z0-9.-]{0,100}+(?=:[~/]| [~/]\S{0,80}[$#%])"
)
SEGMENT = re.compile(r"[^/\\]+")
HOMES = frozenset({"home", "users", "user", "scratch", "homes"})
# Whole trees that every machine has, and what servers answer to.
EVERYBODYS = words("usr lib lib64 bin sbin proc dev sys etc boot v1 v2 v3 api health healthz metrics generate ping")
# First folders that say nothing; what is below them may.
PLAIN = words("tmp opt var run mnt root data workspace app code private media srv")
OPT = words("conda nvidia rocm hpcx intel amazon miniconda3 anaconda3 venv")
PACKAGES = re.compile(r"site-packages|dist-packages|python3?(?:\.\d+)?|lib|lib64")
NOBODY = words("root ubuntu user admin runner ec2-user default shared public all none null daemon nobody")


def people_and_folders(text: str) -> Iterator[Found]:
    """Everything that this module finds, in no order; some may overlap."""
    if "/" in text:
        for found in PATH.finditer(text):
            yield from _in_path(found[0], found.start())
        for found in BEHIND_HOST.finditer(text):
            if is_stand_in(found["host"].rpartition("@")[2].partition(":")[0]):
                yield from _folders(_segments(found["path"], found.start("path")), found["path"].endswith("/"))
        for found in TILDE.finditer(text):
            yield from _person(found["name"], found.start("name"))
    if ":\\" in text or ":/" in text:
        for found in WINDOWS.finditer(text):
            yield from _in_path(found[0], found.start(), first=1)
    for pattern in (NAMED, PROMPT):
        for found in pattern.finditer(text):
            yield from _person(found["name"], found.start("name"))


def _person(name: str, start: int) -> Iterator[Found]:
    if not is_nobody(name):
        yield Found(start, start + len(name), Kind.USER)


def is_nobody(name: str) -> bool:
    """Is it a name that accounts have anywhere?"""
    return name.lower() in NOBODY or is_stand_in(name)


def _segments(path: str, start: int) -> list[tuple[int, str]]:
    return [(start + found.start(), found[0]) for found in SEGMENT.finditer(path)]


def _in_path(path: str, start: int, first: int = 0) -> Iterator[Found]:
    """The person and the folders of one path. `first`: segments to leave out, a drive's letter."""
    segments = _segments(path, start)[first:]
    if not segments or segments[0][1] in EVERYBODYS:
        return
    if segments[0][1] == "opt" and len(segments) > 1 and segments[1][1] in OPT:
        return
    is_folder = path.endswith(("/", "\\"))
    home = next((place for place, (_, name) in enumerate(segments[:4]) if name.lower() in HOMES), None)
    if home is not None and home + 1 < len(segments):
        at, name = segments[home + 1]
        yield from _person(name, at)
        yield from _folders(segments[:home], is_folder=True)
        segments = segments[home + 2 :]
    elif segments[0][1] in PLAIN:
        segments = segments[1:]
    yield from _folders(segments, is_folder)


def _folders(segments: list[tuple[int, str]], is_folder: bool) -> Iterator[Found]:
    """The folders in front of what everybody has, as one."""
    folders = segments if is_folder else segments[:-1]
    mine = list(takewhile(lambda segment: not PACKAGES.fullmatch(segment[1]), folders))
    if mine and not all(is_stand_in(name) or name in PLAIN for _, name in mine):
        yield Found(mine[0][0], mine[-1][0] + len(mine[-1][1]), Kind.PATH)
