"""The kinds of things that are hidden, what stands for them, and where one was found."""

import re
from typing import NamedTuple

from kb.core.labelled import Labelled


class Kind(Labelled):
    """What is hidden, and its plural in a reader's words. Of two that overlap, the earlier one here wins."""

    SECRET = "secret", "Tokens, keys and passwords"
    EMAIL = "email", "E-mail addresses"
    IP = "ip", "IP addresses"
    POD = "pod", "Kubernetes pods"
    NODE = "node", "Nodes that the diagnosis names"
    HOST = "host", "Other host names"
    USER = "user", "User names"
    PATH = "path", "Folders in paths"
    JOB = "job", "Job numbers"

    @property
    def may_be_kept(self) -> bool:
        """Whether whoever shares a text may choose to show it."""
        return self is not Kind.SECRET


# What this package puts in a thing's place. Names of this form in a log say nothing of anybody, and stay.
STAND_IN = re.compile(r"(?<![A-Za-z0-9])(?:ip|pod|node|host|user|path|job)-[1-9]\d{0,5}(?![A-Za-z0-9])")
LONGEST = 253


class Found(NamedTuple):
    """Characters `start` to `end`, the last one excluded, and what they are."""

    start: int
    end: int
    kind: Kind


def is_stand_in(text: str) -> bool:
    """Whether the whole text is a name that this package gives."""
    return STAND_IN.fullmatch(text) is not None


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())
