"""Logs that were rotated: which files are parts of one log, and in which order they were written."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

# `train.log.2.gz` was written before `train.log.1`, that before `train.log`; so was a log that is named after a date.
ROTATED = re.compile(
    r"(?P<log>.*(?:\.(?:log|txt|out|err|jsonl?)|(?:^|/)(?:syslog|messages|kern|dmesg|journal|console)))"
    r"(?:\.(?P<number>\d{1,4})|[.-](?P<date>\d{4}-?\d\d-?\d\d(?:[-_T.]\d\d[-:.\d]{0,12})?)|\.(?P<word>old|bak|prev(?:ious)?))?"
    r"(?:\.(?:gz|zst|bz2|xz))?"
)
CURRENT = "~"
Named = TypeVar("Named")


def in_order_of_writing(files: Iterable[Named], name_of: Callable[[Named], str]) -> list[Named]:
    """The files, those of each rotated log in the order of time at the place of the first of them."""
    parts: defaultdict[str, list[tuple[str, int, Named]]] = defaultdict(list)
    for file in files:
        match = ROTATED.fullmatch(name_of(file))
        log = match["log"] if match is not None else name_of(file)
        parts[log].append((*_age(match), file))
    ordered: list[Named] = []
    for members in parts.values():
        # Ranks are counted from 0, old logs from 1.
        if all(number != 0 for _, number, _ in members):
            members.sort(key=lambda member: member[:2])
        ordered += [file for _, _, file in members]
    return ordered


def _age(match: re.Match[str] | None) -> tuple[str, int]:
    """What sorts the parts of a log by when they were written: by date, else by number; the current one comes last."""
    if match is None:
        return CURRENT, 1
    if match["date"]:
        return match["date"].replace("-", ""), 1
    if match["number"]:
        return "", -int(match["number"])
    return ("", 1) if match["word"] else (CURRENT, 1)
