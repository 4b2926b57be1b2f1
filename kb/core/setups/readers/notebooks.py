"""Notebooks: the code of their cells as one script, and the lines of it that are no Python."""

import json
import re

MAGIC = re.compile(r"^[ \t]{0,40}[!%][^\n]*$", re.MULTILINE)


VARIABLE = re.compile(r"^([ \t]{0,40})%(?:set_)?env[ \t]+(\w{1,80})[ =][ \t]*([^\n\"\\]{1,300})$", re.MULTILINE)


def without_magics(text: str) -> str:
    """A script of which each line is Python: variables that `%env` sets are set, other magics pass."""
    return MAGIC.sub("pass", VARIABLE.sub(r'\1os.environ["\2"] = "\3"', text))


def magics_of(text: str) -> list[str]:
    """The lines with IPython's magics and shell commands, each in its place; the others are empty."""
    return [line.lstrip(" \t!%") if MAGIC.fullmatch(line) else "" for line in text.split("\n")]


def code_of(text: str) -> str:
    """The code cells of a notebook as one script; empty where the text is no notebook."""
    if not text.lstrip().startswith("{") or '"cells"' not in text:
        return ""
    try:
        cells = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return "\n".join(source if isinstance(source, str) else "".join(source) for source in sources)
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
