"""`manage.py diagnose`: what it prints, its exit codes, and that a pipe works."""

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[4]
STEPS = "\n".join(f"step {number} | loss: {2.5 - number / 100:.3f} | step_time: 1.0s" for number in range(1, 31))
FAILED = f"{STEPS}\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
KEYS = {
    "schema", "signals_version", "verdict", "sentence", "lines", "nodes", "ranks", "stage", "iteration", "symptom",
    "symptom_code", "causes", "checks", "recorded", "unknown", "stats", "signature", "issues",
    "playbooks", "stack", "is_of_models", "restart",
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


class TestJson:
    def test_it_has_the_fields_that_are_documented(self, log: Path) -> None:
        found = orjson.loads(run(log, "--json")[1])
        documented = (ROOT / "docs" / "diagnosing.md").read_text()
        assert set(found) == KEYS
        assert all(f"`{key}`" in documented for key in KEYS)
        assert set(found["lines"][0]) == {"file", "line", "text", "role", "score", "signal", "indicated", "why"}
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


def test_offline_asks_nobody(log: Path) -> None:
    with CaptureQueriesContext(connection) as none:
        code, out, _ = run(log, "--offline")
    assert (code, len(none)) == (1, 0)
    assert "the knowledge base was not asked" in out
