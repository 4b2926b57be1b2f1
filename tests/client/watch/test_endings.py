"""A watched command's end is the watcher's: exit codes and signals, with what was tried and cannot be started."""

import signal
from pathlib import Path

import pytest

from tests.client.watch.running import QUIET, python, run, watcher


@pytest.mark.parametrize("code", [0, 3, 137])
def test_exit_codes_are_the_commands(code: int) -> None:
    assert run([*QUIET, "sh", "-c", f"exit {code}"]).returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1])
def test_death_by_a_signal_is_death_by_that_signal(number: signal.Signals) -> None:
    assert run([*QUIET, "sh", "-c", f"kill -{number.value} $$"]).returncode == -number


def test_a_shell_shows_the_same_code_for_it() -> None:
    line = 'sh -c "kill -9 \\$\\$"; echo $?; "$@" sh -c "kill -9 \\$\\$"; echo $?'
    assert run(["bash", "-c", line, "bash", *QUIET]).stdout == b"137\n137\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_closed_streams_change_no_exit_code(closed: str) -> None:
    assert run(["sh", "-c", f'exec "$@" {closed}', "sh", *QUIET, "sh", "-c", "exit 3"]).returncode == 3


def test_a_signal_that_was_ignored_before_is_ignored_by_the_command() -> None:
    shows = "import signal; print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    assert run(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *QUIET, *python(shows)]).stdout == b"True\n"


def test_pipes_break_for_the_command_as_usual() -> None:
    shows = ["grep", "SigIgn", "/proc/self/status"]
    # The C library's own, 32 and 33, aside.
    alone, watched = (int(run(command).stdout.split()[1], 16) % (1 << 31) for command in (shows, [*QUIET, *shows]))
    assert watched == alone


def test_what_cannot_be_started_is_refused_as_by_a_shell(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    absent, refused, nothing = run([*QUIET, "no-such-program"]), run([*QUIET, str(plain)]), run(watcher())
    assert (absent.returncode, refused.returncode, nothing.returncode) == (127, 126, 2)
    assert b"no-such-program was not found. Is it installed" in absent.stderr
    assert b"cannot be started: Permission denied" in refused.stderr
    assert b"Give it behind --: faultbook watch -- torchrun train.py" in nothing.stderr
