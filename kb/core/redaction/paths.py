"""Finds people and folders in paths, and names of users where only a user's can stand.

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
    """All people and folders, in no order; some may overlap."""
    people = [*NAMED.finditer(text), *PROMPT.finditer(text)]
    if "/" in text:
        people += TILDE.finditer(text)
        for path in PATH.finditer(text):
            yield from _in_path(path[0], path.start())
        for url in BEHIND_HOST.finditer(text):
            if is_stand_in(url["host"].rpartition("@")[2].partition(":")[0]):
                yield from _folders(_segments(url["path"], url.start("path")), is_folder=url["path"].endswith("/"))
    if ":\\" in text or ":/" in text:
        for path in WINDOWS.finditer(text):
            yield from _in_path(path[0], path.start(), first=1)
    for person in people:
        yield from _person(person["name"], person.start("name"))


def _person(name: str, start: int) -> Iterator[Found]:
    """The user of this name, unless accounts have it anywhere."""
    if name.lower() not in NOBODY and not is_stand_in(name):
        yield Found(start, start + len(name), Kind.USER)


def _segments(path: str, start: int) -> list[tuple[int, str]]:
    """The segments of a path, each with its place in the text."""
    return [(start + segment.start(), segment[0]) for segment in SEGMENT.finditer(path)]


def _in_path(path: str, start: int, first: int = 0) -> Iterator[Found]:
    """The person and the folders of one path. `first`: segments to leave out, a drive's letter."""
    segments = _segments(path, start)[first:]
    names = [name for _, name in segments]
    if not names or names[0] in EVERYBODYS or (names[0] == "opt" and OPT.intersection(names[1:2])):
        return
    is_folder = path.endswith(("/", "\\"))
    homes = [number for number, name in enumerate(names[:4]) if name.lower() in HOMES]
    if homes and homes[0] + 1 < len(names):
        person = homes[0] + 1
        yield from _person(names[person], segments[person][0])
        yield from _folders(segments[: homes[0]], is_folder=True)
        segments = segments[person + 1 :]
    elif names[0] in PLAIN:
        segments = segments[1:]
    yield from _folders(segments, is_folder=is_folder)


def _folders(segments: list[tuple[int, str]], *, is_folder: bool) -> Iterator[Found]:
    """The folders in front of what everybody has, as one. `is_folder`: the last segment is one, too."""
    folders = segments if is_folder else segments[:-1]
    own = list(takewhile(lambda segment: not PACKAGES.fullmatch(segment[1]), folders))
    if own and not all(is_stand_in(name) or name in PLAIN for _, name in own):
        yield Found(own[0][0], own[-1][0] + len(own[-1][1]), Kind.PATH)
