"""Small git repositories made for tests: every commit has a moment of its own, an hour after the one before."""

import os
import subprocess
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from ingest.git.history import Asked, ReadHistory, read_history
from ingest.git.running import Git
from kb.core.histories import ChangeFacts

BEGIN = 1_700_000_000
HOUR = 3600
REPOSITORY = "acme/rocket"


@dataclass
class Made:
    """A repository with a work tree that a test writes."""

    folder: Path
    clock: "count[int]" = field(default_factory=lambda: count(BEGIN, HOUR))

    def run(self, *arguments: str, given: str | bytes = "", author_time: int | None = None) -> str:
        """Run git with its own moment."""
        moment = next(self.clock)
        identity = {
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "C",
            "GIT_COMMITTER_EMAIL": "c@example.org", "GIT_AUTHOR_DATE": f"@{author_time or moment} +0000",
            "GIT_COMMITTER_DATE": f"@{moment} +0000", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            "PATH": os.environ["PATH"], "GIT_EDITOR": "true",
        }  # fmt: skip
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], env=identity, check=True, capture_output=True,
            input=given if isinstance(given, bytes) else given.encode(),
        )  # fmt: skip
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str, **files: str) -> str:
        """Write files (`a_py` is `a.py`) and commit them. Returns the commit."""
        for name, text in (files or {f"f{next(self.clock)}_py": "new\n"}).items():
            path = self.folder / name.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.run("add", "-A")
        self.run("commit", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        """The commit that is checked out."""
        return self.run("rev-parse", "HEAD")

    def tag(self, *names: str) -> None:
        """Tag what is checked out."""
        for name in names:
            self.run("tag", name)

    def switch(self, branch: str, start: str = "") -> None:
        """Go to a branch; with a start it is new."""
        self.run("switch", "-q", *(["-c", branch, start] if start else [branch]))

    def pick(self, commit: str, *options: str) -> str:
        """Pick a commit onto what is checked out."""
        self.run("cherry-pick", *options, commit)
        return self.head()

    def merge(self, branch: str, message: str) -> str:
        """Merge a branch by a commit of its own."""
        self.run("merge", "--no-ff", "-m", message, branch)
        return self.head()

    def revert(self, commit: str) -> str:
        """Revert a commit in git's own words."""
        self.run("revert", "--no-edit", commit)
        return self.head()

    @property
    def git(self) -> Git:
        """As it is read."""
        return Git(self.folder / ".git")

    def read(self, *, pulls: tuple[int, ...] = (), commits: tuple[str, ...] = ()) -> ReadHistory:
        """Its history, `main` being the default branch."""
        self.run("symbolic-ref", "HEAD", "refs/heads/main")
        asked = Asked(frozenset(pulls), frozenset(commits))
        return read_history(self.git, host="github.com", repository=REPOSITORY, asked=asked)

    def pull(self, number: int) -> ChangeFacts:
        """The change of a pull request."""
        (change,) = [change for change in self.read(pulls=(number,)).changes if change.pull_number == number]
        return change


def make(folder: Path) -> Made:
    """An empty repository with a first commit and the release 1.0.0."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Made(folder)
    made.run("init", "-q", "-b", "main")
    made.commit("Begin", engine_py="".join(f"line {number}\n" for number in range(20)))
    made.tag("v1.0.0")
    return made
