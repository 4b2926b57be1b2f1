"""Makes `.venv` and installs the locked, hashed packages into it.

Runs on a bare Python before anything is installed, so it imports the standard library only. Which packages
is said by the lock files in `requirements/`, not here.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from config.embedded.progress import Problem, Step, say, step

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".installed"
LOCKS = ROOT / "requirements"
OLDEST = (3, 11)
# Every set holds the sets before it, at the same versions.
SETS = ("embedded", "dev")


def main(arguments: list[str]) -> int:
    """Install the set named on the command line: `embedded` (to run) or `dev` (to test as well)."""
    wanted = arguments[0] if arguments else SETS[0]
    try:
        with step(1, "Installing the Python packages") as current:
            install(wanted, current)
    except Problem as problem:
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
    if python_works() and is_installed(wanted):
        current.note = "already there"
        return
    make_venv()
    STAMP.unlink(missing_ok=True)
    install_uv()
    install_packages(LOCKS / f"{wanted}.txt")
    STAMP.write_text(stamp_of(wanted), encoding="utf-8")


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
        raise Problem(f"Faultbook needs Python 3.11 or newer; this is Python {sys.version.split()[0]}.")
    has_pip = [PYTHON, "-c", "import pip"]
    if python_works() and subprocess.run(has_pip, capture_output=True, check=False).returncode == 0:  # noqa: S603
        return
    if VENV.exists():
        shutil.rmtree(VENV)
    made = run([sys.executable, "-m", "venv", VENV])
    if made.returncode != 0:
        hint = "On Debian and Ubuntu, `apt install python3-venv` usually mends this."
        raise Problem(f"Could not make the virtual environment .venv. {hint}\n{output_of(made)}")


def install_uv() -> None:
    """Install the pinned and hashed uv, which installs everything else in seconds."""
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", LOCKS / "uv.txt"])
    if done.returncode != 0:
        raise Problem(f"Could not install uv; is the package index within reach?\n{output_of(done)}")


def install_packages(lock: Path) -> None:
    """Make `.venv` hold exactly what the lock file says; fall back on pip where uv cannot reach the index."""
    uv = [VENV / "bin" / "uv", "pip", "sync", "--quiet", "--python", PYTHON, "--require-hashes", "--no-build"]
    done = run([*uv, "--compile-bytecode", lock], env=index_settings())
    if done.returncode == 0:
        return
    say("uv could not, trying pip ...", end=" ")
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    again = run([*pip, "--require-hashes", "-r", lock])
    if again.returncode != 0:
        raise Problem(f"Could not install the packages in requirements/{lock.name}.\n{output_of(again)}")


def index_settings() -> dict[str, str]:
    """Tell uv the index that pip is configured for, since uv does not read pip's configuration."""
    env = dict(os.environ)
    if "UV_DEFAULT_INDEX" in env or "UV_INDEX_URL" in env:
        return env
    listed = run([PYTHON, "-m", "pip", "config", "list"]).stdout
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        if key.endswith(".index-url"):
            env["UV_DEFAULT_INDEX"] = value.strip("'\"")
    return env


def run(command: list[str | Path], env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run one command quietly and keep what it says, in case it fails."""
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return the end of what a command said."""
    return "\n".join(f"  {line}" for line in (done.stdout + done.stderr).strip().splitlines()[-12:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
