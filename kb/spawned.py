"""The first thing that a spawned process does; importable before Django is set up, as nothing else of ours is."""

import multiprocessing
import os
import signal
import threading

import django

NICENESS = 10


def begin(database: str) -> None:
    """Make a new process ready: polite, on the same database, and gone when whoever started it is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.nice(NICENESS)
    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = database


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
