"""The client's commands as a user calls them: what they answer offline, in which shape, and how they end."""

import io
import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest
from faultbook import __version__, data
from faultbook.__main__ import main, parser_of
from faultbook.commands import COMMANDS

from config.embedded.layout import ROOT
from kb.core.check.schema import CheckData
from kb.core.knowledge import file
from tests.docs.markdown import Page
from tests.kb.check.faults import FREEZE, ZERO_3
from tests.kb.diagnose.runs import FAILED, steps

Capture = pytest.CaptureFixture[str]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machine")]
PAGE = Page(ROOT / "docs" / "client.md")
CALLS = [line.partition("#")[0].strip() for block in PAGE.blocks("sh") for line in block.splitlines()]
ERROR = "CUDA error: device-side assert triggered"


@pytest.fixture
def log(machine: Path) -> Path:
    (machine / "job.log").write_text(FAILED)
    return machine / "job.log"


def schema(of: str, capsys: Capture) -> jsonschema_rs.Draft202012Validator:
    assert main(["schema", of]) == 0
    return jsonschema_rs.Draft202012Validator(json.loads(capsys.readouterr().out))


def renew(as_of: str) -> None:
    """Put a data file of this day in place, with nothing in it."""
    data.renewed().parent.mkdir(exist_ok=True)
    file.write(data.renewed(), {"about": file.read(data.SHIPPED)["about"] | {"as_of": as_of}})
    data.current.cache_clear()


