"""The searches that are timed, out of `search_questions.txt`."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Question:
    """A search: words as they are typed, and filters."""

    words: str
    filters: tuple[tuple[str, str], ...]

    @property
    def address(self) -> str:
        """The query string of an address."""
        return urlencode([("q", self.words), *self.filters])


def questions() -> list[Question]:
    """All of them, in the file's order."""
    lines = (HERE / "search_questions.txt").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            words, _, filters = line.partition("|")
            found.append(Question(words.strip(), tuple(parse_qsl(filters.strip()))))
    return found
