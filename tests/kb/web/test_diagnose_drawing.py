"""The drawing of a timeline: everything within its frame, what matters on top, words for those who do not see it."""

from typing import Any

from kb.core.diagnosis.schema import EventRole, Timeline, TimelineEvent
from kb.web.diagnose.timeline_svg import WIDTH, Drawing, draw


def event(at: float, role: EventRole = "other", count: int = 1) -> TimelineEvent:
    return {"at": at, "role": role, "file": "a.log", "line": 7, "count": count}


def row(name: str = "3", **values: Any) -> Any:
    made = {"name": name, "kind": "rank", "members": 1, "first": 0.0, "last": 100.0, "lines": 12, "events": []}
    return {**made, "behind": False, "suspect": False, **values}


def timeline(*rows: Any, **values: Any) -> Any:
    made = {"unit": "seconds", "from": 0.0, "until": 100.0, "onset": None, "bins": 60, "pauses": [], "rows": [*rows]}
    return {**made, **values}


def drawing(timeline: Timeline) -> Drawing:
    found = draw(timeline)
    assert found is not None
    return found


def test_without_a_timeline_there_is_nothing_to_draw() -> None:
    assert draw(None) is None
    assert draw(timeline()) is None


def test_the_whole_width_is_used_and_nothing_leaves_it() -> None:
    found = drawing(timeline(row(), onset=250.0))
    assert found.rows[0].x == 0
    assert found.rows[0].x + found.rows[0].width == WIDTH
    assert found.onset == WIDTH


def test_a_mark_stands_where_its_line_is_whatever_the_width() -> None:
    found = drawing(timeline(row(events=[event(25, "first"), event(100, "root")])))
    assert sorted(mark.x for mark in found.rows[0].events) == [25, 100]


def test_what_failed_first_is_drawn_over_the_rest() -> None:
    found = drawing(timeline(row(events=[event(50, "first"), event(50, "other"), event(50, "follows")])))
    assert [one.role for one in found.rows[0].events] == ["other", "follows", "first"]


def test_every_mark_says_what_it_is() -> None:
    found = drawing(timeline(row(events=[event(50, "first", count=3)])))
    assert found.rows[0].events[0].words == "what failed first, a.log:7 and 2 more"
    assert found.rows[0].told == ["3 what failed first"]


def test_the_others_are_named_together() -> None:
    assert drawing(timeline(row("", members=1000))).rows[0].name == "1,000 other ranks"


def test_a_scale_without_clocks_is_told_in_lines() -> None:
    found = drawing(timeline(row(), unit="lines", until=100.0))
    assert [tick.words for tick in found.ticks] == ["line 0", "line 25", "line 50", "line 75", "line 100"]


def test_a_scale_of_days_tells_the_day() -> None:
    found = drawing(timeline(row(last=3e5), until=3e5))
    assert found.ticks[0].words == "01 Jan 00:00"


def test_a_long_name_keeps_its_end() -> None:
    name = "a-very-long-folder/with/rank-17.log"
    found = drawing(timeline(row(name, kind="file"))).rows[0]
    assert found.name == name
    assert found.short.startswith("…")
    assert found.short.endswith("rank-17.log")