class TestDiagnose:
    def test_the_text_has_what_the_data_knows(self, log: Path, capsys: Capture) -> None:
        log.write_text(f"{FAILED}RuntimeError: {ERROR}\n")
        assert main(["diagnose", "job.log"]) == 1
        text = capsys.readouterr().out
        for part in ("The run failed", "What failed first", "Causes by name", "Playbooks"):
            assert part in text
        assert "Not known" not in text

    @pytest.mark.usefixtures("log")
    def test_the_json_is_of_the_published_shape(self, capsys: Capture) -> None:
        shape = schema("diagnose", capsys)
        assert main(["diagnose", "job.log", "--json"]) == 1
        found = json.loads(capsys.readouterr().out)
        assert [error.message for error in shape.iter_errors(found)] == []
        assert found["timeline"]
        assert found["lines"][0]["context"]

    @pytest.mark.parametrize(("text", "code"), [(f"{steps(3000)}training finished", 0), ("hello\nthere", 2), ("", 3)])
    def test_exit_codes_are_those_of_the_server_command(self, log: Path, text: str, code: int) -> None:
        log.write_text(text)
        assert main(["diagnose", "job.log"]) == code

    @pytest.mark.usefixtures("log")
    def test_pages_have_the_address_of_the_server_that_the_data_is_of(
        self, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        site = "https://faultbook.example.org"
        monkeypatch.setattr(data.knowledge(), "about", replace(data.knowledge().about, server=site))
        main(["diagnose", "job.log", "--json"])
        causes = json.loads(capsys.readouterr().out)["causes"]
        assert [cause["url"].split("/codebook/")[0] for cause in causes] == [site] * len(causes)


class TestSearch:
    def test_words_find_records(self, capsys: Capture) -> None:
        shape = schema("search", capsys)
        assert main(["search", "--json", "--limit", "3", "hang", "in", "ZeRO-3"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [error.message for error in shape.iter_errors(found)] == []
        assert (len(found["faults"]), found["is_close"]) == (3, True)
        assert found["faults"][0]["id"] == "FB-000860"
        assert main(["search", "hang in ZeRO-3"]) == 0
        assert capsys.readouterr().out.startswith(found["faults"][0]["title"])

    def test_nothing_close_is_1(self, capsys: Capture) -> None:
        assert main(["search", "recipe for apple pie"]) == 1
        assert "Nothing close to “recipe for apple pie” is known." in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [["--limit", "0", "x"], [" "], ["x" * 20_001]])
    def test_what_cannot_be_asked_is_2(self, arguments: list[str], capsys: Capture) -> None:
        assert main(["search", *arguments]) == 2
        assert "20,000 characters" in capsys.readouterr().err

    def test_a_filter_that_is_none_is_2_and_says_what_is_meant(self, capsys: Capture) -> None:
        assert main(["search", "framework:depspeed", "hang"]) == 2
        assert "Nearest: “deepspeed”" in capsys.readouterr().err


class TestCheck:
    def test_files_are_held_against_the_known_faults(self, machine: Path, capsys: Capture) -> None:
        shape = schema("check", capsys)
        (machine / "pip-freeze.txt").write_text(FREEZE)
        (machine / "ds.json").write_text(ZERO_3)
        code = main(["check", ".", "--json"])
        found: CheckData = json.loads(capsys.readouterr().out)
        assert [error.message for error in shape.iter_errors(found)] == []
        assert found["counts"]["faults"] > 500
        assert code == any(finding["verdict"] == "affects" for finding in found["findings"])

    def test_without_files_it_reads_the_active_environment(self, capsys: Capture) -> None:
        main(["check", "--python", sys.executable, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert {source["form"] for source in found["looked_at"]} == {"pip freeze", "environment"}
        assert found["counts"]["packages"] > 100

    def test_standard_input_is_read(self, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(FREEZE))
        main(["check", "-", "--json"])
        assert json.loads(capsys.readouterr().out)["looked_at"][0]["name"] == "standard input"

    def test_a_python_that_is_none_is_2(self, capsys: Capture) -> None:
        assert main(["check", "--python", "/nowhere/python"]) == 2
        assert "Name a Python with --python, or a file." in capsys.readouterr().err


class TestData:
    def test_its_day_and_age_are_told(self, capsys: Capture) -> None:
        assert main(["version"]) == 0
        assert capsys.readouterr().out.startswith(f"faultbook {__version__}\n")
        assert main(["version", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["data"]["records"] > 1_000

    def test_old_data_says_so(self, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("faultbook.data.OLD_DAYS", -1)
        main(["search", "hang in ZeRO-3"])
        assert "days old. `faultbook update` fetches newer data" in capsys.readouterr().err

    def test_the_newer_one_is_read(self) -> None:
        renew("2999-01-01")
        assert data.current()[0] == data.renewed()
        renew("2001-01-01")
        assert data.current()[0] == data.SHIPPED

    @pytest.mark.parametrize("content", [b"", b"\x28\xb5\x2f\xfd broken"])
    def test_a_damaged_renewed_one_is_named_and_the_packages_read(self, content: bytes, capsys: Capture) -> None:
        data.renewed().parent.mkdir()
        data.renewed().write_bytes(content)
        assert main(["search", "hang in ZeRO-3"]) == 0
        assert "Answers come from the data of the package." in capsys.readouterr().err

    def test_a_missing_one_leaves_the_log_to_be_diagnosed(
        self, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        monkeypatch.setattr(data, "SHIPPED", log.with_name("gone"))
        assert main(["diagnose", "job.log"]) == 1
        assert "cannot be read" in capsys.readouterr().out
        assert [main(["search", "x"]), main(["check", "job.log"]), main(["version"])] == [2, 2, 3]


class TestShell:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
    def test_completions_name_every_command(self, shell: str, capsys: Capture) -> None:
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert [name for name in COMMANDS if name not in script] == []
        if shell == "bash":
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)

    def test_who_reads_no_further_ends_it_quietly(self) -> None:
        program = f"{shlex.quote(sys.executable)} -m faultbook schema diagnose | head -1"
        environment = {"PYTHONPATH": "client", "PATH": "/usr/bin:/bin"}
        done = subprocess.run(program, shell=True, cwd=ROOT, env=environment, capture_output=True, check=True)  # noqa: S602
        assert (done.stdout, done.stderr) == (b"{\n", b"")

    def test_every_command_has_help_and_exit_codes(self) -> None:
        assert [name for name, command in COMMANDS.items() if not command.room().HELP] == []
        assert parser_of(COMMANDS).format_help().count("\n    ") >= len(COMMANDS)


class TestPage:
    @pytest.mark.parametrize("call", [call for call in CALLS if "faultbook" in call and "pip " not in call[:4]])
    def test_each_call_on_it_is_answered(
        self, machine: Path, call: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
    ) -> None:
        """Those that ask the server of the example are only read: there is none."""
        _, _, command = call.rpartition("| ")
        words = shlex.split(command.partition(" >")[0])[1:]
        if "--from" in words:
            parser_of(words[:1]).parse_args(words)
            return
        _set_out(machine)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FREEZE.encode())))
        code = main(words)
        said = capsys.readouterr()
        assert code in (0, 1, 2), said.err
        assert said.out

    def test_its_commands_and_codes_are_there(self) -> None:
        named = {
            shlex.split(call.rpartition("| ")[2])[1]
            for call in CALLS
            if " faultbook " in f" {call}" and "pip" not in call
        }
        assert named == set(COMMANDS) - {"watch", "mcp"}


def _set_out(folder: Path) -> None:
    """The files that the page's calls name."""
    texts = {"job.log": FAILED, "last-week.log": steps(3000), "logs/rank0.log": FAILED, "requirements.txt": FREEZE}
    texts |= {
        "report.md": "It hangs\n\nwith ZeRO-3\n",
        "ds_config.json": ZERO_3,
        "train.sh": "torchrun --nproc-per-node 8 train.py\n",
        "ignore.yaml": "ignore: []\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    mirror = folder / "mirror"
    mirror.mkdir()
    shutil.copy(data.SHIPPED, mirror / data.NAME)
    sums = subprocess.run(["sha256sum", data.NAME], cwd=mirror, capture_output=True, text=True, check=True).stdout
    (mirror / "SHA256SUMS").write_text(sums)
