"""`make check` runs the tests of what was changed."""

from pathlib import Path

import pytest

from tests.support.changed import READERS, related_tests


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("kb/http/rates.py", "tests/kb/web/test_survey.py"),
        ("kb/core/diagnosis/parsing/prefixes.py", "tests/kb/core/diagnosis/test_parsing.py"),
        ("docs/running.md", "tests/docs"),
        ("tests/test_changed.py", "tests/test_changed.py"),
        ("labeling/web/work/label.py", "tests/labeling/web"),
    ],
)
def test_a_change_is_tested_where_it_is_spoken_of(changed: str, expected: str) -> None:
    assert expected in related_tests([changed])


def test_nothing_slow_and_nothing_unrelated_is_run() -> None:
    assert related_tests(["tests/e2e/test_focus.py", "pyproject.toml", "kb/no_such_module.py"]) == []


def test_what_is_named_is_there() -> None:
    assert [tests for tests in READERS.values() if not Path(tests).exists()] == []
