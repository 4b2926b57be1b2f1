"""Words by which a pull request says which issues it closes. Pure."""

import re

# GitHub's "Linking a pull request to an issue using a keyword".
CLOSES = r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
MOST_READ = 20_000
# Without one of each no word is followed by an issue: looking for these is many times quicker.
WORDS, SIGNS = ("clos", "fix", "resolv"), ("#", "/issues/")


def says_it_closes(text: str, *, repository: str) -> set[str]:
    """The numbers, or on Gitee codes, of this repository's issues that a pull request's text says it closes.

    A word that merely looks like a code may be among them.
    """
    text = text[:MOST_READ]
    lowered = text.lower()
    if not (any(word in lowered for word in WORDS) and any(sign in lowered for sign in SIGNS)):
        return set()
    name = re.escape(repository)
    target = rf"(?:#|{name}#|https?://[\w.:-]+/{name}/issues/)([0-9]{{1,9}}|I[0-9A-Z]{{3,12}})\b"
    return {ref.upper() for ref in re.findall(CLOSES + target, text, re.IGNORECASE)}
