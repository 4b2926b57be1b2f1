"""Which requests need no turn: those for a page that was kept a moment ago. They are a hint, never an answer.

`pages` tells which of them it answered with a kept page; it also looks again whether the page is still good.
"""

import time
from collections import OrderedDict
from typing import Any

# In a crowd a page may be so old, whatever has changed: a mirror may write for minutes.
CROWD_SECONDS = 10
# Who sends one of these may be answered in another way than others, and gets no kept page. If-None-Match is answered.
PERSONAL = ("Cookie", "Authorization", "Range", "Cache-Control", "Origin", "HX-Request")
# Set by the front in a request's environment: a function to call where the page is kept.
NOTE_KEPT = "faultbook.note_kept"
# Where the wait for a turn is shorter, a thread more would only slow down the others.
LONG_WAIT = 0.2
# Addresses that are remembered; the oldest are forgotten first.
REMEMBERED = 1_000
# So many wait for the one thread at most; further ones wait for a turn like all others.
MOST_WAITING = 20
_PERSONAL = frozenset(name.lower().encode() for name in PERSONAL)

Asked = tuple[str, bytes, bytes]


class Express:
    """The requests that were answered with a kept page of late, and how many of them are under way."""

    def __init__(self) -> None:
        self.waiting = 0
        self._until: OrderedDict[Asked, float] = OrderedDict()

    def note(self, asked: Asked) -> None:
        """This was answered with a kept page; called in threads."""
        self._until[asked] = time.monotonic() + CROWD_SECONDS
        if len(self._until) > REMEMBERED:
            self._until.popitem(last=False)

    def takes(self, asked: Asked | None) -> bool:
        """May this request pass those who wait?"""
        return asked is not None and self.waiting < MOST_WAITING and self._until.get(asked, 0) > time.monotonic()


def asked_by_anybody(scope: dict[str, Any]) -> Asked | None:
    """What is asked for, if the request says nothing of who asks."""
    headers = dict(scope["headers"])
    if scope["method"] != "GET" or not _PERSONAL.isdisjoint(headers):
        return None
    return scope["path"], scope["query_string"], headers.get(b"accept-encoding", b"")
