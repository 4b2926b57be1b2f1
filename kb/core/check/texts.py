"""What is handed over for a check, as named texts: how much is taken, and how bytes become text."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from kb.core.setups.reading import MAX_CHARACTERS, MAX_LINES, MAX_TEXTS, line_count

# A request may hold so much: a character takes several bytes, and a form has more than its texts.
LARGEST = 2 * MAX_CHARACTERS
TOO_LONG = "More than 1 MB of text. Give only package lists, configurations and commands."
# Nothing of a set-up stands there.
SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})
NamedText = tuple[str, str]


class NotCheckedError(Exception):
    """Nothing can be checked; the message says why and what to do."""


class TooMuchError(NotCheckedError):
    """More than is taken."""


def text_of(content: bytes) -> str | None:
    """The text of these bytes; None where they are none."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    return None if b"\0" in content else content.decode("utf-8-sig", errors="replace")


def limited(texts: Iterable[NamedText]) -> list[NamedText]:
    """The texts that have something in them. Raises `NotCheckedError`."""
    kept = [(name, text) for name, text in texts if text.strip()]
    if not kept:
        raise NotCheckedError(
            "There is nothing to check. Give a list of packages, a configuration, or a launch command."
        )
    if len(kept) > MAX_TEXTS:
        raise TooMuchError(f"More than {MAX_TEXTS} files. Give only package lists, configurations and commands.")
    if sum(len(text) for _, text in kept) > MAX_CHARACTERS:
        raise TooMuchError(TOO_LONG)
    if line_count(kept) > MAX_LINES:
        raise TooMuchError(f"More than {MAX_LINES:,} lines. Give only package lists, configurations and commands.")
    return kept


def texts_at(paths: Sequence[Path]) -> list[NamedText]:
    """The texts of these files and folders, named as they are within them. Raises `NotCheckedError`, `OSError`."""
    texts: list[NamedText] = []
    for path in paths:
        if not path.exists():
            raise NotCheckedError(f"{path} does not exist.")
        for file in sorted(_files(path)):
            name = str(file.relative_to(path)) if path.is_dir() else str(path)
            if file.stat().st_size <= MAX_CHARACTERS and (text := text_of(file.read_bytes())) is not None:
                texts.append((name, text))
            elif path.is_file():
                raise NotCheckedError(f"{path} is no text of at most 1 MB.")
    return limited(texts)


def _files(path: Path) -> Iterable[Path]:
    if path.is_file():
        return [path]
    inside = ((file, file.relative_to(path).parts) for file in path.rglob("*") if file.is_file())
    return [file for file, parts in inside if not any(map(_is_skipped, parts))]


def _is_skipped(part: str) -> bool:
    return part in SKIPPED_FOLDERS or (part.startswith(".") and part != ".env")
