"""The express lane: while the wait for a turn is long, pages that were good a moment ago are answered beside the turns.

It knows which requests `pages` answered with a kept page, and for how long such a page may be sent unchecked. What is
in the page, it does not know.
"""

import time
from collections import OrderedDict
from typing import Any

# In a crowd a page may be so old, whatever has changed: a mirror may write for minutes.
CROWD_SECONDS = 10
# Who sends one of these may be answered in another way than others, and gets no kept page. If-None-Match is answered.
PERSONAL = ("Cookie", "Authorization", "Range", "Cache-Control", "Origin", "HX-Request")
# Set by the front in a request's environment: a function that takes for how many seconds the kept page is good.
NOTE_KEPT = "faultbook.note_kept"
# Set by the front in a request's environment: it takes the lane, so its page is answered as it is kept.
EXPRESS = "faultbook.express"
# Where the wait for a turn is shorter, another thread would only slow down the others.
LONG_WAIT = 0.2
# Requests that are remembered; the oldest are forgotten first.
REMEMBERED = 1_000
# So many wait for the lane's one thread at most; further ones wait for a turn like all others.
MOST_WAITING = 20
_PERSONAL = frozenset(name.lower().encode() for name in PERSONAL)

Key = tuple[str, bytes, bytes]


class ExpressLane:
    """The requests that may take it, until when, and how many of them are under way."""

    def __init__(self) -> None:
        self.waiting = 0
        self._until: OrderedDict[Key, float] = OrderedDict()

    def note(self, key: Key, seconds: float) -> None:
        """This was answered with a kept page that is good for so long; called in threads."""
        self._until[key] = time.monotonic() + seconds
        if len(self._until) > REMEMBERED:
            self._until.popitem(last=False)

    def takes(self, key: Key | None) -> bool:
        """Whether the request may pass those who wait for a turn."""
        return key is not None and self.waiting < MOST_WAITING and self._until.get(key, 0) > time.monotonic()


def request_key(scope: dict[str, Any]) -> Key | None:
    """Path, query and accepted encodings of a request that says nothing of who asks; None for any other."""
    headers = dict(scope["headers"])
    if scope["method"] != "GET" or not _PERSONAL.isdisjoint(headers):
        return None
    return scope["path"], scope["query_string"], headers.get(b"accept-encoding", b"")
