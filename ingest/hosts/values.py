"""Single values of outside files: text that Postgres can hold, and moments in time.

Pure. Never raises anything but `ValueError`.
"""

import datetime as dt

EARLIEST, LATEST = 1970, 2200


def clean_text(text: str) -> str:
    """Return the text without NUL characters; halves of surrogate pairs are joined, or replaced when alone."""
    if "\0" in text:
        text = text.replace("\0", "")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def cell_text(value: object) -> str:
    """Return a cell as text: a missing value is blank, numbers and truth values are written out.

    Raises `ValueError` for a list or an object.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise ValueError(f"holds {'a list' if isinstance(value, list) else 'an object'} where one value is expected")


def parse_moment(text: str) -> dt.datetime:
    """Parse an ISO 8601 date or moment; without a zone it is taken as UTC. Raises `ValueError`."""
    moment = dt.datetime.fromisoformat(text.strip())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    if not EARLIEST <= moment.year < LATEST:
        raise ValueError("not between the years 1970 and 2200")
    return moment
