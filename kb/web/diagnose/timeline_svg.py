"""A diagnosis's timeline as a drawing: places and words for a server-rendered SVG and the table beside it.

Across, places are per cent of the plot, so that it fits any window while its words keep their size; down, pixels.
"""

import datetime as dt
from collections import Counter
from dataclasses import dataclass

from kb.core.diagnosis.schema import EventRole, Timeline, TimelineEvent, TimelineRow

WIDTH, NARROWEST = 100, 0.25  # per cent
TOP, ROW, BOTTOM = 12, 24, 30
LONGEST_NAME = 22
TICKS = 5
DAY = 24 * 3600
ROLES: dict[EventRole, str] = {
    "first": "what failed first",
    "root": "likely first failure",
    "follows": "follow-on error",
    "other": "stands out",
}


@dataclass(frozen=True)
class Tick:
    """A place on the scale with its words. `anchor`: SVG's `text-anchor`."""

    x: float
    words: str
    anchor: str


@dataclass(frozen=True)
class DrawnPause:
    """A stretch in which nothing was written."""

    x: float
    width: float
    words: str


@dataclass(frozen=True)
class DrawnEvent:
    """A mark on a row."""

    role: EventRole
    x: float
    y: int
    words: str


@dataclass(frozen=True)
class DrawnRow:
    """A row of the drawing and of the table. `short`: its name, as long as there is room; `told`: events in words."""

    name: str
    short: str
    suspect: bool
    behind: bool
    lines: int
    first: str
    last: str
    text_y: int
    bar_y: int
    x: float
    width: float
    events: list[DrawnEvent]
    told: list[str]


@dataclass(frozen=True)
class Drawing:
    """What `kb/diagnose/_timeline.html` draws."""

    rows: list[DrawnRow]
    height: int
    bottom: int
    ticks: list[Tick]
    onset: float | None
    onset_words: str
    pauses: list[DrawnPause]
    is_timed: bool
    legend: list[tuple[EventRole, str]]
    top: int = TOP

    @property
    def words_at(self) -> int:
        """Where the words of ticks stand."""
        return self.bottom + 18

    @property
    def inner(self) -> int:
        """Height of all rows."""
        return self.bottom - self.top


class Scale:
    """Where on the drawing a moment or a line stands, and what it is called."""

    def __init__(self, timeline: Timeline) -> None:
        self.is_timed = timeline["unit"] == "seconds"
        self._start = timeline["from"]
        self._length = max(timeline["until"] - self._start, 1e-9)

    def at(self, value: float) -> float:
        """The x coordinate, within the plot."""
        share = min(max((value - self._start) / self._length, 0.0), 1.0)
        return round(WIDTH * share, 2)

    def words(self, value: float) -> str:
        """A line's number, or the time of day, with seconds where the whole is short."""
        if not self.is_timed:
            return f"line {round(value):,}"
        moment = dt.datetime.fromtimestamp(value, dt.UTC)
        return f"{moment:%d %b %H:%M}" if self._length > DAY else f"{moment:%H:%M:%S}"

    def ticks(self) -> list[Tick]:
        """Places with words, the ends among them; their words do not leave the drawing."""
        values = [self._start + self._length * step / (TICKS - 1) for step in range(TICKS)]
        anchors = ["start", *["middle"] * (TICKS - 2), "end"]
        return [Tick(self.at(value), self.words(value), anchor) for value, anchor in zip(values, anchors, strict=True)]


def draw(timeline: Timeline | None) -> Drawing | None:
    """The drawing; None where there is nothing to draw."""
    if not timeline or not timeline["rows"]:
        return None
    scale = Scale(timeline)
    pauses = []
    for pause in timeline["pauses"]:
        start, end = scale.at(pause["from"]), scale.at(pause["until"])
        words = f"{scale.words(pause['from'])} to {scale.words(pause['until'])}"
        pauses.append(DrawnPause(start, round(end - start, 2), words))
    onset = timeline["onset"]
    roles: set[EventRole] = set()
    for row in timeline["rows"]:
        roles.update(event["role"] for event in row["events"])
    bottom = TOP + ROW * len(timeline["rows"])
    return Drawing(
        rows=[_row(row, TOP + ROW * number, scale) for number, row in enumerate(timeline["rows"])],
        height=bottom + BOTTOM,
        bottom=bottom,
        ticks=scale.ticks(),
        onset=None if onset is None else scale.at(onset),
        onset_words="" if onset is None else scale.words(onset),
        pauses=pauses,
        is_timed=scale.is_timed,
        legend=[(role, words) for role, words in ROLES.items() if role in roles],
    )


def _row(row: TimelineRow, y: int, scale: Scale) -> DrawnRow:
    name = row["name"]
    if not name:
        name = f"{row['members']:,} other {row['kind']}s"
    elif row["kind"] == "rank":
        name = f"rank {name}"
    start, end = scale.at(row["first"]), scale.at(row["last"])
    counts = Counter[EventRole]()
    for event in row["events"]:
        counts[event["role"]] += event["count"]
    # What matters most is drawn last, over the others.
    events = sorted(row["events"], key=lambda event: list(ROLES).index(event["role"]), reverse=True)
    return DrawnRow(
        name=name,
        short=name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}",
        suspect=row["suspect"],
        behind=row["behind"],
        lines=row["lines"],
        first=scale.words(row["first"]),
        last=scale.words(row["last"]),
        text_y=y + ROW - 8,
        bar_y=y + 9,
        x=start,
        width=max(round(end - start, 2), NARROWEST),
        events=[_event(event, y, scale) for event in events],
        told=[f"{counts[role]:,} {words}" for role, words in ROLES.items() if counts[role]],
    )


def _event(event: TimelineEvent, y: int, scale: Scale) -> DrawnEvent:
    words = f"{ROLES[event['role']]}, {event['file']}:{event['line']}"
    if event["count"] > 1:
        words += f" and {event['count'] - 1:,} more"
    return DrawnEvent(event["role"], scale.at(event["at"]), y + 5, words)
