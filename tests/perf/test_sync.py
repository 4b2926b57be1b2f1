"""Mirroring a repository of 15,000 issues and pull requests, beside the other mirrors there are. `make bench`.

All ask the same double, a process of its own that answers without latency. Ours is `manage.py sync_repo` as a process;
seconds are those of the whole process. Nothing is asserted but that the mirror is the truth: what is promised stands in
the last column.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.db import connection

from tests.doubles.github.process import ROOT, Remote, running
from tests.doubles.github.truth import differences
from tests.ingest.small import database_address
from tests.perf import sync_peers
from tests.support.wheels import NotInstalledError

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = {"issues": 10_000, "pulls": 5_000, "comments": 59_507, "seed": 1, "enterprise": True, "plain": True}
LARGE = {"issues": 40_000, "pulls": 20_000, "comments": 120_000, "seed": 2}
PAUSE = 0.02
PEERS = {
    "PyGithub": "fixes, deletes, moves",
    "perceval": "fixes, deletes, moves",
    "github-to-sqlite": "fixes, deletes, moves; all anew each time",
}


@dataclass(frozen=True)
class Run:
    """One run of ours: seconds, requests as the double counts them, and the most memory, in MB."""

    seconds: float
    asked: list[dict[str, Any]]
    memory: float

    @property
    def requests(self) -> int:
        return len(self.asked)

    @property
    def free(self) -> int:
        """How many were answered “not modified”."""
        return sum(one["status"] == 304 for one in self.asked)

    @property
    def of_one_issue(self) -> int:
        """How many were about a single issue."""
        return sum("/issues/" in one["path"] for one in self.asked)


def test_sync(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(**SIZE) as double, capsys.disabled():
        _print("\nmirroring 10,000 issues, 5,000 pull requests and 59,507 comments, no latency")
        first = _sync(double)
        _print(_line("first run", first, "15 s, 900 requests"))
        _print(f"  requests about one issue: {first.of_one_issue}")
        wrong = _told_by_us(double)
        _print(_line("nothing changed", _sync(double), "2 requests, both 304"))
        double.order("clock", {"move": 3_600})
        double.order("change", {"do": "change_some", "fraction": 0.01, "seed": 5})
        _print(_line("1 % changed", _sync(double), "2 s, 20 requests"))
        _print(_line("everything looked at again", _sync(double, "--sweep"), "120 requests"))
        wrong += _told_by_us(double)
        for line in _peers(double, first, tmp_path):
            _print(line)
    assert wrong == []


def test_memory(capsys: pytest.CaptureFixture[str]) -> None:
    with running(**LARGE) as double, capsys.disabled():
        _print("\nmirroring 40,000 issues, 20,000 pull requests and 120,000 comments")
        _print(_line("first run", _sync(double), "250 MB"))
        wrong = _told_by_us(double)
    assert wrong == []


def _sync(double: Remote, *options: str) -> Run:
    double.asked()
    began = time.perf_counter()
    with start(double, "sync_repo", double.repo, "--once", *options) as process:
        memory = _most_memory(process)
    seconds = time.perf_counter() - began
    assert process.returncode == 0
    return Run(seconds, double.asked(), memory)


def _most_memory(process: "subprocess.Popen[str]") -> float:
    """Wait for a process and return the most memory that it had, in MB.

    Looked up while it runs: what the kernel tells in the end counts us too, from whom it was forked.
    """
    most, status = 0.0, Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        with suppress(OSError, psutil.Error):
            told = dict(line.split(":", 1) for line in status.read_text().splitlines()) if status.exists() else {}
            peak = told.get("VmHWM")
            most = max(
                most, int(peak.split()[0]) / 1024 if peak else psutil.Process(process.pid).memory_info().rss / 2**20
            )
        time.sleep(PAUSE)
    return most


def start(double: Remote, *arguments: str, output: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
    """A command of ours, whose host is the double."""
    environment = {
        "DATABASE_URL": database_address(),
        "GITHUB_API_URL": double.api_url,
        "GITHUB_GRAPHQL_URL": double.graphql_url,
        "GITHUB_TOKEN": "one-token",
    }
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=output, stderr=subprocess.DEVNULL, text=True
    )


def _told_by_us(double: Remote) -> list[str]:
    """How what we export differs from the truth; prints how many of the true fix links we have."""
    with start(double, "export_issues", "--as-written", "--repo", double.repo, output=subprocess.PIPE) as process:
        assert process.stdout
        rows = [json.loads(line) for line in process.stdout]
    expected = {int(number): row for number, row in double.order("truth")["rows"].items()}
    wanted, held = _links(expected), _links({row["number"]: row for row in rows})
    other = sum(repo != double.repo for _, repo, _ in wanted)
    wrong = differences(expected, rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kb_comment")
        comments = cursor.fetchone()[0]
    _print(
        f"  fix links: recall {len(wanted & held) / len(wanted):.4f} of {len(wanted):,}, {other:,} of them in other"
        f" repositories (target 0.99), {len(held - wanted)} wrong; {comments:,} comments of issues;"
        f" rows that differ from the truth: {len(wrong)}"
    )
    return wrong


def _links(rows: Mapping[int, Mapping[str, Any]]) -> set[tuple[int, str, int]]:
    return {(number, fix["repo"], fix["number"]) for number, row in rows.items() for fix in row["fix_prs"]}


def _peers(double: Remote, ours: Run, folder: Path) -> Iterator[str]:
    try:
        python = sync_peers.install()
    except NotInstalledError as error:
        yield f"  the peers are left out, they cannot be installed here: {error}"
        return
    for peer, misses in PEERS.items():
        told = sync_peers.run(peer, python, double, folder / peer)
        yield (
            f"{f'peer: {peer}':28} {told.seconds:8.1f} s {told.requests:8,} requests"
            f" {told.seconds / ours.seconds:6.1f} x / {told.requests / ours.requests:6.1f} x of ours"
            f"   {told.issues:,} issues, {told.pull_requests:,} pull requests, {told.comments:,} comments"
            f"{f'; {told.problem}' if told.problem else ''}; has no {misses}"
        )


def _line(name: str, run: Run, target: str) -> str:
    return (
        f"{name:28} {run.seconds:8.1f} s {run.requests:8,} requests, {run.free} free of charge"
        f" {run.memory:8.0f} MB   target {target}"
    )


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201
