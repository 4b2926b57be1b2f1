"""Where a repository's history comes from: a clone on this machine, or one of our own, made and renewed by https."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from ingest.git.running import OPTIONS, PROGRAM, Git, HistoryError, environment

REFS = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
# Files come when they are asked for: histories are read without them.
WITHOUT_FILES = "--filter=blob:none"
CLONE_SECONDS = 1800.0


def source_of(text: str) -> Path | str:
    """A clone's folder, or an address by https. Raises `HistoryError` for anything else."""
    if "://" not in text and "::" not in text:
        folder = Path(text).expanduser()
        for inner in (folder, folder / ".git"):
            if (inner / "objects").is_dir() and (inner / "HEAD").is_file():
                return inner.resolve()
        raise HistoryError(f"{text} is no folder with a git repository")
    try:
        parts = urlsplit(text)
        is_plain = bool(parts.hostname) and not parts.username and not parts.query and not parts.fragment
    except ValueError:
        is_plain, parts = False, urlsplit("")
    if parts.scheme != "https" or not is_plain or any(sign.isspace() or sign == "\0" for sign in text):
        raise HistoryError(f"{text[:200]} is neither a folder nor an address by https without a user's name")
    return text


def own_clone(address: str, folder: Path) -> Git:
    """Our clone of an address in this folder, made or brought up to date. Raises `HistoryError`."""
    if (folder / "HEAD").is_file():
        _run("--git-dir", str(folder), "fetch", "--prune", "--no-tags", "--quiet", "origin", *REFS)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Under another name until it is whole: a killed clone is no clone.
        with tempfile.TemporaryDirectory(prefix=".clone-", dir=folder.parent) as work:
            fresh = Path(work) / "bare"
            _run("clone", "--bare", WITHOUT_FILES, "--quiet", "--template=", "--", address, str(fresh))
            shutil.rmtree(folder, ignore_errors=True)
            fresh.rename(folder)
    return Git(folder, may_fetch=True)


def _run(*arguments: str) -> None:
    command = [PROGRAM, *OPTIONS, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - git, with arguments of our own
            command, env=environment(may_fetch=True), timeout=CLONE_SECONDS, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise HistoryError(f"the host did not send the history within {CLONE_SECONDS:.0f} s") from error
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise HistoryError(f"the history could not be fetched: {words}")
