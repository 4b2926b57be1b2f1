"""Histories that somebody made to do harm, and clones that are broken: read right or refused in plain words."""

import os
import stat
from pathlib import Path

import pytest

from ingest.git import graph
from ingest.git.cloning import own_clone, source_of
from ingest.git.running import Git, GitError, HistoryError
from tests.ingest.git.made import Made


def test_names_with_newlines_and_bytes(made: Made) -> None:
    for name in (b"new\nline.py", b"tab\there.py", b"\xff\xfe.py", b'"quoted".py', b"a" * 200 + b".py"):
        (Path(os.fsdecode(bytes(made.folder) + b"/" + name))).write_text("x\n")
    commit = made.commit("Fix (#3)", pump_py="x\n")
    ((_, size),) = made.read().sizes([commit])
    assert size is not None
    assert (size.files, size.additions) == (6, 6)


@pytest.mark.parametrize(
    "message",
    [
        b"Fix \xff\xfe (#3)\n\n\x01\x02 Fixes #1",
        b"Fix (#3)\n\n" + b"x" * 3_000_000,
        b"Fix (#3)\n\ncommit 0000000000000000000000000000000000000000\n\nMerge pull request #9 from a/b",
        b"\n\n\nFix (#3)",
    ],
)
def test_messages(made: Made, message: bytes) -> None:
    tree = made.run("rev-parse", "HEAD^{tree}")
    made.run("reset", "-q", "--hard", made.run("commit-tree", tree, "-p", "HEAD", given=message))
    made.tag("v1.1.0")
    assert [(change.pull_number, change.first_releases) for change in made.read().changes] == [(3, ("1.1.0",))]


def test_large_files_are_not_read(made: Made) -> None:
    with (made.folder / "model.bin").open("wb") as file:
        file.truncate(64 << 20)
    made.run("-c", "core.bigFileThreshold=1m", "-c", "core.compression=1", "add", "-A")
    commit = made.commit("Fix (#3)", pump_py="x\n")
    ((_, size),) = made.read().sizes([commit])
    assert size is not None
    assert (size.files, size.additions) == (2, 1)


def test_replaced_objects_are_passed_over(made: Made) -> None:
    first = made.commit("Fix (#3)")
    second = made.commit("Other (#4)")
    folder = made.folder / ".git" / "refs" / "replace"
    folder.mkdir(parents=True)
    (folder / first).write_text(f"{second}\n")
    (folder / second).write_text(f"{first}\n")
    assert {change.pull_number: change.commit for change in made.read().changes} == {3: first, 4: second}


def test_grafts_are_passed_over(made: Made) -> None:
    commit = made.commit("Fix (#3)")
    (made.folder / ".git" / "info").mkdir(exist_ok=True)
    (made.folder / ".git" / "info" / "grafts").write_text(f"{commit}\n")
    assert len(made.read().graph.shas) == 2


def test_shallow_clone_is_refused(made: Made, tmp_path: Path) -> None:
    made.commit("On")
    made.run("clone", "-q", "--bare", "--depth", "1", f"file://{made.folder}", str(tmp_path / "cut"))
    with pytest.raises(HistoryError, match="shallow"):
        graph.read_graph(Git(tmp_path / "cut"), host="github.com", repository="a/b")


def test_missing_commit_is_refused(made: Made) -> None:
    middle = made.commit("On")
    made.commit("On again")
    (made.folder / ".git" / "objects" / middle[:2] / middle[2:]).unlink()
    with pytest.raises(GitError):
        made.read()


