"""SQL files as operations of migrations. What stands in them is what Django cannot express of the tables."""

import re
from pathlib import Path

from django.db.migrations import RunSQL

SQL = Path(__file__).with_name("sql")
MADE = re.compile(r"^CREATE (FUNCTION|VIEW|STATISTICS|SEQUENCE) (\w+)", re.MULTILINE)


def run_file(path: Path) -> RunSQL:
    """Runs the file; on the way back, drops what it creates, the last first, with the triggers that call it."""
    text = path.read_text(encoding="utf-8")
    return RunSQL(text, drop_all(text))


def drop_all(text: str) -> str:
    """Statements that drop the functions, views, statistics and sequences that `text` creates."""
    created = reversed(MADE.findall(text))
    return "\n".join(f"DROP {kind} {name}{'' if kind == 'STATISTICS' else ' CASCADE'};" for kind, name in created)
