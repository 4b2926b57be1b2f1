"""Words by which a pull request says which issues it closes. Pure."""

import re

# GitHub's "Linking a pull request to an issue using a keyword".
CLOSES = r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
MOST_READ = 20_000


def says_it_closes(text: str, *, repository: str) -> set[str]:
    """The numbers, or on Gitee codes, of this repository's issues that a pull request's text says it closes.

    A word that merely looks like a code may be among them.
    """
    name = re.escape(repository)
    target = rf"(?:#|{name}#|https?://[\w.:-]+/{name}/issues/)([0-9]{{1,9}}|I[0-9A-Z]{{3,12}})\b"
    return {ref.upper() for ref in re.findall(CLOSES + target, text[:MOST_READ], re.IGNORECASE)}
