"""Words by which a pull request says which issues it closes. Pure."""

import re

MOST_READ = 20_000
# GitHub's "Linking a pull request to an issue using a keyword".
CLOSES = r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
WORDS = ("clos", "fix", "resolv")
# Looked for first: texts hold few of these, and what stands before one is quickly read.
TARGET = re.compile(r"(?:#|/issues/)([0-9]{1,9}|[Ii][0-9A-Za-z]{3,12})\b")
# As far back from a target as a word, blanks and a repository's address may reach.
REACH = 300


def says_it_closes(text: str, *, repository: str) -> set[str]:
    """The numbers, or on Gitee codes, of this repository's issues that a pull request's text says it closes.

    A word that merely looks like a code may be among them.
    """
    text = text[:MOST_READ]
    if not any(word in text.lower() for word in WORDS):
        return set()
    name = re.escape(repository)
    before = re.compile(rf"{CLOSES}(?:(?:{name})?#|https?://[\w.:-]+/{name}/issues/)\Z", re.IGNORECASE)
    return {
        target[1].upper()
        for target in TARGET.finditer(text)
        if before.search(text, max(0, target.start() - REACH), target.start(1))
    }
