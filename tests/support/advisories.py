"""Whether a locked package has a known weakness, by `requirements/advisories.jsonl`: no network is needed.

`python -m tests.support.advisories` is a part of `make lint`; `... renew REPOSITORY` is `make audit`, which reads
PyPA's database of advisories. Why so: docs/decisions/0063-advisories.md. What is ignored is in pyproject.toml.
"""

import datetime as dt
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

LOCKS = Path("requirements")
LIST = LOCKS / "advisories.jsonl"
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)
OLD_AFTER = dt.timedelta(days=60)
# How OSV says where a range begins and ends, and the same in a requirement.
SIGNS = {"introduced": ">=", "fixed": "<", "last_affected": "<="}


def main(arguments: list[str]) -> int:
    """Check the lock files, or renew the list from a repository first; 1 where something is wrong."""
    if arguments[:1] == ["renew"]:
        with tempfile.TemporaryDirectory() as folder:
            git("clone", "--quiet", "--depth", "1", arguments[1], folder)
            lines = read(Path(folder), names={name for name, _ in pins(LOCKS)})
        LIST.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    lines = [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()]
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["faultbook"]
    problems = list(found(pins(LOCKS), lines, settings["ignored-advisories"], today=dt.date.today()))
    print("\n".join(problems) or "None is known.")  # noqa: T201
    return any(not problem.startswith("Warning") for problem in problems)


def git(*arguments: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def pins(folder: Path) -> list[tuple[str, str]]:
    """The packages of all lock files with their versions, each pair once."""
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.txt")]
    return sorted({(str(canonicalize_name(name)), version) for text in texts for name, version in PIN.findall(text)})


def read(database: Path, *, names: set[str]) -> list[dict[str, Any]]:
    """What a clone of the database says of these packages, below a line that says of which day it is."""
    paths = [path for path in (database / "vulns").glob("*/*.yaml") if canonicalize_name(path.parent.name) in names]
    files = [yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in sorted(paths)]
    head = {
        "source": "Python Packaging Advisory Database, CC BY 4.0",
        "commit": git("-C", str(database), "rev-parse", "HEAD"),
        "date": git("-C", str(database), "log", "-1", "--format=%cs"),
        "packages": sorted(names),
    }
    return [head, *(entry for file in files if "withdrawn" not in file for entry in entries(file, names))]


def entries(file: dict[str, Any], names: set[str]) -> Iterator[dict[str, Any]]:
    """An advisory, once for each of our packages that it is about, with ranges as requirements say them."""
    for affected in file["affected"]:
        package = str(canonicalize_name(affected["package"]["name"]))
        ranges = [each["events"] for each in affected.get("ranges", []) if each["type"] == "ECOSYSTEM"]
        if package in names:
            yield {
                "id": file["id"],
                "aliases": file.get("aliases", []),
                "package": package,
                "versions": [text for events in ranges for text in specifiers(events)]
                or [f"=={version}" for version in affected.get("versions", [])],
                "fixed": [event["fixed"] for events in ranges for event in events if "fixed" in event],
            }


def specifiers(events: Iterable[dict[str, str]]) -> Iterator[str]:
    """A range's events, `introduced` and an end by turns, as requirements; without an end all later versions."""
    begun = ""
    for event in events:
        ((kind, version),) = event.items()
        if kind != "introduced":
            yield f"{begun},{SIGNS[kind]}{version}"
            begun = ""
        else:
            begun = f"{SIGNS[kind]}{version}"
    if begun:
        yield begun


def found(
    pinned: Iterable[tuple[str, str]],
    lines: Sequence[dict[str, Any]],
    ignored: Iterable[dict[str, Any]],
    *,
    today: dt.date,
) -> Iterator[str]:
    """What is wrong, a sentence each. Only a warning depends on the day: a checkout that passed once passes later."""
    head, *advisories = lines
    read_on = dt.date.fromisoformat(head["date"])
    if today - read_on > OLD_AFTER:
        yield f"Warning: the advisories are of {read_on}, over {OLD_AFTER.days} days ago. `make audit` renews them."
    leave_out = {(each["id"], each["package"]) for each in ignored if each["until"] >= read_on}
    for name, version in pinned:
        if name not in head["packages"]:
            yield f"{name} was never looked up among the advisories. `make audit` does."
        for advisory in advisories:
            if advisory["package"] == name and (advisory["id"], name) not in leave_out and holds(advisory, version):
                names = ", ".join([advisory["id"], *advisory["aliases"]])
                fixed = " or ".join(advisory["fixed"]) or "no version yet"
                yield f"{name} {version} has a known weakness ({names}). Fixed in: {fixed}."


def holds(advisory: dict[str, Any], version: str) -> bool:
    """Whether a version is in one of an advisory's ranges."""
    return any(SpecifierSet(text).contains(version, prereleases=True) for text in advisory["versions"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
