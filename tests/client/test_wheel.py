"""The wheel, built and installed as on a user's machine: nothing there but what it says it needs, and no network."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import orjson
import pytest
from faultbook import __version__
from packaging.requirements import Requirement

from config.embedded.layout import ROOT
from kb.core.diagnosis.pipeline import InputFile
from kb.diagnose.answer import answer
from tests.kb.check.faults import FREEZE
from tests.kb.diagnose.runs import FAILED
from tests.support.engines import PutIssuesIn

pytestmark = pytest.mark.django_db
CLIENT = ROOT / "client"
CORPUS = ROOT / "tests" / "kb" / "core" / "diagnosis" / "corpus"
LARGEST = 15 * 1024 * 1024
IMPORT_ALL = """
import importlib, pkgutil, faultbook
names = [module.name for module in pkgutil.walk_packages(faultbook.__path__, "faultbook.")]
for name in names:
    if not name.endswith("__main__"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            # What the extra of this name brings.
            if error.name not in ("anyio", "mcp", "mcp_types"):
                raise
print(len(names))
"""
# The diagnosis of each log as JSON, in one process.
EACH_LOG = """
import io, json, sys
from contextlib import redirect_stdout
from faultbook.__main__ import main
answers = []
for name in sys.argv[1:]:
    with redirect_stdout(io.StringIO()) as out:
        main(["diagnose", name, "--json"])
    answers.append(json.loads(out.getvalue()))
print(json.dumps(answers))
"""
# Whatever opens a connection ends the program.
WITHOUT_NETWORK = """
import socket, sys
def refuse(*_): raise SystemExit("a connection was opened")
socket.socket.connect = socket.getaddrinfo = refuse
from faultbook.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def build(folder: Path, data_file: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=CLIENT, check=True, capture_output=True, env=os.environ | {"FAULTBOOK_CLIENT_DATA": str(data_file)},
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


def needed(name: str, names: set[str]) -> set[str]:
    """What a distribution needs to run here, and what that needs."""
    if name not in names:
        names.add(name)
        for text in distribution(name).requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(requirement.name, names)
    return names


@pytest.fixture
def wheel(data_file: Path) -> Path:
    """Built once."""
    folder = data_file.with_name("dist")
    return next(folder.glob("*.whl"), None) or build(folder, data_file)


@pytest.fixture
def installed(wheel: Path) -> Path:
    """The Python of an environment with the wheel and what it needs, and nothing else; made once."""
    home = wheel.parent.with_name("environment")
    if not home.exists():
        install(wheel, home)
    return home / "bin" / "python"


def install(wheel: Path, home: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-index", "--no-deps", str(wheel)],
        check=True,
    )
    (packages,) = home.glob("lib/python*/site-packages")
    metadata = zipfile.Path(wheel) / f"faultbook-{__version__}.dist-info" / "METADATA"
    lines = [
        line.partition(": ")[2] for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist: ")
    ]
    wanted = [requirement for line in lines if "extra" not in str((requirement := Requirement(line)).marker)]
    names: set[str] = set()
    for requirement in wanted:
        if requirement.marker is None or requirement.marker.evaluate():
            assert distribution(requirement.name).version in requirement.specifier
            needed(requirement.name, names)
    for name in names:
        for top in {file.parts[0] for file in distribution(name).files or ()} - {".."}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@pytest.fixture
def user(data_file: Path) -> dict[str, str]:
    """The environment of a user who has a home of their own, and whose data is the package's."""
    return {"PATH": os.environ["PATH"], "HOME": str(data_file.with_name("home"))}


def run(
    python: Path, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-I", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)


class TestContent:
    def test_it_is_small_pure_and_brings_its_own_package_alone(self, wheel: Path) -> None:
        assert wheel.name == f"faultbook-{__version__}-py3-none-any.whl"
        assert wheel.stat().st_size <= LARGEST
        names = zipfile.ZipFile(wheel).namelist()
        assert {name.split("/")[0] for name in names} == {"faultbook", f"faultbook-{__version__}.dist-info"}
        assert "faultbook/py.typed" in names
        assert any(name.endswith("licenses/LICENSE") for name in names)

    def test_no_module_names_the_package_by_its_name_in_the_checkout(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            modules = [name for name in archive.namelist() if name.endswith(".py")]
            assert [name for name in modules if "kb.core" in archive.read(name).decode()] == []

    def test_every_file_of_the_core_that_is_no_module_is_in_it(self, wheel: Path) -> None:
        core = ROOT / "kb" / "core"
        inside = {name.removeprefix("faultbook/core/") for name in zipfile.ZipFile(wheel).namelist()}
        tracked = subprocess.run(["git", "ls-files", "."], cwd=core, capture_output=True, text=True, check=True).stdout
        assert set(tracked.split()) - inside == set()

    def test_built_again_it_has_the_same_bytes(self, wheel: Path, data_file: Path, tmp_path: Path) -> None:
        assert build(tmp_path, data_file).read_bytes() == wheel.read_bytes()

    def test_its_version_is_that_of_the_house(self) -> None:
        assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()


class TestInstalled:
    def test_every_module_can_be_imported(self, installed: Path) -> None:
        done = run(installed, "-c", IMPORT_ALL)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 150

    @pytest.mark.parametrize("name", ["django", "kb", "rest_framework", "psycopg", "httpx"])
    def test_nothing_of_the_server_is_there(self, installed: Path, name: str) -> None:
        assert f"No module named '{name}'" in run(installed, "-c", f"import {name}").stderr

    @pytest.mark.parametrize(
        ("words", "code"),
        [("diagnose job.log --json", 1), ("search hang in ZeRO-3 --json", 0), ("check pip-freeze.txt --json", 0)],
    )
    def test_it_answers_without_a_connection(
        self, installed: Path, user: dict[str, str], tmp_path: Path, words: str, code: int
    ) -> None:
        (tmp_path / "job.log").write_text(FAILED)
        (tmp_path / "pip-freeze.txt").write_text(FREEZE)
        done = run(installed, "-c", WITHOUT_NETWORK, *words.split(), cwd=tmp_path, env=user)
        assert done.returncode == code, done.stderr
        assert json.loads(done.stdout)

    def test_the_command_is_there(self, installed: Path, user: dict[str, str]) -> None:
        program = installed.with_name("faultbook")
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, env=user)
        assert done.stdout == f"faultbook {__version__}\n"
        assert shutil.which("django-admin", path=str(installed.parent)) is None


@pytest.mark.usefixtures("starter")
def test_it_says_of_a_log_what_the_server_says(
    installed: Path, user: dict[str, str], tmp_path: Path, search_index: PutIssuesIn
) -> None:
    logs = [*sorted((CORPUS / "open").rglob("*.log")), *sorted((CORPUS / "held_out").rglob("*.log"))]
    chosen = logs[:: len(logs) // 8]
    for number, log in enumerate(chosen):
        shutil.copy(log, tmp_path / f"{number}.log")
    search_index()
    done = run(installed, "-c", EACH_LOG, *(f"{number}.log" for number in range(len(chosen))), cwd=tmp_path, env=user)
    assert done.returncode == 0, done.stderr
    offline = json.loads(done.stdout)
    for number, found in enumerate(offline):
        assert found == _of_server(tmp_path / f"{number}.log"), chosen[number]
    assert [found["verdict"] for found in offline].count("failure") > 4
    assert any(found["issues"] for found in offline)


def _of_server(log: Path) -> object:
    """What the API answers to this log."""
    content = log.read_bytes()

    def files() -> list[InputFile]:
        return [InputFile(log.name, io.BytesIO(content))]

    return json.loads(orjson.dumps(answer(files=files(), reopen=files)))
