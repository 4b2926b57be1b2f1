"""Packages whose files are wanted and whose Python is not run: a wheel for another Python or machine, unpacked.

Each is pinned with its hashes in requirements/ and unpacked once, beside the checkout's data. What is done with
the files is said where they are used.
"""

import fcntl
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from config.embedded.install import LOCKS, VENV, index_settings
from config.embedded.layout import DEFAULT


class NotInstalledError(Exception):
    """It cannot be installed here; the message says why."""


@dataclass(frozen=True)
class Package:
    """`kept`: the folder that is wanted of it; `machine`: whose wheel is taken, this machine's where it is empty."""

    name: str
    kept: str
    machine: str = ""

    @property
    def lock(self) -> Path:
        """What is installed, with hashes."""
        return LOCKS / f"{self.name}.txt"


def installed(package: Package) -> Path:
    """The folder that the package lies in, after unpacking it where it is missing. Raises `NotInstalledError`."""
    folder = DEFAULT / package.name
    stamp = folder / ".installed"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_bytes() == package.lock.read_bytes():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(package, folder)
        stamp.write_bytes(package.lock.read_bytes())
    return folder


def _unpack(package: Package, folder: Path) -> None:
    machine = ["--python-platform", package.machine] if package.machine else []
    with tempfile.TemporaryDirectory() as whole:
        uv = [str(VENV / "bin" / "uv"), "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--no-build"]
        command = [*uv, "--python-version", "3.12", *machine, "--target", whole, "-r", str(package.lock)]
        done = subprocess.run(command, env=index_settings(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalledError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "uv failed")
        shutil.copytree(Path(whole) / package.kept, folder / package.kept, symlinks=True)
