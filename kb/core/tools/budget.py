"""How long an answer may be: its longest texts are shortened first, then the last rows of its longest list go."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from kb.core.tools.answers import Answer
from kb.core.tools.texts import shortened

# A token of English, JSON and addresses is three bytes or more. What is sent holds the answer twice: as text for
# clients that read nothing else, and as data.
BYTES_PER_TOKEN = 3
MOST_TOKENS, MOST_TOKENS_OF_MORE = 2_000, 8_000
AROUND = 260
LEAST_TEXT, LONG_TEXT = 60, 100
ASK_FOR_MORE = "Shortened. Ask again with more=true."
STILL_CUT = "Shortened: see the pages named here for the rest."

Data = dict[str, Any]


class _Place(NamedTuple):
    """A text and what holds it."""

    holder: Any
    key: Any
    text: str


def fitted(answer: Answer, *, more: bool) -> Data:
    """The answer as JSON values without what is empty, no longer than it may be; `left_out` says whether it was cut."""
    data: Data = answer.model_dump(mode="json", exclude_defaults=True)
    most = BYTES_PER_TOKEN * (MOST_TOKENS_OF_MORE if more else MOST_TOKENS) - AROUND
    if sent_size(data) <= most:
        return data
    data["left_out"] = " ".join(filter(None, (answer.left_out, STILL_CUT if more else ASK_FOR_MORE)))
    while (size := sent_size(data)) > most and _shorten(data, (size - most) // 2):
        answer.after_cut(data)
    return data


def sent_size(data: Data) -> int:
    """Bytes of the answer as it is sent."""
    plain = orjson.dumps(data)
    return len(plain) + len(orjson.dumps(plain.decode()))


def _shorten(data: Data, excess: int) -> bool:
    """Shorten the longest text, or drop the last row of the longest list; whether there was any."""
    texts = sorted(_texts(data), key=lambda place: len(place.text))
    rows = sorted((rows for rows in _lists(data) if len(rows) > 1), key=lambda rows: len(orjson.dumps(rows)))
    if texts and (not rows or len(texts[-1].text) > LONG_TEXT):
        holder, key, text = texts[-1]
        holder[key] = shortened(text, max(LEAST_TEXT, len(text) - excess, len(text) // 2))
    elif rows:
        rows[-1].pop()
    return bool(texts or rows)


def _texts(value: Any) -> Iterator[_Place]:
    """Every text that may be cut, with what holds it: not addresses, nor what says that something was cut."""
    places = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inside in places:
        if isinstance(inside, str):
            if key != "left_out" and len(inside) > LEAST_TEXT and not inside.startswith(("http", "faultbook:")):
                yield _Place(value, key, inside)
        else:
            yield from _texts(inside)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for inside in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
        yield from _lists(inside)
