"""Secrets that only the words before them tell: `password=...`, `"api_key": "..."`, `Authorization: Bearer ...`.

A bare value ends where the next name could begin, so that no part of a text is looked at by two names.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kb.core.secrets.kinds import Finder, Kind, Span
from kb.core.secrets.values import (
    RATHER_RANDOM,
    is_key,
    is_mixed,
    is_password,
    is_random,
    is_secret,
    is_stand_in,
    is_token,
)

# Between a name and its value: quotes and brackets that end the name, a type, the sign itself.
BETWEEN = (
    r"\d?(?:\\?[\"'`*\])]){0,3}[ \t]{0,4}(?::[ \t]?(?:str|string|SecretStr|Optional\[str\])[ \t]?=|:=|=>|={1,2}|[:：])"
    r"[ \t*`]{0,4}"
)
QUOTED = r"\[?[fFrRbBuU]?(?P<quote>\\?[\"'])(?P<quoted>[^\"'\\\n]++)(?P=quote)"
BARE = r"(?P<bare>[^\s\"'`<>,;:=&|(){}\[\]\\]++={0,2})"
VALUE = re.compile(f"{BETWEEN}(?:{QUOTED}|{BARE})")
# On a command line a blank is enough.
OPTION = re.compile(rf"[ \t]{{1,4}}(?:{QUOTED}|{BARE})")
NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
MOST_NAME = 40

PASSWORD = re.compile(r"passw(?:or)?d|passwort|pwd", re.IGNORECASE)
API_KEY = re.compile(r"api[ _-]?key", re.IGNORECASE)
SECRET = re.compile(r"secret(?:[_-]?(?:access[_-]?)?(?:key|token))?|_key", re.IGNORECASE)
TOKEN = re.compile(r"-?token", re.IGNORECASE)
SIGNATURE = re.compile(r"(?<=[?&;])sig=(?P<bare>[A-Za-z0-9%+/=_-]{40,}+)")
AZURE_KEY = re.compile(r"(?:(?<=Account)|(?<=Access))Key=(?P<bare>[A-Za-z0-9+/]{40,}+={0,2})")
BEARER = re.compile(r"bearer[ \t]{1,4}(?P<bare>[A-Za-z0-9_.~+/-]{16,}+={0,2})", re.IGNORECASE)
AUTHORIZATION = re.compile(
    r"authorization(?:\\?[\"'`\])]){0,3}[ \t]{0,4}[:=,][ \t]{0,4}(?:\\?[\"'`]){0,2}"
    r"(?:(?:bearer|token|basic|bot|apikey|digest)[ \t]{1,4})?(?P<bare>[A-Za-z0-9_.~+/-]{8,}+={0,2})",
    re.IGNORECASE,
)
# Whether a value is one to hide, and whether it stands between quotes.
Check = Callable[[str, bool], bool]


def finders() -> Iterator[Finder]:
    """The finders of this module. Their signs are names in the spellings that people use."""
    password = partial(_named, PASSWORD, Kind.PASSWORD, lambda value, quoted: is_password(value, is_quoted=quoted))
    key = partial(_named, API_KEY, Kind.SECRET, lambda value, quoted: is_key(value, is_quoted=quoted))
    secret = partial(_named, SECRET, Kind.SECRET, lambda value, _: is_secret(value))
    token = partial(_named, TOKEN, Kind.SECRET, lambda value, _: is_token(value))
    yield Finder(("passw", "Passw", "PASSW", "pwd=", "Pwd=", 'pwd"'), password)
    yield Finder(("api_key", "API_KEY", "apikey", "apiKey", "ApiKey", "api-key", "API-K", "API key"), key)
    yield Finder(("secret", "Secret", "SECRET", "_KEY"), secret)
    # The word alone is in every second text about language models: what follows is a part of the sign.
    yield Finder(("token=", "token:", 'token"', "token'", "token =", "TOKEN", "Token:", 'Token"', "-token "), token)
    yield Finder(("sig=",), partial(_plain, SIGNATURE, Kind.AZURE, is_mixed))
    yield Finder(("Key=",), partial(_plain, AZURE_KEY, Kind.AZURE, is_mixed))
    yield Finder(("bearer ", "Bearer "), partial(_plain, BEARER, Kind.AUTHORIZATION, _is_credential))
    yield Finder(("authorization", "Authorization"), partial(_plain, AUTHORIZATION, Kind.AUTHORIZATION, _is_credential))


def _named(name: re.Pattern[str], kind: Kind, is_secret: Check, text: str, places: Sequence[int]) -> list[Span]:
    """The values of the names that begin at these places."""
    spans: list[Span] = []
    for place in places:
        key = name.match(text, place)
        if key is None:
            continue
        value = VALUE.match(text, key.end())
        if value is None and _is_option(text, place):
            value = OPTION.match(text, key.end())
        if value is not None:
            group = "bare" if value["quoted"] is None else "quoted"
            if is_secret(value[group], group == "quoted"):
                spans.append(Span(*value.span(group), kind))
    return spans


def _is_option(text: str, place: int) -> bool:
    """Whether the word around this place begins with a dash."""
    before = text[max(0, place - MOST_NAME) : place]
    return before[len(before.rstrip(NAME)) :].startswith("-")


def _plain(
    pattern: re.Pattern[str], kind: Kind, is_secret: Callable[[str], bool], text: str, places: Sequence[int]
) -> list[Span]:
    """What the pattern calls `bare`, from these places on."""
    matches = [pattern.match(text, place) for place in places]
    return [Span(*match.span("bare"), kind) for match in matches if match and is_secret(match["bare"])]


def _is_credential(value: str) -> bool:
    return not is_stand_in(value) and (is_random(value, RATHER_RANDOM) or value.endswith("="))
