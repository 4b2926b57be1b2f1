#!/usr/bin/env python3
"""Django's command line, in the environment that `make` installs. See `make help` for the everyday commands."""

import os
import sys
from pathlib import Path
from traceback import extract_tb

INSTALLED = Path(__file__).with_name(".venv") / "bin" / "python"


def main() -> None:
    """Run the command named on the command line."""
    if sys.prefix == sys.base_prefix and INSTALLED.exists():
        os.execv(INSTALLED, [str(INSTALLED), *sys.argv])  # noqa: S606 no shell is wanted
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit("Faultbook's packages are not installed. Run “make up” once.")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}. Run “make up” once, which sets it, or copy .env.example to .env and fill it in.")
    except Exception as error:
        if sys.argv[1:] != ["check"]:
            raise
        sys.exit(f"{mistake(error)}\n`./manage.py check --traceback` shows how Python came there.")


def mistake(error: Exception) -> str:
    """What Python says of a mistake in the code, with the line of ours where it stands."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    root = INSTALLED.parents[2]
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename.startswith(str(root))]
    ours = [frame for frame in frames if ".venv" not in frame.filename][-1]
    return f"{Path(ours.filename).relative_to(root)}:{ours.lineno}: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