def test_missing_files_leave_one_size_unknown(made: Made) -> None:
    commits = [made.commit(f"Fix {number} (#{number})", pump_py=f"{number}\n" * 9) for number in range(1, 6)]
    blob = made.run("rev-parse", f"{commits[2]}:pump.py")
    (made.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    sizes = dict(made.read().sizes(commits))
    assert [sizes[commit] is None for commit in commits] == [False, False, True, True, False]


def test_odd_tags(made: Made) -> None:
    blob = made.run("hash-object", "-w", "--stdin", given="text")
    made.run("tag", "v2.0.0", blob)
    made.run("tag", "v2.1.0", "HEAD^{tree}")
    made.run("tag", "-a", "-m", "inner", "inner")
    made.run("tag", "-a", "-m", "of a tag", "v2.2.0", "inner")
    made.tag("nightly", "prod/v7.0.0", "v" + "9" * 100, "v1.x")
    assert [(release.tag, str(release.version)) for release in made.read().releases] == [
        ("v1.0.0", "1.0.0"),
        ("v2.2.0", "2.2.0"),
    ]


def test_tags_of_a_second_product_are_no_releases(made: Made) -> None:
    made.tag("core_v0.1.0", "core_v0.2.0", "core_v0.3.0", "v3.0")
    assert [release.tag for release in made.read().releases] == ["core_v0.1.0", "core_v0.2.0", "core_v0.3.0"]


def test_two_tags_of_one_version(made: Made) -> None:
    made.commit("Fix (#3)")
    made.tag("v1.1.0", "1.1.0")
    assert len(made.read().releases) == 3
    assert made.pull(3).missing == ((None, "1.1.0"),)


def test_impossible_days(made: Made) -> None:
    made.run("commit", "--allow-empty", "-m", "Fix (#3)", author_time=5)
    made.tag("v1.1.0")
    assert made.pull(3).merged_at.year == 2023


def test_repository_cannot_run_programs(made: Made, tmp_path: Path) -> None:
    trap, proof = tmp_path / "trap.sh", tmp_path / "proof"
    trap.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    for name in ("diff.external", "diff.trap.textconv", "diff.trap.command", "core.pager", "core.fsmonitor",
                 "gpg.program", "core.sshCommand", "core.askPass", "filter.trap.smudge"):  # fmt: skip
        made.run("config", name, str(trap))
    made.run("config", "log.showSignature", "true")
    made.run("config", "core.hooksPath", str(tmp_path))
    (made.folder / ".git" / "info").mkdir(exist_ok=True)
    (made.folder / ".git" / "info" / "attributes").write_text("* diff=trap filter=trap\n")
    commit = made.run("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "rev-parse", "HEAD")
    proof.unlink(missing_ok=True)
    dict(made.read(commits=(commit,)).sizes([commit]))
    assert not proof.exists()


def test_settings_of_the_repository_change_no_number(made: Made) -> None:
    commit = made.commit("Fix (#3)", engine_py="".join(f"line {number}\n" for number in range(30)))
    before = dict(made.read().sizes([commit]))
    for setting in (
        "diff.renames=false", "diff.noprefix=true", "log.date=iso", "i18n.logOutputEncoding=latin1",
        "diff.ignoreSubmodules=all", "core.quotePath=false", "log.follow=true",
    ):  # fmt: skip
        made.run("config", *setting.split("="))
    assert dict(made.read().sizes([commit])) == before
    assert made.pull(3).commit == commit


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no folder"):
        source_of(str(tmp_path))
    made = Made(tmp_path)
    made.run("init", "-q", "-b", "main")
    with pytest.raises(HistoryError, match="default branch"):
        made.read()


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% /tmp/x", "file:///etc", "ssh://host/x", "git://host/x", "http://host/x", "-oProxy=x",
        "https://user:secret@host/x", "https://", "https://host/x\n--upload-pack=x", "fd::7", "host:path",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(HistoryError):
        source_of(address)


def test_nothing_but_https_is_fetched(made: Made, tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="could not be fetched"):
        own_clone(f"file://{made.folder}", tmp_path / "own" / "clone.git")
    assert list((tmp_path / "own").iterdir()) == []


def test_command_that_takes_too_long_is_ended(made: Made, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    slow = Git(made.folder / ".git", seconds=0.2)
    with pytest.raises(GitError, match="longer"):
        slow.text("hash-object", "--no-filters", str(tmp_path / "pipe"))
    with pytest.raises(GitError, match="more than 3 bytes"):
        made.git.text("log", most=3)
