"""The data file that answers come from: the package's own, or the user's renewed one if that is newer."""

import atexit
import datetime as dt
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from kb.core.kept import folder as cache_folder
from kb.core.knowledge.file import BadDataError
from kb.core.knowledge.known import Knowledge, load

NAME = "faultbook-client.json.zst"
SHIPPED = Path(__file__).with_name(NAME)
OLD_DAYS = 90


def folder() -> Path:
    """The user's folder for it: `FAULTBOOK_DATA`, or the usual place of programs' data."""
    if named := os.environ.get("FAULTBOOK_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "faultbook"


def renewed() -> Path:
    """Where a renewed one is put."""
    return folder() / NAME


def opened(path: Path) -> Knowledge:
    """What this file says. Raises `BadDataError`."""
    return load(path, _cache())


@cache
def _cache() -> Path:
    """Where what is made of a file is kept: for this process alone where the user's cache cannot be written."""
    place = cache_folder() / "client"
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
    if os.access(place, os.W_OK):
        return place
    passing = Path(tempfile.mkdtemp(prefix="faultbook-"))
    atexit.register(shutil.rmtree, passing, ignore_errors=True)
    return passing


@cache
def current() -> tuple[Path, Knowledge]:
    """The newest file with what it says; a renewed one that cannot be read is named on standard error.

    Raises `BadDataError`.
    """
    shipped = (SHIPPED, opened(SHIPPED))
    if not renewed().exists():
        return shipped
    try:
        own = (renewed(), opened(renewed()))
    except BadDataError as error:
        print(f"{error} Answers come from the data of the package.", file=sys.stderr)
        return shipped
    return max(own, shipped, key=lambda each: each[1].about.as_of)


def knowledge() -> Knowledge:
    """What is known. Raises `BadDataError`."""
    return current()[1]


def warn_of_age() -> None:
    """Say so on standard error where the data is old. Raises `BadDataError`."""
    days = age()
    if days is not None and days > OLD_DAYS:
        print(f"The data is {days} days old. `faultbook update` fetches newer data from a server.", file=sys.stderr)


def age() -> int | None:
    """How many days ago the data was read, if that is known. Raises `BadDataError`."""
    as_of = knowledge().about.as_of
    return (dt.datetime.now().astimezone().date() - dt.date.fromisoformat(as_of)).days if as_of else None
