"""Words by which a pull request says which issues it closes. Pure."""

import re

# GitHub's "Linking a pull request to an issue using a keyword".
CLOSES = r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
MOST_READ = 20_000


def says_it_closes(text: str, *, repository: str) -> set[str]:
    """The numbers of this repository's issues that a pull request's text says it closes."""
    name = re.escape(repository)
    target = rf"(?:#|{name}#|https?://[\w.:-]+/{name}/issues/)([0-9]{{1,9}})\b"
    return set(re.findall(CLOSES + target, text[:MOST_READ], re.IGNORECASE))
