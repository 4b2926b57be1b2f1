"""A module of filters or search that calls itself pure can be imported where there is no Django."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from config.embedded.layout import ROOT

PROGRAM = """
import importlib, sys
sys.modules["django"] = None
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def pure_modules() -> list[str]:
    names = []
    for room in ("kb/filters", "kb/search"):
        for path in sorted(Path(ROOT, room).rglob("*.py")):
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            if re.search(r"\bpure\b", docstring, re.IGNORECASE):
                names.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    return names


def test_what_calls_itself_pure_knows_no_django() -> None:
    names = pure_modules()
    assert names == ["kb.filters.lookup", "kb.filters.values"]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
