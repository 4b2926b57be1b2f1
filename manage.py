#!/usr/bin/env python3
"""Django's command line, in the environment that `make` installs. See `make help` for the everyday commands."""

import os
import sys
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.core.diagnosis.schema import DiagnosisData
    from kb.core.setups.facts import Setup

INSTALLED = Path(__file__).with_name(".venv") / "bin" / "python"
NOT_INSTALLED = "Faultbook's packages are not installed. Run “make up” once."


def main() -> None:
    """Run the command named on the command line."""
    if sys.prefix == sys.base_prefix and INSTALLED.exists():
        os.execv(INSTALLED, [str(INSTALLED), *sys.argv])  # noqa: S606 no shell is wanted
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        if sys.argv[1:2] == ["diagnose"]:
            sys.exit(diagnose())
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
    except ModuleNotFoundError:
        sys.exit(NOT_INSTALLED)
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{error}. Run “make up” once, which sets it, or copy .env.example to .env and fill it in.")
    except Exception as error:
        if sys.argv[1:] != ["check"]:
            raise
        sys.exit(f"{mistake(error)}\n`./manage.py check --traceback` shows how Python came there.")


def diagnose() -> int:
    """Diagnose a log. Django, which takes several times as long to load, is loaded to ask the knowledge base."""
    from config.env_files import is_set_up
    from kb.core.diagnosis.command import main

    return main(sys.argv[2:], with_known if is_set_up() else None)


def with_known(data: "DiagnosisData", setup: "Setup") -> "DiagnosisData":
    """The data of a diagnosis with what the knowledge base knows."""
    import django
    from django.core.exceptions import ImproperlyConfigured

    from kb.core.diagnosis.command import NOT_SET_UP
    from kb.core.diagnosis.pipeline import without_known

    try:
        django.setup()
    except ImproperlyConfigured:
        return without_known(data, NOT_SET_UP)
    from kb.diagnose.knowledge import with_known_at_terminal

    return with_known_at_terminal(data, setup)


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
