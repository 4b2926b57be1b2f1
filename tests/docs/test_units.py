"""The systemd units in deploy/systemd: what they start is there, and systemd takes them."""

import re
import shlex
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from importlib.util import find_spec
from pathlib import Path

import pytest
from celery.bin.celery import celery
from django.core.management import get_commands

from config.embedded.layout import ROOT
from tests.docs.test_names import parser_of

CURRENT = "/opt/faultbook/current"
STARTED = re.compile(r"^Exec(?:Start|StartPre)=(.+)$", re.MULTILINE)
PROCESSES = {f"faultbook-{name}.service" for name in ("web", "worker", "diagnoser", "beat", "indexer")}
OTHERS = {
    "faultbook-.service.d/common.conf",
    "faultbook-prepare.service",
    "faultbook.target",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The units, for code and Python of the tests."""
    units = tmp_path / "units"
    shutil.copytree(ROOT / "deploy/systemd", units)
    programs = tmp_path / "code/.venv/bin"
    programs.mkdir(parents=True)
    for name in ("python", "celery"):
        (programs / name).symlink_to(Path(sys.executable).parent / name)
    for path in units.rglob("*.*"):
        if path.is_file():
            path.write_text(path.read_text().replace(CURRENT, str(tmp_path / "code")))
    return units


def read(folder: Path) -> dict[str, RawConfigParser]:
    units = {}
    for path in folder.rglob("*.*"):
        if path.is_file():
            unit = units[path.relative_to(folder).as_posix()] = RawConfigParser(strict=False, delimiters="=")
            unit.read(path)
    return units


def test_every_process_waits_for_the_database_and_is_started_again(folder: Path) -> None:
    units = read(folder)
    assert set(units) == PROCESSES | OTHERS
    assert set(re.findall(r"[\w-]+\.service", (folder / "faultbook.target").read_text())) == PROCESSES
    for name in PROCESSES:
        assert units[name]["Unit"]["Requires"] == units[name]["Unit"]["After"] == "faultbook-prepare.service"
        assert units[name]["Service"]["Restart"] == "always"
    # What is said for all goes before what one says.
    common = set(units["faultbook-.service.d/common.conf"]["Service"])
    assert not any(common & set(units[name]["Service"]) for name in units if name.endswith(".service"))


def test_what_is_started_is_there(folder: Path) -> None:
    lines = [line for path in folder.glob("*.service") for line in STARTED.findall(path.read_text())]
    assert len(lines) == len(PROCESSES) + 4
    for line in lines:
        program, *arguments = shlex.split(line)
        if program == "/bin/sh":
            assert subprocess.run(["/bin/sh", "-n", "-c", arguments[1].replace("$$", "$")], check=False).returncode == 0
        elif program.endswith("/celery"):
            assert_is_of_celery(arguments)
        else:
            assert program == f"{folder.parent}/code/.venv/bin/python"
            assert_is_ours(arguments)


def assert_is_of_celery(arguments: list[str]) -> None:
    assert arguments[:2] == ["-A", "config.celery"]
    known = {option for parameter in celery.commands[arguments[2]].params for option in parameter.opts}
    assert {word.partition("=")[0] for word in arguments[3:] if word.startswith("-")} <= known


def assert_is_ours(arguments: list[str]) -> None:
    if arguments[0] == "-m":
        assert find_spec(arguments[1])
        return
    assert arguments[0] == "manage.py"
    assert arguments[1] in get_commands()
    parser_of(arguments[1])[0].parse_args(arguments[2:])


def test_systemd_takes_them(folder: Path) -> None:
    """Where systemd is installed; the tests above hold everywhere."""
    analyze = shutil.which("systemd-analyze")
    if analyze:
        command = [analyze, "verify", "--man=no", "--recursive-errors=no"]
        files = [str(path) for path in folder.iterdir() if path.is_file()]
        done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
        # What this machine's own units are warned of is not ours.
        assert (done.returncode, [line for line in done.stderr.splitlines() if "faultbook" in line]) == (0, [])
