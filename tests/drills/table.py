"""The table that `make drills` ends with: what was tried, by row, how often, for how long, and whether it held."""

from collections import defaultdict
from dataclasses import dataclass

import pytest


@dataclass
class Row:
    """Tests of one row."""

    tests: int = 0
    failed: int = 0
    seconds: float = 0.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Reports know only what their test was given."""
    for item in items:
        if marker := item.get_closest_marker("drill"):
            item.user_properties.append(("drill", marker.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print it where drills alone were asked for."""
    if config.getoption("markexpr") != "drill":
        return
    rows: dict[object, Row] = defaultdict(Row)
    for outcome in ("passed", "failed", "error", "skipped", ""):
        for report in terminalreporter.stats.get(outcome, ()):
            row = rows[dict(getattr(report, "user_properties", ())).get("drill", "not a drill")]
            row.seconds += getattr(report, "duration", 0.0)
            row.tests += getattr(report, "when", "") == "call"
            row.failed += outcome in ("failed", "error", "skipped")
    terminalreporter.section("drills")
    for title, row in sorted(rows.items(), key=str):
        verdict = f"{row.failed} FAILED" if row.failed else "held"
        terminalreporter.line(f"{title!s:75} {row.tests:4} tests {row.seconds:6.1f} s  {verdict}")
