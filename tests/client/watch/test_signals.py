"""Signals reach a watched command once, whether they are for the watcher, its group or the terminal."""

import os
import signal
import time

import pytest

from tests.client.watch.running import QUIET, begin, on_terminal, python, read_some, rest_of

# Writes the name of each signal that it gets, and ends at SIGUSR2.
COUNTS = python(
    "import os, signal\n"
    "def write(number, _): os.write(1, signal.Signals(number).name.encode() + b' ')\n"
    "for name in ('INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'CONT', 'WINCH'):\n"
    "    signal.signal(getattr(signal, 'SIG' + name), write)\n"
    "signal.signal(signal.SIGUSR2, lambda *_: os._exit(7))\n"
    "os.write(1, b'ready ')\n"
    "while True: signal.pause()"
)
# What comes twice comes within this time.
TWICE = 0.6
SIGNALS = [
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGCONT,
    signal.SIGWINCH,
]


@pytest.mark.parametrize("is_for_group", [False, True], ids=["for the watcher", "for its group"])
def test_each_arrives_once(is_for_group: bool) -> None:
    process = begin([*QUIET, *COUNTS], start_new_session=True)
    send = os.killpg if is_for_group else os.kill
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    seen = read_some(descriptor)
    for number in SIGNALS:
        send(process.pid, number)
        seen += read_some(descriptor)
    time.sleep(TWICE)
    send(process.pid, signal.SIGUSR2)
    assert process.wait(10) == 7
    assert (seen + process.stdout.read()).decode().split() == ["ready", *(number.name for number in SIGNALS)]


def test_ctrl_c_at_a_terminal_arrives_once() -> None:
    process, terminal = on_terminal([*QUIET, *COUNTS])
    seen = read_until(terminal, b"ready ")
    os.write(terminal, b"\x03")
    seen += read_until(terminal, b"SIGINT ")
    time.sleep(TWICE)
    os.kill(process, signal.SIGUSR2)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
    assert (seen + rest_of(terminal)).count(b"SIGINT") == 1


def test_a_command_that_takes_its_time_to_end_is_waited_for() -> None:
    code = (
        "import os, signal, time\n"
        "def end(*_):\n"
        "    os.write(1, b'saving '); time.sleep(0.5); os.write(1, b'saved'); os._exit(5)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "os.write(1, b'ready ')\n"
        "while True: signal.pause()"
    )
    process = begin([*QUIET, *python(code)])
    assert process.stdout is not None
    assert os.read(process.stdout.fileno(), 6) == b"ready "
    process.terminate()
    assert process.stdout.read() == b"saving saved"
    assert process.wait(10) == 5


def test_a_job_is_stopped_and_continued_as_a_whole() -> None:
    shell = 'set -m; "$@" & wait $!; echo stopped; kill -CONT %1; wait %1; echo code $?'
    job = ["bash", "-c", shell, "bash", *QUIET, "sh", "-c", "kill -TSTP $$; exit 6"]
    process, terminal = on_terminal(job)
    seen = rest_of(terminal)
    os.waitpid(process, 0)
    assert b"stopped" in seen
    assert b"code 6" in seen


def read_until(terminal: int, word: bytes) -> bytes:
    """What is written to a terminal up to a word."""
    seen = b""
    while word not in seen:
        seen += read_some(terminal)
    return seen
