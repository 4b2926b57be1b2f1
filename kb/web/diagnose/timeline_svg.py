"""A diagnosis's timeline as a drawing: places and words for a server-rendered SVG and the table beside it."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 960, 170, 16, 12, 24, 30
LONGEST_NAME = 22
TICKS = 5
DAY = 24 * 3600
ROLES = {
    "first": "what failed first",
    "root": "may have begun it",
    "follows": "follows from it",
    "other": "stands out",
}


def drawn(timeline: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What `kb/diagnose/_timeline.html` draws; None where there is nothing to draw."""
    if not timeline or not timeline["rows"]:
        return None
    scale = _Scale(timeline)
    rows = [_row(row, number, scale) for number, row in enumerate(timeline["rows"])]
    bottom = TOP + ROW * len(rows)
    return {
        "rows": rows,
        "width": WIDTH,
        "height": bottom + BOTTOM,
        "left": LEFT,
        "top": TOP,
        "bottom": bottom,
        "words_at": bottom + 18,
        "ticks": scale.ticks(),
        "onset": scale.at(timeline["onset"]) if timeline["onset"] is not None else None,
        "onset_words": scale.words(timeline["onset"]) if timeline["onset"] is not None else "",
        "pauses": [
            {
                "x": scale.at(one["from"]),
                "width": round(scale.at(one["until"]) - scale.at(one["from"]), 1),
                "words": f"{scale.words(one['from'])} to {scale.words(one['until'])}",
            }
            for one in timeline["pauses"]
        ],
        "inner": bottom - TOP,
        "is_timed": scale.is_timed,
        "legend": [(role, words) for role, words in ROLES.items() if any(role in row["roles"] for row in rows)],
    }


class _Scale:
    """Where on the drawing a moment stands, and how it is called."""

    def __init__(self, timeline: Mapping[str, Any]) -> None:
        self.is_timed = timeline["unit"] == "seconds"
        self._from: float = timeline["from"]
        self._until: float = timeline["until"]
        self._length: float = max(self._until - self._from, 1e-9)

    def at(self, value: float) -> float:
        share: float = min(max((value - self._from) / self._length, 0.0), 1.0)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def words(self, value: float) -> str:
        """A line's number, or the time of day, with seconds where the whole is short."""
        if not self.is_timed:
            return f"line {round(value):,}"
        when = dt.datetime.fromtimestamp(value, dt.UTC)
        if self._length > DAY:
            return f"{when:%d %b %H:%M}"
        return f"{when:%H:%M:%S}"

    def ticks(self) -> list[dict[str, Any]]:
        """Places with words, the ends among them; their words do not leave the drawing."""
        values = [self._from + self._length * step / (TICKS - 1) for step in range(TICKS)]
        anchors = ["start", *["middle"] * (TICKS - 2), "end"]
        return [
            {"x": self.at(value), "words": self.words(value), "anchor": anchor}
            for value, anchor in zip(values, anchors, strict=True)
        ]


def _row(row: Mapping[str, Any], number: int, scale: _Scale) -> dict[str, Any]:
    y = TOP + ROW * number
    name = _name(row)
    start, end = scale.at(row["first"]), scale.at(row["last"])
    return {
        "name": name,
        "short": name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}",
        "suspect": row["suspect"],
        "behind": row["behind"],
        "lines": row["lines"],
        "first": scale.words(row["first"]),
        "last": scale.words(row["last"]),
        "y": y,
        "text_y": y + ROW - 8,
        "bar_y": y + 9,
        "x": start,
        "width": max(round(end - start, 1), 2),
        "roles": {event["role"] for event in row["events"]},
        "events": [
            {
                **event,
                "x": round(scale.at(event["at"]) - 4, 1),
                "y": y + 5,
                "words": f"{ROLES[event['role']]}, {event['file']}:{event['line']}"
                + (f" and {event['count'] - 1:,} more" if event["count"] > 1 else ""),
            }
            # What matters most is drawn last, over the others.
            for event in sorted(row["events"], key=lambda event: -list(ROLES).index(event["role"]))
        ],
        "told": _told(row["events"]),
    }


def _told(events: Iterable[Mapping[str, Any]]) -> list[str]:
    counts = Counter[str]()
    for event in events:
        counts[event["role"]] += event["count"]
    return [f"{counts[role]:,} {words}" for role, words in ROLES.items() if counts[role]]


def _name(row: Mapping[str, Any]) -> str:
    if not row["name"]:
        return f"{row['members']:,} other {row['kind']}s"
    return f"rank {row['name']}" if row["kind"] == "rank" else str(row["name"])
