"""Lock files of uv and Poetry, and conda's environments as files."""

import re

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.packages import CONDA_NAMES, MANY, Line, note_list, requirement
from kb.core.setups.readers.trees import Entry

LOCK_PACKAGE = re.compile(r"\[\[package\]\]\s*")
LOCK_FIELD = re.compile(r"(name|version|source)\s{0,3}=\s{0,3}(?:\"([^\"]{1,200})\"|(\{.{0,500}\}))\s*")
CONDA_WANTED = re.compile(
    r"([A-Za-z0-9_][\w.-]{0,98})\s{0,3}(?:(=)([\w.*]{1,60})(?:=[\w.*]{1,100})?|((?:[<>=!~]=?).{1,60}))?"
)


def read_lock(lines: list[str], name: str, offset: int, draft: Draft) -> bool:
    """`uv.lock` and `poetry.lock`: whether the text is one."""
    starts = [number for number, line in enumerate(lines) if LOCK_PACKAGE.fullmatch(line)]
    if not starts:
        return False
    count = 0
    for start in starts:
        fields = _lock_fields(lines, start + 1)
        if "name" in fields:
            count += 1
            _add_locked(fields, Place(name, offset + start + 1), draft)
    is_poetry = any(line.startswith(("python-versions", "optional =", "content-hash")) for line in lines)
    note_list(draft, name, "poetry.lock" if is_poetry else "uv.lock", count, is_whole=count > 1)
    return True


def _lock_fields(lines: list[str], start: int) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines[start : start + 12]:
        if line.startswith("["):
            break
        if match := LOCK_FIELD.fullmatch(line):
            fields.setdefault(match[1], match[2] or match[3])
    return fields


def _add_locked(fields: dict[str, str], place: Place, draft: Draft) -> None:
    source = fields.get("source", "")
    if re.search(r"\b(?:virtual|editable)\s*=", source) and fields["name"] not in draft.packages:
        # The project itself, whose own version says nothing about a release of that name.
        return
    version = None if "git =" in source else fields.get("version")
    draft.add_package(fields["name"], version, place, Rank.INSTALLED)


def read_conda_environment(entries: list[Entry], name: str, offset: int, draft: Draft) -> bool:
    """`environment.yml`, as written by hand or by `conda env export`."""
    wanted = [entry for entry in entries if re.match(r"dependencies(?:\.\d+)?(?:\.pip)?$", entry.key)]
    if not wanted:
        return False
    count = builds = 0
    for entry in wanted:
        is_pip = entry.key.endswith("pip")
        for text in str(entry.value).split(","):
            place = Place(name, offset + entry.line)
            line = requirement(text) if is_pip else _conda_wanted(text)
            if line is None:
                continue
            count += 1
            builds += not is_pip and text.count("=") == 2
            _add_wanted(line, place, draft)
    note_list(draft, name, "conda environment", count, is_whole=builds >= MANY)
    return count > 0


def _conda_wanted(text: str) -> Line | None:
    match = CONDA_WANTED.fullmatch(text.strip().rpartition("::")[2])
    if not match:
        return None
    if not match[2]:
        return Line(0, match[1], (match[4] or "").replace(" ", ""), is_pinned=False)
    version = match[3].removesuffix(".*").removesuffix("*")
    # `python=3.12` is every 3.12; with a build it is that version.
    is_exact = text.count("=") == 2 or version.count(".") >= 2
    return Line(0, match[1], version if is_exact else f"=={version}.*", is_pinned=True)


def _add_wanted(line: Line, place: Place, draft: Draft) -> None:
    draft.add_package(line.name, line.requirement, place, Rank.FILE)
    version = (line.requirement or "").removeprefix("==").removesuffix(".*")
    if line.name == "python" and re.fullmatch(r"\d+(?:\.\d+)+", version):
        draft.add_fact("python", version, place)
    if line.name in CONDA_NAMES and re.fullmatch(r"\d+(?:\.\d+)+", version):
        draft.add_fact(CONDA_NAMES[line.name], version, place)
