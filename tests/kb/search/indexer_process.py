"""A real `manage.py run_indexer` on the test's database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from config.embedded.layout import ROOT

PATIENCE = 30.0


class Process:
    """The indexer of the host whose index lies in `folder`."""

    def __init__(self, folder: Path) -> None:
        name = connection.settings_dict["NAME"]
        address = os.environ["DATABASE_URL"].replace("/faultbook?", f"/{name}?")
        env = {**os.environ, "DATABASE_URL": address, "SEARCH_INDEX_DIR": str(folder), "SEARCH_ENGINE": "tantivy"}
        command = [sys.executable, "manage.py", "run_indexer"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def end(self, signum: int) -> float:
        """Send it the signal; returns how long it takes to end."""
        began = time.monotonic()
        self.process.send_signal(signum)
        self.process.communicate(timeout=PATIENCE)
        return time.monotonic() - began

    def stop(self) -> float:
        """Ask it to end."""
        return self.end(signal.SIGTERM)


@contextmanager
def indexers() -> Iterator[Callable[[Path], Process]]:
    """Start some; all are ended at the end."""
    processes: list[Process] = []

    def one(folder: Path) -> Process:
        processes.append(Process(folder))
        return processes[-1]

    try:
        yield one
    finally:
        for process in processes:
            if process.process.poll() is None:
                process.end(signal.SIGKILL)
