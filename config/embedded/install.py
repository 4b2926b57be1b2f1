"""Makes `.venv` and installs the locked, hashed packages into it.

Runs on a bare Python before anything is installed, so it imports the standard library only. Which packages
is said by the lock files in `requirements/`, not here.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from config.embedded.progress import ProblemError, Step, say, step

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".installed"
LOCKS = ROOT / "requirements"
PIP = [str(PYTHON), "-m", "pip", "--disable-pip-version-check"]
# Hashed wheels only: nothing is built, so no compiler is needed and no package's code runs while installing.
PIP_INSTALL = [*PIP, "install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
OLDEST = (3, 11)
# What uv calls the settings of pip that it needs too; it does not read pip's configuration.
UV_NAMES = {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE"}
# Every set holds the sets before it, at the same versions.
SETS = ("embedded", "dev")


def main(arguments: list[str]) -> int:
    """Install the set named on the command line: `embedded` (to run) or `dev` (to test as well)."""
    wanted = arguments[0] if arguments else SETS[0]
    try:
        with step(1, "Installing the Python packages") as current:
            install(wanted, current)
    except ProblemError as problem:
        say(f"\n{problem}")
        return 1
    except OSError as error:
        say(f"\nCould not write to .venv: {error}. If it belongs to another user, remove it as that user.")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def install(wanted: str, current: Step) -> None:
    """Bring `.venv` in line with the lock file of this set, unless it already is."""
    with alone():
        if python_works() and is_installed(wanted):
            current.note = "already there"
            return
        make_venv()
        STAMP.unlink(missing_ok=True)
        install_uv()
        install_packages(LOCKS / f"{wanted}.txt")
        STAMP.write_text(stamp_of(wanted), encoding="utf-8")


@contextmanager
def alone() -> Iterator[None]:
    """Let a second `make` in this checkout wait, which would install into the same `.venv`."""
    descriptor = os.open(LOCKS, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a network's file system may have no such locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def stamp_of(name: str) -> str:
    """Name a set and what its lock file says, so that a changed lock is noticed."""
    digest = hashlib.sha256((LOCKS / f"{name}.txt").read_bytes()).hexdigest()
    return f"{name} {digest}"


def is_installed(wanted: str) -> bool:
    """Say whether this set, or a larger one, was installed completely."""
    if not STAMP.is_file():
        return False
    enough = SETS[SETS.index(wanted) :]
    return STAMP.read_text(encoding="utf-8") in {stamp_of(name) for name in enough}


def python_works() -> bool:
    """Say whether `.venv` has a Python that runs and is new enough."""
    if not PYTHON.exists():
        return False
    test = f"import sys; sys.exit(sys.version_info < {OLDEST})"
    return subprocess.run([PYTHON, "-c", test], capture_output=True, check=False).returncode == 0  # noqa: S603


def make_venv() -> None:
    """Make `.venv`, or make it anew when its Python or its pip is gone."""
    if sys.version_info < OLDEST:
        raise ProblemError(f"Faultbook needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")
    has_pip = [str(PYTHON), "-c", "import pip"]
    if python_works() and subprocess.run(has_pip, capture_output=True, check=False).returncode == 0:  # noqa: S603
        return
    if VENV.exists():
        shutil.rmtree(VENV)
    # Not .venv's own Python, which was just removed, but the one that it points to.
    made = run([str(Path(sys.executable).resolve()), "-m", "venv", str(VENV)])
    if made.returncode != 0:
        hint = "On Debian and Ubuntu, `apt install python3-venv` usually fixes this."
        raise ProblemError(f"Could not make the virtual environment .venv. {hint}\n{output_of(made)}")


def install_uv() -> None:
    """Install the pinned and hashed uv, which installs everything else in seconds."""
    done = run([*PIP_INSTALL, "-r", str(LOCKS / "uv.txt")])
    if done.returncode != 0:
        raise ProblemError(f"Could not install uv; is the package index within reach?\n{output_of(done)}")


def install_packages(lock: Path) -> None:
    """Make `.venv` hold exactly what the lock file says; fall back on pip where uv cannot reach the index."""
    uv = [str(VENV / "bin" / "uv"), "pip", "sync", "--quiet", "--python", str(PYTHON)]
    done = run([*uv, "--require-hashes", "--no-build", "--compile-bytecode", str(lock)], env=index_settings())
    if done.returncode == 0:
        return
    say("uv could not, trying pip ...", end=" ")
    again = run([*PIP_INSTALL, "-r", str(lock)])
    if again.returncode != 0:
        raise ProblemError(f"Could not install the packages in requirements/{lock.name}.\n{output_of(again)}")


def index_settings() -> dict[str, str]:
    """Tell uv which index and which certificates pip is configured for, unless uv was told of its own."""
    env = dict(os.environ)
    for line in run([*PIP, "config", "list"]).stdout.splitlines():
        key, _, value = line.partition("=")
        variable = UV_NAMES.get(key.rpartition(".")[2])
        if variable and variable not in os.environ:
            env[variable] = value.strip("'\"")
    return env


def run(command: list[str], env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run one command quietly and keep what it says, in case it fails."""
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the end of what a command said."""
    return "\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-12:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
