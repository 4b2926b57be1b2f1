"""Run by the peers' own Python: mirrors a double as their documentation says to, and tells what it has.

Arguments: the peer, the double's root, owner and name of the repository, and a folder. Prints one line of JSON, also
when it is cut off by SIGTERM: {"issues": ..., "pull_requests": ..., "comments": ..., "seconds": ..., "problem": ...}.
"""

import importlib
import json
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TOKEN = "one-token"
THERE = "https://api.github.com"


class CutOffError(BaseException):
    """The time is over."""


def pygithub(root: str, owner: str, name: str, _folder: Path, has: dict[str, Any]) -> None:
    """All issues and pull requests, and each one's comments."""
    github = importlib.import_module("github")
    client = github.Github(
        auth=github.Auth.Token(TOKEN), base_url=f"{root}/api/v3", per_page=100, seconds_between_requests=0
    )
    for issue in client.get_repo(f"{owner}/{name}").get_issues(state="all", sort="updated", direction="asc"):
        has["pull_requests" if issue.pull_request else "issues"] += 1
        has["comments"] += sum(1 for _ in issue.get_comments()) if issue.comments else 0


def perceval(root: str, owner: str, name: str, _folder: Path, has: dict[str, Any]) -> None:
    """Its categories of issues and of pull requests, comments within."""
    backend = importlib.import_module("perceval.backends.core.github")
    repository = backend.GitHub(owner=owner, repository=name, api_token=[TOKEN], base_url=root)
    for category, kind in (("issue", "issues"), ("pull_request", "pull_requests")):
        for item in repository.fetch(category=category):
            is_pull = category == "issue" and "pull_request" in item["data"]
            has[kind] += not is_pull
            has["comments"] += len(item["data"].get("comments_data", ()))


def github_to_sqlite(root: str, owner: str, name: str, folder: Path, has: dict[str, Any]) -> None:
    """Its commands `issues` (pull requests among them) and `issue-comments`; its fixed address of GitHub is turned."""
    _turn(root)
    cli = importlib.import_module("github_to_sqlite.cli").cli
    (folder / "auth.json").write_text(json.dumps({"github_personal_token": TOKEN}))
    database = str(folder / "github.db")
    try:
        for command in ("issues", "issue-comments"):
            asked = [command, database, f"{owner}/{name}", "-a", str(folder / "auth.json")]
            cli.main(asked, standalone_mode=False)
    finally:
        with sqlite3.connect(database) as held:
            counts = {"issues": "issues WHERE type = 'issue'", "pull_requests": "issues WHERE type = 'pull'",
                      "comments": "issue_comments"}  # fmt: skip
            for kind, table in counts.items():
                try:
                    has[kind] = held.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
                except sqlite3.OperationalError:
                    has[kind] = 0


def _turn(root: str) -> None:
    sessions = importlib.import_module("requests").Session
    send = sessions.request

    def turned(self: Any, method: str, url: str, *args: Any, **options: Any) -> Any:
        if urlsplit(url).netloc == "api.github.com":
            url = f"{root}/api/v3{url.removeprefix(THERE)}"
        response = send(self, method, url, *args, **options)
        # It takes the addresses in answers apart, and knows one form of them.
        response._content = response.content.replace(f"{root}/api/v3".encode(), THERE.encode())
        if "Link" in response.headers:
            response.headers["Link"] = response.headers["Link"].replace(f"{root}/api/v3", THERE)
        return response

    sessions.request = turned


PEERS: dict[str, Callable[[str, str, str, Path, dict[str, Any]], None]] = {
    "PyGithub": pygithub,
    "perceval": perceval,
    "github-to-sqlite": github_to_sqlite,
}


def main(peer: str, root: str, owner: str, name: str, folder: str) -> None:
    """Mirror with one peer and tell what it has."""

    def cut_off(_number: int, _frame: object) -> None:
        raise CutOffError("cut off")

    signal.signal(signal.SIGTERM, cut_off)
    has: dict[str, Any] = {"issues": 0, "pull_requests": 0, "comments": 0, "problem": ""}
    began = time.perf_counter()
    try:
        PEERS[peer](root, owner, name, Path(folder), has)
    except (Exception, CutOffError) as error:  # noqa: BLE001 whatever happens to a peer is told
        has["problem"] = f"{type(error).__name__}: {error}"[:200] if not isinstance(error, CutOffError) else "cut off"
    has["seconds"] = time.perf_counter() - began
    sys.stdout.write(json.dumps(has) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
