"""Public ids of faults, such as `FB-000860`: what they look like. The database assigns and keeps them."""

import re
from collections.abc import Iterable

PREFIX = "FB-"
# Six digits: the reference set, numbered in its files. Twelve hexadecimal ones: made by a server out of an address.
PATTERN = r"FB-(?:\d{6}|[0-9a-f]{12})"
TYPED = re.compile(r"\s*FB-(?:(\d{1,6})|([0-9a-f]{12}))\s*", re.IGNORECASE | re.ASCII)


def public_id_of(text: str) -> str | None:
    """The id that is meant, in its one spelling: `fb-860` is `FB-000860`. None for any other text."""
    match = TYPED.fullmatch(text)
    if match is None:
        return None
    number, made = match.groups()
    return f"{PREFIX}{number.zfill(6)}" if number else f"{PREFIX}{made.lower()}"


def next_public_id(taken: Iterable[str]) -> str:
    """The next number of the reference set: one more than the highest, as no id is ever given twice."""
    numbers = (int(text.removeprefix(PREFIX)) for text in taken if len(text) == len(PREFIX) + 6)
    return f"{PREFIX}{max(numbers, default=0) + 1:06}"
