"""Tells secrets from what people write in their place.

A machine's secret changes between small letters, capitals and digits all the time; names and words hardly ever do.
"""

import re

# Changes of class between neighbours: small letter, capital, digit.
FLIP = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
PAIR = re.compile(r"[A-Za-z0-9](?=[A-Za-z0-9])")
DIGIT, LETTER, SIGN = re.compile(r"[0-9]"), re.compile(r"[A-Za-z]"), re.compile(r"[^A-Za-z0-9_./\s-]")
# A stand-in wherever it stands in a value ...
STAND_IN = re.compile(
    r"xxx|\*\*|\.\.\.|…|your|example|placeholder|redacted|removed|masked|hidden|dummy|change_?-?me|replace|insert"
    r"|abc123|abcdef|passw|passphrase|secret|token|api_?-?key|environ|getenv|process\.env|none|null|<|>|\$|\{|\}",
    re.IGNORECASE,
)
# ... or as one of its words.
STAND_IN_WORD = re.compile(
    r"(?<![a-z0-9])(?:my|the|test|testing|demo|fake|sample|foo|bar|baz|todo|empty|true|false|string|str|key|user|admin"
    r"|default|unset|undefined|pwd|pass|args?|config|self|settings|os|env|var|vars)(?![a-z0-9])",
    re.IGNORECASE,
)
# ... or as the whole of it.
STAND_IN_WHOLE = re.compile(r"(?:[a-z]{1,4}[-_])?(?:abc|xyz)?12?345?6?7?8?9?0?(?:abc|xyz)?", re.IGNORECASE)
# The same where people have words of their own for a stand-in: the password in an address.
STAND_IN_PASSWORD = re.compile(
    r"(?i:p|pw|pwd|pass(?:w(?:or)?d|wort|phrase)?|secret|token|user(?:name)?|key|x+|y+|z+)\d?"
)
CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
SHORTEST_PASSWORD, SHORTEST_KEY, SHORTEST_SECRET, SHORTEST_TOKEN = 6, 8, 12, 20
FEWEST_DIFFERENT = 8
# Changes per pair of neighbours: random letters and digits have about 0.6, hexadecimal ones 0.47, CamelCase 0.3.
RANDOM, RATHER_RANDOM = 0.33, 0.2


def is_varied(body: str) -> bool:
    """Whether there are enough different characters, so that it is no row of x."""
    return len(set(body)) >= FEWEST_DIFFERENT


def is_mixed_case(body: str) -> bool:
    """Whether there are capitals and small letters, and enough different ones."""
    return is_varied(body) and body != body.lower() and body != body.upper()


def is_random(body: str, share: float = RANDOM) -> bool:
    """Whether letters and digits change as often as only a machine's do."""
    pairs = len(PAIR.findall(body))
    return bool(pairs) and is_mixed(body) and is_varied(body) and len(FLIP.findall(body)) >= share * pairs


def is_mixed(body: str) -> bool:
    """Whether it has both letters and digits."""
    return DIGIT.search(body) is not None and LETTER.search(body) is not None


def is_stand_in(value: str) -> bool:
    """Whether it stands for a secret that the reader is to put there."""
    return bool(STAND_IN.search(value) or STAND_IN_WORD.search(value) or STAND_IN_WHOLE.fullmatch(value))


def is_token(value: str) -> bool:
    """Whether it may be a secret behind “token=”, where language models have tokens of another sort."""
    return len(value) >= SHORTEST_TOKEN and " " not in value and not is_stand_in(value) and is_random(value)


def is_key(value: str, *, is_quoted: bool) -> bool:
    """Whether it may be a secret behind “api_key=”: a machine's, or one that somebody thought of for a server."""
    return len(value) >= SHORTEST_KEY and is_mixed(value) and is_password(value, is_quoted=is_quoted)


def is_secret(value: str) -> bool:
    """Whether it may be a secret behind “secret:” or “..._KEY=”."""
    if len(value) < SHORTEST_SECRET or " " in value or is_stand_in(value):
        return False
    return is_random(value, RATHER_RANDOM) and not is_place(value)


def is_password(value: str, *, is_quoted: bool) -> bool:
    """Whether it may be a password behind “password=”: people's own, so that it need not be random."""
    if len(value) < SHORTEST_PASSWORD or " " in value or is_stand_in(value) or is_place(value):
        return False
    if not is_quoted and CODE.fullmatch(value):
        return False
    return LETTER.search(value) is not None and (DIGIT.search(value) or SIGN.search(value)) is not None


def is_url_password(value: str) -> bool:
    """Whether it may be a secret between colon and @ in an address, where nothing but a password can stand."""
    return len(value) > 2 and not STAND_IN_PASSWORD.fullmatch(value) and not is_shown_as_hidden(value)


def is_shown_as_hidden(value: str) -> bool:
    """Whether it is a blank to fill in, a variable, or hidden already."""
    return value[0] in "<[{$%(*" or "xxx" in value.lower() or "***" in value or "your" in value.lower()


def is_place(value: str) -> bool:
    """Whether it is a path, or an address without a secret of its own."""
    return value.startswith(("/", "./", "../", "~", "http://", "https://", "\\")) or value[1:3] in (":\\", ":/")
