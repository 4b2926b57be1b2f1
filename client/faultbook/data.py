"""Where the data file is that answers come from: the one that came with the package, or a renewed one of the user's."""

import os
from pathlib import Path

NAME = "faultbook-client.json.zst"
SHIPPED = Path(__file__).with_name(NAME)


def folder() -> Path:
    """The user's folder for it: `FAULTBOOK_DATA`, or the usual place of programs' data."""
    if named := os.environ.get("FAULTBOOK_DATA"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "faultbook"


def renewed() -> Path:
    """Where a renewed one is put."""
    return folder() / NAME
