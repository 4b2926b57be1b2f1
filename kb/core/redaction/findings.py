"""The kinds of things that are hidden, what stands for them, and where one was found."""

import re
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What is hidden. Of two that overlap, the earlier one here wins."""

    SECRET = "secret"  # noqa: S105 - a name, no password
    EMAIL = "email"
    IP = "ip"
    POD = "pod"
    NODE = "node"
    HOST = "host"
    USER = "user"
    PATH = "path"
    JOB = "job"

    @property
    def label(self) -> str:
        """The plural, in a reader's words."""
        return LABELS[self]

    @property
    def may_be_kept(self) -> bool:
        """Whether whoever shares a text may choose to show it."""
        return self is not Kind.SECRET


LABELS = {
    Kind.SECRET: "Tokens, keys and passwords",
    Kind.EMAIL: "E-mail addresses",
    Kind.IP: "IP addresses",
    Kind.POD: "Kubernetes pods",
    Kind.NODE: "Nodes that the diagnosis names",
    Kind.HOST: "Other host names",
    Kind.USER: "User names",
    Kind.PATH: "Folders in paths",
    Kind.JOB: "Job numbers",
}
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
