"""What `make up` does, in order, until it ends.

How a server is started is in `postgres.py` and `valkey.py`; how processes are watched, in `supervisor.py`.
"""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from types import FrameType

import environ
import psutil

from config.embedded import leftovers, ports, prepare, readiness
from config.embedded.layout import ROOT, Hold, Layout, State
from config.embedded.postgres import Postgres
from config.embedded.progress import STEPS, ProblemError, say, step
from config.embedded.supervisor import STOPPING, Supervisor, install_handlers
from config.embedded.terminal import Terminal
from config.embedded.valkey import Valkey


class Stopped(BaseException):
    """Somebody asked to stop before everything was started."""


def up() -> int:
    """Start everything and stay until it ends."""
    terminal = Terminal()
    layout = Layout.locate()
    layout.create()
    hold = Hold(layout)
    if not hold.take():
        return already_running(layout)
    environ.Env.read_env(ROOT / ".env")
    layout.write_state(State(os.getpid(), psutil.Process().create_time()))
    with ExitStack() as stack:
        stack.callback(hold.release)
        stack.callback(layout.forget_state)
        stack.callback(lambda: leftovers.stop(leftovers.find(layout.data)))
        try:
            install_handlers(raise_stopped)
            return run(layout, stack, terminal)
        except Stopped:
            say("\nStopped.")
            return 0
        finally:
            # From here on a second Ctrl-C would only leave processes behind.
            for signum in STOPPING:
                signal.signal(signum, signal.SIG_IGN)


def raise_stopped(_signum: int, _frame: FrameType | None) -> None:
    """While starting, turn a request to stop into an exception that unwinds what was started."""
    raise Stopped


def already_running(layout: Layout) -> int:
    """Say where the one that holds the data folder serves."""
    state = layout.read_state()
    if state and state.address and readiness.answers(state.address):
        say(f"Faultbook is already running: {state.address}")
    else:
        say("Faultbook is being started or stopped at this moment, in another terminal.")
    return 0


def run(layout: Layout, stack: ExitStack, terminal: Terminal) -> int:
    """Start the servers, bring what they hold up to date, and run the processes."""
    leftovers.stop(leftovers.find(layout.data))
    servers: list[Postgres | Valkey] = []
    settings = {"SECRET_KEY": layout.secret(), "LOCAL": "1"}
    start_servers(layout, stack, servers, settings)
    layout.write_settings(settings)
    given = {key: value for key, value in os.environ.items() if value or key not in settings}
    env = {**settings, **given, **leftovers.marked(layout.data)}
    env |= {"FAULTBOOK_DATA": str(layout.data), "PYTHONUNBUFFERED": "1"}
    bring_up_to_date(layout, servers, env)
    port = choose_port(stack)
    supervisor = Supervisor(layout.logs, servers, terminal, lambda: readiness.watch(supervisor, layout, port))
    supervisor.run(processes(port.number), env)
    if supervisor.problem:
        say(f"\n{supervisor.problem}")
        return 1
    say("\nStopped; the data is kept.")
    return 0


def start_servers(layout: Layout, stack: ExitStack, servers: list[Postgres | Valkey], settings: dict[str, str]) -> None:
    """Start the servers that no address was given for, and add their addresses to the settings."""
    candidates: dict[str, Postgres | Valkey] = {
        "DATABASE_URL": Postgres(layout.postgres, layout.logs / "postgres.log"),
        "REDIS_URL": Valkey(layout.valkey, layout.logs / "valkey.log"),
    }
    for number, (variable, server) in enumerate(candidates.items(), start=2):
        with step(number, f"Starting {server.name}") as current:
            if os.environ.get(variable):
                current.note = f"not needed, {variable} is set"
                continue
            stack.callback(server.stop)
            server.start()
            servers.append(server)
            settings[variable] = server.url()


def bring_up_to_date(layout: Layout, servers: list[Postgres | Valkey], env: dict[str, str]) -> None:
    """Migrate, load and collect, unless all of it was done from the very same files."""
    current = prepare.fingerprint()
    own = [server for server in servers if isinstance(server, Postgres)]
    if own and own[0].comment() == current and prepare.static_is_current(layout, current):
        say(f"[4-6/{STEPS}] Migrations, codebook, starter and static files ... up to date")
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "config.embedded.prepare"],
        cwd=ROOT,
        env=env,
        start_new_session=True,
        preexec_fn=leftovers.die_with_parent(signal.SIGTERM),
    )
    try:
        code = process.wait()
    finally:
        process.kill()
        process.wait()
    if code != 0:
        raise ProblemError("Faultbook could not be brought up to date; the reason is above.")


def choose_port(stack: ExitStack) -> ports.Port:
    """Choose the web server's port, and say so when it is not the wanted one."""
    wanted = ports.number_of(os.environ.get("PORT", ""))
    port = ports.choose(wanted)
    stack.callback(port.release)
    if port.number != wanted:
        say(f"Port {wanted} is in use; taking {port.number}.")
    return port


def processes(port: int) -> dict[str, list[str]]:
    """Return the commands of the processes that serve."""
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "config.celery"]
    # A worker that announces its heartbeat when the broker has just gone tries for minutes, deaf to being stopped.
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    worker = [*celery, "worker", "--concurrency", "1", *quiet, "-l", "INFO"]
    # On two cores a second web worker was no faster, took 110 MB more and half a second longer to start.
    return {
        "web": [*python, "config.serve", "--host", ports.HOST, "--port", str(port), "--workers", "1"],
        "worker": [*worker, "-n", "worker@%h", "-Q", "celery"],
        "diagnoser": [*worker, "-n", "diagnoser@%h", "-Q", "diagnoses"],
        "beat": [*celery, "beat", "--pidfile", "", "-l", "INFO"],
        "indexer": [sys.executable, "manage.py", "run_indexer"],
    }
