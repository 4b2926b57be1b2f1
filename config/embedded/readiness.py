"""Waiting, beside the supervisor's loop, until the site is ready, and saying its address then."""

import http.client
import os
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlsplit

import psutil

from config.embedded.layout import Layout, State
from config.embedded.ports import HOST, Port
from config.embedded.progress import STEPS, say
from config.embedded.supervisor import Supervisor

READY_WITHIN = 60.0


def watch(supervisor: Supervisor, layout: Layout, port: Port) -> None:
    """Say the address as soon as the site is ready."""
    say(f"[{STEPS}/{STEPS}] Starting web, workers, beat and indexer ...", end=" ")
    threading.Thread(target=wait, args=(supervisor, layout, port), daemon=True).start()


def wait(supervisor: Supervisor, layout: Layout, port: Port) -> None:
    """Ask /readyz until it agrees; give up after a while, saying what it answered."""
    started = time.monotonic()
    answer = "nothing"
    while not supervisor.stopping:
        with suppress(OSError, http.client.HTTPException):
            status, answer = ask(f"{HOST}:{port.number}")
            if status == HTTPStatus.OK:
                announce(layout, port, time.monotonic() - started)
                return
        if time.monotonic() - started > READY_WITHIN:
            log = layout.shown(layout.logs / "web.log")
            supervisor.ask_to_stop(f"Not ready after {READY_WITHIN:.0f} s; /readyz answered: {answer}\nSee {log}.")
        time.sleep(0.05)


def announce(layout: Layout, port: Port, seconds: float) -> None:
    """Write the address down for other terminals, then say it."""
    layout.write_state(State(os.getpid(), psutil.Process().create_time(), port.address))
    say(f"{seconds:.1f} s")
    say(
        "\nFaultbook runs in this terminal until Ctrl-C here, or `make down` in another one. "
        f"The logs are in {layout.shown(layout.logs)}."
    )
    say(f"Faultbook is ready: {port.address}")


def answers(address: str) -> bool:
    """Say whether somebody serves at this address at all."""
    try:
        ask(urlsplit(address).netloc)
    except (OSError, http.client.HTTPException):
        return False
    return True


def ask(host: str) -> tuple[int, str]:
    """Ask /readyz once."""
    connection = http.client.HTTPConnection(host, timeout=5)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        return response.status, f"{response.status} {response.read(2000).decode('utf-8', 'replace')}"
    finally:
        connection.close()
