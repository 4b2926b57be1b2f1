"""A terminal that goes away without a signal is noticed, and nothing else is taken for one."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from config.embedded.layout import ROOT

PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from config.embedded.terminal import Terminal

terminal = Terminal()
signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as if make had not passed it on
os.write(1, b"gone" if terminal.gone() else b"here")
deadline = time.monotonic() + 20
while not terminal.gone():
    if time.monotonic() > deadline:
        sys.exit("still thinks that its terminal is there")
    time.sleep(0.01)
Path(sys.argv[1]).write_text("noticed")
"""


def test_a_closed_terminal_is_noticed(tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        # Tests may themselves run under nohup, which children inherit, and which means: do not watch.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, "-c", PROGRAM, str(tmp_path / "answer")])  # noqa: S606
    assert os.read(terminal, 100).strip() == b"here"
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert (tmp_path / "answer").read_text() == "noticed"


def test_where_no_terminal_was_there_is_none_to_lose() -> None:
    program = "from config.embedded.terminal import Terminal; print(Terminal().watched, Terminal().gone())"
    said = subprocess.check_output(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True, text=True
    )
    assert said.strip() == "False False"
