"""Commands of manage.py as processes that begin at once and can be killed: forked from one that has imported it all.

`Forks` is the tests' side. Run as a module this is the other side: it reads arguments, one JSON list a line, forks a
child that runs the command, and tells the child's process id and, in the end, its exit status.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
# Between two tries of a request that failed; half a second outside.
FIRST_PAUSE = 0.02


class Forks:
    """The process that forks. What commands print goes to `log`."""

    def __init__(self, *, environment: Mapping[str, str], log: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.ingest.forking", str(log)],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()

    def run(self, *arguments: str, kill_after: float | None = None) -> tuple[int, float]:
        """Run a command to its end, or kill it after so many seconds.

        Returns its exit status, or minus the signal's number, and how long it ran.
        """
        assert self._process.stdin
        self._process.stdin.write(json.dumps(arguments).encode() + b"\n")
        pid, began = self._told(), time.perf_counter()
        if kill_after is not None and not self._has_told(kill_after):
            os.kill(pid, signal.SIGKILL)
        return self._told(), time.perf_counter() - began

    def _has_told(self, seconds: float) -> bool:
        assert self._process.stdout
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def _told(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


def main(log: Path) -> None:
    """Fork until the tests' side hangs up. A child is reaped when the next one is wanted: its id stays its own."""
    import django

    django.setup()
    from ingest.hosts.asking import retries as patience
    from ingest.management.commands import sync_repo  # noqa: F401 what a child needs is loaded before it is forked

    patience.FIRST_PAUSE = FIRST_PAUSE
    told: list[int] = []
    for line in sys.stdin.buffer:
        while told:
            os.waitpid(told.pop(), 0)
        pid = os.fork()
        if pid == 0:
            os._exit(_child(json.loads(line), log))
        _tell(pid)
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert ended
        _tell(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
        told.append(pid)


def _child(arguments: Sequence[str], log: Path) -> int:
    from django.core.management import CommandError, call_command

    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    try:
        call_command(*arguments)
    except CommandError as error:
        print(error, file=sys.stderr, flush=True)  # noqa: T201
        return error.returncode
    except SystemExit as error:
        return int(error.code or 0)
    except BaseException:  # noqa: BLE001 whatever it is, the parent's loop must not go on in the child
        traceback.print_exc()
        return 1
    return 0


def _tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
