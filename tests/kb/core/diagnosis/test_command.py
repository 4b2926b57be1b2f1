"""`manage.py diagnose`: what it prints, its exit codes, and that a pipe works."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import orjson
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from kb.core.diagnosis.command import NOT_SET_UP, main
from kb.core.diagnosis.pipeline import without_known
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.setups.facts import Setup

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[4]
STEPS = "\n".join(f"step {number} | loss: {2.5 - number / 100:.3f} | step_time: 1.0s" for number in range(1, 31))
FAILED = f"{STEPS}\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
KEYS = {
    "schema", "signals_version", "verdict", "sentence", "lines", "nodes", "ranks", "stage", "iteration", "symptom",
    "symptom_code", "causes", "checks", "restart", "recorded", "unknown", "stats", "signature", "issues",
    "playbooks", "stack", "is_of_models", "timeline",
}  # fmt: skip


def run(*arguments: str | Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("diagnose", *map(str, arguments), stdout=out, stderr=err)
    return int(str(ended.value.code)), out.getvalue(), err.getvalue()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "job.log"
    file.write_text(FAILED)
    return file


class TestExitCodes:
    def test_a_failure_is_1_and_names_its_line(self, log: Path) -> None:
        code, out, _ = run(log)
        assert code == 1
        assert "The run failed: a crash, while training, at iteration 30" in out
        assert f"{log}:31  torch.OutOfMemoryError" in out

    @pytest.mark.parametrize(("text", "code"), [(f"{STEPS}\ntraining finished", 0), ("hello\nthere", 2), (STEPS, 4)])
    def test_without_one_it_is_0_2_or_4(self, tmp_path: Path, text: str, code: int) -> None:
        (tmp_path / "job.log").write_text(text)
        assert run(tmp_path / "job.log")[0] == code

    @pytest.mark.parametrize("content", [b"", bytes(range(256)) * 99, gzip.compress(b"", mtime=0)])
    def test_what_is_no_log_is_3_with_what_to_do(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "job.log").write_bytes(content)
        code, out, err = run(tmp_path / "job.log")
        assert (code, out) == (3, "")
        assert "job.log" in err or "Give the log itself" in err

    def test_a_missing_file_is_3(self, tmp_path: Path) -> None:
        code, _, err = run(tmp_path / "nowhere.log")
        assert code == 3
        assert "nowhere.log" in err


class TestWhatItReads:
    def test_a_folder_gives_all_its_files_under_their_names_within_it(self, tmp_path: Path, log: Path) -> None:
        (tmp_path / "deep").mkdir()
        (tmp_path / "deep" / "rank1.log.gz").write_bytes(gzip.compress(STEPS.encode()))
        _, out, _ = run(tmp_path, "--json")
        found = orjson.loads(out)
        assert found["stats"]["files"] == 2
        assert found["lines"][0]["file"] == log.name

    def test_healthy_runs_speak_against_what_they_say_too(self, tmp_path: Path) -> None:
        noise = "RuntimeError: no profiler on port 4123"
        (tmp_path / "job.log").write_text(f"{noise}\nKeyError: 'a'\n")
        (tmp_path / "fine.log").write_text(f"{noise.replace('4123', '77')}\n{STEPS}\n")
        _, out, _ = run(tmp_path / "job.log", "--healthy", tmp_path / "fine.log", "--json")
        assert orjson.loads(out)["lines"][0]["line"] == 2

    @pytest.mark.usefixtures("log")
    def test_what_was_left_out_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "core").write_bytes(bytes(range(256)) * 99)
        _, out, _ = run(tmp_path)
        assert "Not known" in out
        assert "core" in out

    def test_earlier_jobs_are_compared_by_option_or_setting(
        self, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        past = tmp_path / "past"
        past.mkdir()
        (past / "monday.log").write_text(FAILED.replace("2.00", "3.50"))
        recurs = {"of": 1, "same": 1, "last": "monday.log"}
        assert orjson.loads(run(log, "--past", past, "--json")[1])["restart"]["recurs"] == recurs
        monkeypatch.setenv("DIAGNOSE_PAST_RUNS", str(past))
        assert orjson.loads(run(log, "--json")[1])["restart"]["recurs"] == recurs
        assert run(log, "--past", tmp_path / "nowhere")[0] == 3


class TestJson:
    def test_it_has_the_fields_that_are_documented(self, log: Path) -> None:
        found = orjson.loads(run(log, "--json")[1])
        documented = (ROOT / "docs" / "diagnosing.md").read_text()
        assert set(found) == KEYS
        assert all(f"`{key}`" in documented for key in KEYS)
        assert set(found["lines"][0]) == {
            "file",
            "line",
            "text",
            "role",
            "score",
            "signal",
            "indicated",
            "why",
            "context",
        }
        assert found["lines"][0]["context"][-1] == {"line": 30, "text": STEPS.splitlines()[-1]}
        assert found["ranks"][0]["rank"] == 3

    def test_the_same_log_gives_the_same_answer(self, log: Path) -> None:
        assert run(log, "--json")[1] == run(log, "--json")[1]


def test_a_pipe_is_read_in_a_process_of_its_own(tmp_path: Path) -> None:
    environment = os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:9/nowhere"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "diagnose", "-"],
        input=gzip.compress(FAILED.encode()),
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 1, done.stderr.decode()
    assert b"standard input:31" in done.stdout
    assert b"Known issues were not looked up: the knowledge base does not answer now." in done.stdout


def own_process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What it prints, and on standard error the modules that it loaded."""
    known = {name: value for name, value in os.environ.items() if name not in ("SECRET_KEY", "DATABASE_URL")}
    return subprocess.run(
        [sys.executable, "-X", "importtime", str(ROOT / "manage.py"), "diagnose", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=known | environment,
    )  # fmt: skip


class TestDjango:
    """It takes several times as long to load as a small log to diagnose."""

    def test_is_not_loaded_offline(self, log: Path) -> None:
        done = own_process(log, "--offline", SECRET_KEY="x")
        assert done.returncode == 1
        assert "django" not in done.stderr

    def test_is_not_loaded_where_no_knowledge_base_could_know_of_it(self, tmp_path: Path) -> None:
        (tmp_path / "job.log").write_text(STEPS)
        done = own_process(tmp_path / "job.log", SECRET_KEY="x")
        assert done.returncode == 4
        assert "django" not in done.stderr

    def test_without_settings_the_log_is_diagnosed_all_the_same(self, log: Path, tmp_path: Path) -> None:
        done = own_process(log, FAULTBOOK_DATA=str(tmp_path))
        assert done.returncode == 1
        assert NOT_SET_UP in done.stdout

    @pytest.mark.parametrize("kept", ["", "{}", '{"digest": 1}', "\0"])
    def test_a_damaged_file_in_the_cache_is_made_anew(self, log: Path, tmp_path: Path, kept: str) -> None:
        place = tmp_path / "faultbook" / "signals.json"
        place.parent.mkdir()
        place.write_text(kept)
        done = own_process(log, "--offline", XDG_CACHE_HOME=str(tmp_path))
        assert "cuda-out-of-memory" in done.stdout
        assert len(place.read_text()) > 1_000

    def test_a_cache_that_cannot_be_written_does_no_harm(self, log: Path) -> None:
        assert "cuda-out-of-memory" in own_process(log, "--offline", XDG_CACHE_HOME=str(log)).stdout


def test_what_the_log_says_is_printed_before_the_knowledge_base_is_asked(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ""

    def add_known(data: DiagnosisData, _setup: Setup) -> DiagnosisData:
        nonlocal before
        before = capsys.readouterr().out
        causes = [{**cause, "name": "Out of memory", "url": "/n/1/"} for cause in data["causes"]]
        return without_known({**data, "causes": []}, "") | cast("DiagnosisData", {"causes": causes})

    assert main([str(log)], add_known) == 1
    assert "What failed first" in before
    assert "Read: 31 lines in 1 file." in before
    assert "Causes by name\n   55%  Out of memory" in capsys.readouterr().out


def test_offline_asks_nobody(log: Path) -> None:
    with CaptureQueriesContext(connection) as none:
        code, out, _ = run(log, "--offline")
    assert (code, len(none)) == (1, 0)
    assert "the knowledge base was not asked" in out
