"""What is told when a run fails or stands still, to whom, and that it changes nothing for the run."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from faultbook.watch.schema import WatchedDiagnosis
from pydantic import TypeAdapter

from tests.client.watch.running import ENVIRONMENT, begin, on_terminal, python, rest_of, run, until, watcher
from tests.kb.diagnose.runs import FAILED

STEPS = "for n in range(1, 30): print(f'[rank{n % 4}]: step {n // 4} | loss: 2.5 | step_time: 1.0s', flush=True)\n"
MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
FAILS = python(f"{STEPS}import sys; print('[rank2]: {MEMORY}', file=sys.stderr, flush=True); sys.exit(1)")
WORKS = python(f"{STEPS}print('Training completed.')")
# Steps take a hundredth of a second. Rank 3 makes the last of them alone.
HANGS = (
    "import time\n"
    "for n in range(30):\n"
    "    for rank in range(4 if n < 28 else 3):\n"
    "        print(f'[rank{rank}]: step {n} | loss: 2.5 | step_time: 0.01s', flush=True)\n"
    "    time.sleep(0.01)\n"
)
SOON = ("--min-quiet", "0.4")


def report(path: Path) -> Any:
    """The JSON of a report, which has the published shape."""
    data = json.loads(path.read_text())
    TypeAdapter(WatchedDiagnosis).validate_python(data, strict=True, extra="forbid")
    return data


class TestFailures:
    def test_are_diagnosed_on_standard_error_after_the_end(self, tmp_path: Path) -> None:
        path = tmp_path / "report.json"
        told = run([*watcher("--report", str(path)), *FAILS])
        assert told.stdout == run(FAILS).stdout
        text = told.stderr.decode()
        assert text.startswith(f"[rank2]: {MEMORY}\n\nfaultbook: the command ended with exit code 1 after ")
        for part in (
            "What failed first",
            "output:30  torch.Out",
            "Suspect ranks\nfaultbook:   2",
            "Restart?",
            "What to do now",
        ):
            assert part in text
        data = report(path)
        assert (data["verdict"], data["symptom_code"] is not None, data["lines"][0]["line"]) == ("failure", True, 30)
        watch = data["watch"]
        assert (watch["event"], watch["exit_code"], watch["signal"], watch["stalls"]) == ("end", 1, None, [])

    def test_that_the_exit_code_hides_are_told_too(self) -> None:
        hidden = run([*watcher(), "sh", "-c", '"$@" || true', "sh", *FAILS])
        assert hidden.returncode == 0
        assert b"ended with exit code 0 after " in hidden.stderr
        assert b", but its output shows a failure." in hidden.stderr

    def test_nothing_is_said_of_a_run_that_works(self, tmp_path: Path) -> None:
        path = tmp_path / "report.json"
        assert run([*watcher("--report", str(path)), *WORKS]).stderr == b""
        assert report(path)["verdict"] == "healthy"

    def test_what_ended_it_is_told_where_the_output_does_not(self) -> None:
        killed = run([*watcher(), "sh", "-c", "kill -KILL $$"]).stderr
        assert b"the command was ended by SIGKILL (exit code 137) after" in killed
        assert b"end of the command:1  Killed: process exited with exit code 137" in killed
        assert b"Look in the kernel log of that node for an OOM kill." in killed

    def test_one_that_was_told_to_end_is_no_failure(self) -> None:
        process = begin([*watcher(), *python(f"{HANGS}\ntime.sleep(60)")])
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == -signal.SIGTERM
        assert errors.decode().count("\n") == 2
        assert "the command was ended by SIGTERM (exit code 143) after" in errors.decode()

    def test_secrets_of_the_command_line_stay_out_of_the_report(self, tmp_path: Path) -> None:
        path, token = tmp_path / "report.json", "hf_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3o"
        run([*watcher("--quiet", "--report", str(path)), *FAILS, "--token", token])
        assert token not in path.read_text()

    def test_runs_of_the_like_are_compared(self, tmp_path: Path) -> None:
        past = tmp_path / "past" / "job-1"
        past.mkdir(parents=True)
        past.joinpath("job.log").write_bytes(run(FAILS).stdout + run(FAILS).stderr)
        healthy = tmp_path / "healthy.log"
        healthy.write_bytes(run(WORKS).stdout)
        compares = watcher("--past", str(past.parent), "--healthy", str(healthy))
        assert b"1 of 1" in run([*compares, *FAILS]).stderr


@pytest.mark.django_db
def test_what_is_known_of_a_failure_is_told(data_file: Path, tmp_path: Path) -> None:
    log, path = tmp_path / "job.log", tmp_path / "report.json"
    log.write_text(FAILED)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from faultbook import data\n"
        "from faultbook.__main__ import main\n"
        f"data.SHIPPED = Path({str(data_file)!r})\n"
        f"sys.exit(main(['watch', '--report', {str(path)!r}, '--', 'sh', '-c', 'cat {log}; exit 1']))"
    )
    told = run(python(code), environment={**ENVIRONMENT, "FAULTBOOK_DATA": str(tmp_path / "none")})
    assert b"faultbook: Causes by name" in told.stderr
    assert report(path)["playbooks"][0]["url"]


class TestOnFailure:
    def test_gets_the_report_and_changes_nothing(self) -> None:
        shows = (
            "python3 -c \"import json, os; print(json.load(open(os.environ['FAULTBOOK_REPORT']))['verdict'])\"; exit 9"
        )
        told = run([*watcher("--quiet", "--on-failure", shows), *FAILS])
        assert (told.returncode, told.stdout) == (1, run(FAILS).stdout)
        assert told.stderr == f"[rank2]: {MEMORY}\nfailure\n".encode()

    def test_that_hangs_is_ended(self) -> None:
        slow = python(
            "import sys\n"
            "from faultbook.__main__ import main\n"
            "from faultbook.watch import report\n"
            "report.COMMAND_LIMIT = 0.3\n"
            "sys.exit(main(['watch', '--on-failure', 'sleep 60', '--', 'sh', '-c', 'exit 5']))"
        )
        told = run(slow)
        assert told.returncode == 5
        assert b"--on-failure was ended: it took longer than 0.3 s." in told.stderr

    def test_is_not_run_where_nothing_failed(self) -> None:
        assert run([*watcher("--on-failure", "echo called"), *WORKS]).stderr == b""


class TestStalls:
    def test_are_told_once_while_the_run_goes_its_way(self, tmp_path: Path) -> None:
        path = tmp_path / "report.json"
        code = f"{HANGS}input(); print('[rank0]: step 31 | loss: 2.5', flush=True)"
        process = begin([*watcher(*SOON, "--report", str(path)), *python(code)])
        until(lambda: path.exists())
        stalled = report(path)
        assert (stalled["verdict"], stalled["symptom"], stalled["watch"]["event"]) == ("failure", "hang", "stall")
        assert stalled["ranks"][0]["rank"] == 3
        assert stalled["watch"]["stalls"][0]["last_step"] == 29
        output, errors = process.communicate(b"\n", timeout=20)
        assert output.endswith(b"[rank0]: step 31 | loss: 2.5\n")
        assert process.returncode == 0
        text = errors.decode()
        assert text.count("faultbook: the run stands still: no step since step 29 for ") == 1
        assert "It is left alone." in text
        assert "[rank3]: step 27" in text
        assert text.count("faultbook: the run moves again, after ") == 1

    def test_are_no_motion_in_a_log_that_all_write_to(self, tmp_path: Path) -> None:
        log, path = tmp_path / "job.log", tmp_path / "report.json"
        with log.open("wb") as file:
            command = [*watcher("--min-quiet", "0.2", "--report", str(path)), *python(f"{HANGS}input()")]
            process = begin(command, stdout=file, stderr=file)
            until(lambda: b"faultbook: Read:" in log.read_bytes())
            time.sleep(0.2)
            process.communicate(b"\n", timeout=20)
        assert b"moves again" not in log.read_bytes()
        assert report(path)["watch"]["stalls"][0]["again"] is None
        assert report(path)["lines"][0]["text"].startswith("[rank3]: step 27")

    def test_are_ended_where_that_is_wanted(self) -> None:
        told = run([*watcher(*SOON, "--kill-on-hang"), *python(f"{HANGS}time.sleep(60)")])
        assert told.returncode == -signal.SIGTERM
        assert b"It is ended now, as --kill-on-hang says." in told.stderr
        assert b"The run failed: a hang" in told.stderr

    def test_are_seen_in_files_of_ranks(self, tmp_path: Path) -> None:
        path = tmp_path / "report.json"
        code = (
            f"import time\nfile = open(r'{tmp_path}/rank0.log', 'w')\n"
            "for n in range(30): print(f'step {n} | loss: 2.5', file=file, flush=True); time.sleep(0.1)\n"
            "input()"
        )
        options = (*SOON, "--report", str(path), "--logs", f"{tmp_path}/*.log")
        process = begin([*watcher(*options), *python(code)])
        until(lambda: path.exists())
        process.communicate(b"\n", timeout=20)
        assert report(path)["lines"][0]["file"] == f"{tmp_path}/rank0.log"


class TestPipes:
    def test_are_passed_through_and_diagnosed_at_their_end(self) -> None:
        log = run(["sh", "-c", '"$@" 2>&1', "sh", *FAILS]).stdout
        told = run([*watcher(), "-"], input=log)
        assert (told.returncode, told.stdout) == (1, log)
        assert b"faultbook: the output ended after " in told.stderr
        assert b"Suspect ranks\nfaultbook:   2" in told.stderr

    def test_of_runs_that_work_say_nothing(self) -> None:
        log = run(WORKS).stdout
        told = run([*watcher(), "-"], input=log)
        assert (told.returncode, told.stdout, told.stderr) == (0, log, b"")

    def test_are_diagnosed_when_they_stall_or_are_left(self, tmp_path: Path) -> None:
        path = tmp_path / "report.json"
        process = begin([*watcher(*SOON, "--report", str(path)), "-"])
        assert process.stdin is not None
        process.stdin.write(run(python(HANGS)).stdout)
        for number in range(30, 34):
            process.stdin.write(b"[rank0]: step %d | loss: 2.5\n" % number)
            process.stdin.flush()
            time.sleep(0.06)
        until(lambda: path.exists())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 1
        assert report(path)["symptom"] == "hang"


def test_a_fault_of_ours_is_told_and_leaves_the_run_alone() -> None:
    broken = python(
        "import sys\n"
        "from faultbook.__main__ import main\n"
        "from faultbook.watch.rhythm import Rhythm\n"
        "Rhythm.hear = lambda *_: 1 / 0\n"
        f"sys.exit(main(['watch', '--', *{FAILS!r}]))"
    )
    told, alone = run(broken), run(FAILS)
    assert (told.returncode, told.stdout) == (alone.returncode, alone.stdout)
    assert b"Some of the run was not listened to: ZeroDivisionError" in told.stderr


def test_ctrl_c_ends_a_report_that_takes_long() -> None:
    slow = python(
        "import sys, time\n"
        "from faultbook.__main__ import main\n"
        "from faultbook.watch import report\n"
        "report.Report.tell = lambda *_: print('telling', flush=True) or time.sleep(60)\n"
        "sys.exit(main(['watch', '--', 'sh', '-c', 'exit 5']))"
    )
    process, terminal = on_terminal(slow)
    assert os.read(terminal, 100).startswith(b"telling")
    os.write(terminal, b"\x03")
    rest_of(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 5


@pytest.mark.parametrize("value", ["0", "soon", "inf"])
def test_bad_times_are_refused(value: str) -> None:
    told = subprocess.run([*watcher("--min-quiet", value), "true"], env=ENVIRONMENT, capture_output=True, check=False)
    assert told.returncode == 2
    assert value.encode() in told.stderr
