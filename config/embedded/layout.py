"""The data folder: what lies where in it, its secret, its settings file, and who holds it at the moment.

No process is started or stopped here.
"""

import fcntl
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from config.embedded.progress import ProblemError

ROOT = Path(__file__).resolve().parents[2]
DEFAULT = ROOT / ".data"


@dataclass(frozen=True)
class State:
    """The supervisor that holds the data folder, and the address once it serves."""

    pid: int
    created: float
    address: str = ""


@dataclass(frozen=True)
class Layout:
    """Where everything lies in one data folder."""

    data: Path

    @classmethod
    def locate(cls) -> "Layout":
        """Return the layout of the folder that FAULTBOOK_DATA names, or of `.data` in the checkout."""
        named = os.environ.get("FAULTBOOK_DATA", "")
        return cls((Path(named).expanduser() if named else DEFAULT).resolve())

    @property
    def postgres(self) -> Path:
        """The database's own folder."""
        return self.data / "postgres"

    @property
    def valkey(self) -> Path:
        """The broker's own folder."""
        return self.data / "valkey"

    @property
    def logs(self) -> Path:
        """One log per process."""
        return self.data / "logs"

    @property
    def static(self) -> Path:
        """The collected static files, unless STATIC_ROOT names another folder."""
        named = os.environ.get("STATIC_ROOT", "")
        return Path(named) if named else self.data / "static"

    @property
    def run_env(self) -> Path:
        """The settings that every command of manage.py reads while the servers run."""
        return self.data / "run.env"

    @property
    def lock(self) -> Path:
        """What the supervisor locks; the first file in the folder, so that it also says whose the folder is."""
        return self.data / "up.lock"

    def shown(self, path: Path) -> str:
        """Return a path as a person at the checkout would type it."""
        return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)

    def is_ours(self) -> bool:
        """Say whether the folder is Faultbook's, or empty, so that writing to it and wiping it is safe."""
        if not self.data.exists() or self.data == DEFAULT:
            return True
        return self.lock.is_file() or not any(self.data.iterdir())

    def create(self) -> None:
        """Make the folder, for this user's eyes only."""
        if self.data.exists() and not self.data.is_dir():
            raise ProblemError(f"The data folder {self.shown(self.data)} is a file. Set FAULTBOOK_DATA to a folder.")
        try:
            if not self.is_ours():
                raise ProblemError(f"{self.data} holds other things. Set FAULTBOOK_DATA to an empty folder.")
            self.data.mkdir(parents=True, exist_ok=True)
            if self.data.stat().st_mode & 0o007:
                self.data.chmod(0o700)
            self.lock.touch(mode=0o600)
            self.logs.mkdir(exist_ok=True)
        except PermissionError as error:
            raise ProblemError(self.not_allowed()) from error

    def not_allowed(self) -> str:
        """Say what to do about a data folder that belongs to somebody else."""
        return (
            f"The data folder {self.shown(self.data)} belongs to another user.\n"
            "Continue as that user, or set FAULTBOOK_DATA to a folder of your own."
        )

    def secret(self) -> str:
        """Return the secret key, made once per data folder."""
        path = self.data / "secret_key"
        if not path.is_file() or len(path.read_text(encoding="utf-8")) < 50:
            write_private(path, secrets.token_urlsafe(64))
        return path.read_text(encoding="utf-8").strip()

    def write_settings(self, values: dict[str, str]) -> None:
        """Write run.env, at once and completely, so that a crash leaves the old one or the new one."""
        lines = ["# Written at every start; put your own settings into .env instead."]
        write_private(self.run_env, "\n".join([*lines, *(f"{key}={value}" for key, value in values.items())]) + "\n")

    def read_state(self) -> State | None:
        """Return who holds the folder, as last written; it may be long gone."""
        try:
            return State(**json.loads((self.data / "up.json").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def write_state(self, state: State) -> None:
        """Write down who holds the folder and where it serves."""
        write_private(self.data / "up.json", json.dumps(asdict(state)))

    def forget_state(self) -> None:
        """Nobody holds the folder any more."""
        (self.data / "up.json").unlink(missing_ok=True)

    def wipe(self) -> None:
        """Delete everything in the folder; the folder itself may be a mount and stays."""
        if not self.is_ours():
            raise ProblemError(f"{self.data} does not look like a data folder of Faultbook; nothing was deleted.")
        # The lock goes last: as long as it is there nobody starts anew, and the folder is known as ours.
        for entry in sorted(self.data.iterdir(), key=lambda entry: entry == self.lock):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()


class Hold:
    """The right to run servers in a data folder: a lock that the kernel frees when its holder dies."""

    def __init__(self, layout: Layout) -> None:
        self.path = layout.lock
        self.layout = layout
        self.descriptor = -1

    def take(self) -> bool:
        """Take the folder; return whether it was free."""
        try:
            self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except PermissionError as error:
            raise ProblemError(self.layout.not_allowed()) from error
        try:
            # A record lock, unlike flock, is not handed down to forked children, which may outlive us.
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            self.release()
            return False
        if not self.is_in_place():
            self.release()
            return self.take()
        return True

    def is_in_place(self) -> bool:
        """Say whether what we locked is still in the folder, and not just deleted by a reset."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), self.path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let the folder go."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def write_private(path: Path, text: str) -> None:
    """Write a file for this user's eyes only, completely or not at all."""
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
