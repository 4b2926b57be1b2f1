"""The words of others on their way to a model: on one line, without what no reader sees, cut where they are long.

Whoever writes an issue or a log may write instructions into it. These stay in fields called `untrusted_…`; here hidden
characters are removed, so that nobody reads what a person could not have seen.
"""

import re
import unicodedata

# Colours and other commands to a terminal, and comments that Markdown does not show.
TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]P^_X]|\x9d)[^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# Format characters (bidi, zero width, the tags block), control, private, unassigned and half characters.
HIDDEN = frozenset({"Cf", "Cc", "Co", "Cn", "Cs"})
# Blank letters, joiners and variation selectors, which can carry text that nobody sees.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
ELLIPSIS = " …"
# What is hidden may be longer than what is shown; beyond so many times the length nothing is read.
READ_AHEAD = 8


def shown(text: str, most: int) -> str:
    """The beginning of the text as a reader would see it, on one line, at most `most` characters."""
    visible = BLANK.sub("", COMMENT.sub(" ", TERMINAL.sub("", text[: READ_AHEAD * most])))
    line = " ".join("".join(map(_visible, visible)).split())
    if len(line) <= most and len(text) <= READ_AHEAD * most:
        return line
    return shortened(line, most)


def shortened(line: str, most: int) -> str:
    """The beginning of a line, cut between words, with an ellipsis."""
    room = max(0, most - len(ELLIPSIS))
    kept = line[:room]
    return (kept.rpartition(" ")[0] or kept if len(line) > room else kept) + ELLIPSIS


def _visible(character: str) -> str:
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in HIDDEN else character
