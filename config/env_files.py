"""Where settings are read from beside the environment, also for what runs before Django is loaded, or without it."""

from os import environ as env
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.get("FAULTBOOK_DATA") or BASE_DIR / ".data").expanduser()
ENV_FILES = (BASE_DIR / ".env", DATA_DIR / "run.env")


def is_set_up() -> bool:
    """Whether there may be settings at all: without a secret key Django refuses to start."""
    return bool(env.get("SECRET_KEY")) or any(file.is_file() for file in ENV_FILES)
