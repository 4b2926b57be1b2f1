"""Single fields of what hosts send, read so that nothing careless in them raises or breaks the database. Pure."""

import datetime as dt
from urllib.parse import urlsplit

from ingest.hosts.values import clean_text, parse_moment

# GitHub's own limit is 65,536 characters; more is somebody else's server.
MOST_TEXT = 256 * 1024
MOST_NAME = 80
MOST_ADDRESS = 300
MOST_COUNT = 2**31 - 1


class UnreadableError(ValueError):
    """The object is not what it should be; the message says why."""


def label_names(value: object) -> list[str]:
    """Labels' names, in the host's order; labels may be objects or plain names."""
    found = value if isinstance(value, list) else []
    names = [text(label.get("name") if isinstance(label, dict) else label) for label in found]
    return [name for name in names if name]


def login(value: object) -> str:
    """A person's login; empty for an account that is gone."""
    return text(value.get("login"))[:MOST_NAME] if isinstance(value, dict) else ""


def text(value: object) -> str:
    """A text that Postgres can hold; empty for anything else."""
    return clean_text(value) if isinstance(value, str) else ""


def path_parts(value: object) -> list[str]:
    """The parts of an address's path; none for anything else."""
    try:
        return [part for part in urlsplit(text(value)).path.split("/") if part]
    except ValueError:
        return []


def count(value: object) -> int:
    """A count; 0 for anything else."""
    return min(value, MOST_COUNT) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def moment(value: object) -> dt.datetime | None:
    """A moment; None for anything else."""
    try:
        return parse_moment(value) if isinstance(value, str) and value else None
    except ValueError:
        return None
