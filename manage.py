#!/usr/bin/env python3
"""Django's command line, in the environment that `make` installs. See `make help` for the everyday commands."""

import os
import sys
from pathlib import Path

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


if __name__ == "__main__":
    main()
