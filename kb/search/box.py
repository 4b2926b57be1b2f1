"""What the text in the search box is: an issue's name, words to search for, an error line, or a log.

What is done about it is the search page's; how words are read is `language`, how a log is read `kb.core.diagnosis`.
"""

import re
from enum import StrEnum

from kb.core.diagnosis.parsing.alarms import EXCEPTION
from kb.core.diagnosis.parsing.prefixes import ParsedPrefix, parse_prefix
from kb.core.search.language import Query
from kb.core.search.sections import names_error

# A text of so many lines is a log, whatever they say.
LEAST_LINES = 3
# A name and a colon begin many a sentence: these say by themselves that a program wrote the line.
OF_A_PROGRAM = frozenset({"pod", "container", "rank", "local", "gpu", "pid", "ip", "actor"})
LONGEST_PREFIXED = 4_096
TRACEBACK = re.compile(r"Traceback \(most recent call last\)|^\s*File \"[^\"]+\", line \d")
# A frame of a traceback ends with the function that it is in.
FRAME = re.compile(r'^[^\n]{0,200}File "[^"\n]{1,300}", line \d+, in (\w+)\s*$', re.MULTILINE)
EVERYWHERE = frozenset(
    {"main", "run", "wrapper", "wrapped", "inner", "decorate_context", "forward", "_call_impl", "_wrapped_call_impl"}
)
MOST_FUNCTIONS = 4
QUESTION = re.compile(
    r"(?:why|how|what|when|where|which|who|is|are|can|could|should|do|does|did|has|have|any|anyone)\b"
    r"|为什么|怎么|如何|请问|.*[?\N{FULLWIDTH QUESTION MARK}]\W*$",
    re.IGNORECASE,
)


class BoxKind(StrEnum):
    """What the box holds."""

    REFERENCE = "reference"
    WORDS = "words"
    ERROR = "error"
    LOG = "log"


def kind_of(query: Query) -> BoxKind:
    """What the query's text is. A question stays words, even one that quotes an error."""
    if query.reference:
        return BoxKind.REFERENCE
    lines = [line for line in query.words.split("\n") if line.strip()]
    if len(lines) >= LEAST_LINES:
        return BoxKind.LOG
    return BoxKind.ERROR if any(map(is_error_line, lines)) else BoxKind.WORDS


def is_error_line(line: str) -> bool:
    """Did a program write this line: has it a log's prefix, or does it name an error?"""
    prefix = parse_prefix(line[:LONGEST_PREFIXED])
    if _is_of_a_log(prefix) or EXCEPTION.match(prefix.text) or TRACEBACK.search(line):
        return True
    return names_error(line) and not QUESTION.match(line.strip())


def innermost_functions(text: str) -> list[str]:
    """The functions in which a traceback ends, the innermost first, without those that stand in most tracebacks."""
    names = [name for name in FRAME.findall(text) if name not in EVERYWHERE]
    return list(dict.fromkeys(reversed(names)))[:MOST_FUNCTIONS]


def _is_of_a_log(prefix: ParsedPrefix) -> bool:
    shape = prefix.shape
    return bool(shape.time or prefix.level or OF_A_PROGRAM.intersection(shape.fields)) or "torchrun" in shape.parts
