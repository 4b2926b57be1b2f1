"""What a record's texts tell a reader to do: the fix as an order, and code to copy. Pure."""

import re
from collections.abc import Sequence

FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)\n[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
# Code between backticks; or a setting without them, behind a verb that tells the reader to set it.
CODE = re.compile(
    r"`(?P<quoted>[^`\n]+)`|\b(?:[Ss]et|[Pp]ass|[Pp]assing|[Uu]se|[Aa]dd|[Ee]xport) "
    r"(?P<bare>[A-Za-z_][\w.]*=(?:\"[^\"\n]*\"|[\w:/+-]+(?:\.\w+)*))"
)
# A name alone is nothing to paste: a snippet has a value, an option, a call, or is a command of several words.
PASTED = re.compile(r"\w\s*[=:]\s*\S|[<>~!]=|(?:^|\s)--\w|\s-\w|\w\(.*\)$|^\S+\s+\S+\s+\S|^del ")
NOT_BEFORE = re.compile(
    r"\b(?:not|never|unless|without|no longer|instead of|rather than|leave out|leaving|removed?|drops?|use of)\W*$",
    re.IGNORECASE,
)
NOT_AFTER = re.compile(r"^\W*(?:(?:does|did|do) not|is not|no longer|fails?\b|did nothing)", re.IGNORECASE)
VERSION = re.compile(r"(?:(?P<product>[A-Za-z][\w.+-]*(?: [A-Za-z][\w.+-]*)*) )?v?(?P<number>\d[\w.+-]*)")


def snippets(text: str) -> tuple[str, ...]:
    """Settings, commands and code that a text tells to use, each once, in the text's order."""
    blocks = [match[2].strip("\n") for match in FENCED.finditer(text)]
    prose = FENCED.sub("", text)
    spans = [_snippet(prose, match) for match in CODE.finditer(prose)]
    return tuple(dict.fromkeys(code for code in (*blocks, *spans) if code.strip()))


def literal(sentence: str) -> str:
    """The first setting, command or code between backticks that can be pasted; empty where there is none."""
    return next((code for code in snippets(sentence) if f"`{code}`" in sentence), "")


def _snippet(text: str, match: re.Match[str]) -> str:
    """The match's code; empty where it is a mere name, or the text says not to use it."""
    code = (match["quoted"] or match["bare"]).strip()
    is_advised = not NOT_BEFORE.search(text[: match.start()]) and not NOT_AFTER.match(text[match.end() :])
    return code if is_advised and PASTED.search(code) else ""


def fix_order(product: str, *, fixed_version: str, fixes: Sequence[str]) -> str:
    """The fix in the imperative: which release to take, else which changes it must include; empty if neither is known.

    `product` is the framework's name; a version may name another product itself: `FlashInfer 0.6.15`.
    """
    version = VERSION.fullmatch(fixed_version.strip())
    if version:
        return f"Upgrade to {version['product'] or product} {version['number']} or later."
    if fixed_version:
        return f"Use a release with the fix: {fixed_version.strip().rstrip('.')}."
    if not fixes:
        return ""
    *others, last = fixes
    return f"Use a version that includes {', '.join(others)}{' and ' if others else ''}{last}."
