"""Since when the lines stand that a fix removes or alters."""

import pytest

from ingest.git.running import GitError
from kb.core.histories import Standing
from tests.ingest.git.made import Made

PUMP = "def pump():\n    rate = 1\n    valve = open(rate)\n    return valve\n"


def standing(made: Made, commit: str) -> Standing | None:
    history = made.read()
    commits = history.removed_lines(commit)
    return history.standing(*commits) if commits else None


def releases(made: Made, commit: str) -> tuple[str | None, str | None] | None:
    found = standing(made, commit)
    return (found.oldest, found.youngest) if found else None


@pytest.fixture
def pumped(made: Made) -> Made:
    """1.1.0 has the pump, 1.2.0 another line in it."""
    made.commit("Pump (#1)", pump_py=PUMP)
    made.tag("v1.1.0")
    made.commit("Rate (#2)", pump_py=PUMP.replace("rate = 1", "rate = 2"))
    made.tag("v1.2.0")
    return made


def test_one_line(pumped: Made) -> None:
    fix = pumped.commit("Fix (#3)", pump_py=PUMP.replace("rate = 1", "rate = 3"))
    pumped.tag("v1.3.0")
    assert releases(pumped, fix) == ("1.2.0", "1.2.0")


def test_oldest_and_youngest_line(pumped: Made) -> None:
    fix = pumped.commit("Fix (#3)", pump_py=PUMP.replace("rate = 1", "rate = 3").replace("open(rate)", "close(rate)"))
    assert releases(pumped, fix) == ("1.1.0", "1.2.0")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    # old words\n", "    # new words\n"),
        ("import os\n", "import sys\n"),
        ("from a import b\n", "from a import c\n"),
        ("\n\n", ""),
        ("    )\n", "    ]\n"),
        ("// old\n", "// new\n"),
    ],
)
def test_lines_that_say_nothing(pumped: Made, before: str, after: str) -> None:
    pumped.commit("More (#4)", other_py=f"a = 1\n{before}b = 2\n")
    fix = pumped.commit("Fix (#5)", other_py=f"a = 1\n{after}b = 2\n")
    assert releases(pumped, fix) is None


def test_only_added_lines(pumped: Made) -> None:
    fix = pumped.commit("Fix (#3)", pump_py=PUMP.replace("rate = 1", "rate = 2\n    check(rate)"))
    assert releases(pumped, fix) is None


def test_moved_lines(pumped: Made) -> None:
    lines = PUMP.replace("rate = 1", "rate = 2").splitlines(keepends=True)
    fix = pumped.commit("Move (#3)", pump_py="".join([lines[0], lines[2], lines[1], lines[3]]))
    assert releases(pumped, fix) is None


def test_indentation_alone(pumped: Made) -> None:
    fix = pumped.commit("Indent (#3)", pump_py=PUMP.replace("rate = 1", "rate = 2").replace("    ", "        "))
    assert releases(pumped, fix) is None


def test_tests_and_documents_are_passed_over(pumped: Made) -> None:
    pumped.commit("Papers (#3)", tests__test_pump_py="a = 1\n", docs__pump_py="a = 1\n")
    (pumped.folder / "README.md").write_text("old\n")
    pumped.commit("Read (#4)")
    (pumped.folder / "README.md").write_text("new\n")
    fix = pumped.commit("Fix (#5)", tests__test_pump_py="a = 2\n", docs__pump_py="a = 2\n")
    assert releases(pumped, fix) is None


def test_renamed_file(pumped: Made) -> None:
    pumped.run("mv", "pump.py", "lib.py")
    fix = pumped.commit("Fix (#3)", lib_py=PUMP.replace("rate = 1", "rate = 3"))
    assert releases(pumped, fix) == ("1.2.0", "1.2.0")


def test_line_that_was_picked_stands_since_the_pick(pumped: Made) -> None:
    later = pumped.commit("Later (#3)", valve_py="open = 1\n")
    pumped.tag("v1.4.0")
    pumped.switch("release", "v1.2.0")
    pumped.pick(later)
    pumped.tag("v1.2.1")
    pumped.switch("main")
    fix = pumped.commit("Fix (#4)", valve_py="open = 2\n")
    assert releases(pumped, fix) == ("1.2.1", "1.2.1")


def test_line_that_no_release_has(pumped: Made) -> None:
    pumped.commit("Young (#3)", valve_py="open = 1\n")
    fix = pumped.commit("Fix (#4)", valve_py="open = 2\n")
    assert releases(pumped, fix) == (None, None)


def test_merge_and_first_commit(pumped: Made) -> None:
    pumped.switch("branch", "main")
    pumped.commit("Half", pump_py=PUMP.replace("rate = 1", "rate = 3"))
    pumped.switch("main")
    pumped.commit("Meanwhile", other_py="x\n")
    merge = pumped.merge("branch", "Merge pull request #9 from a/branch")
    assert releases(pumped, merge) == ("1.2.0", "1.2.0")
    assert releases(pumped, pumped.run("rev-list", "--max-parents=0", "HEAD")) is None


def test_odd_names(pumped: Made) -> None:
    for name in ("new\nline.py", ":(top)x.py", "-L.py", "späť.py"):
        (pumped.folder / name).write_text("a = 1\n")
        pumped.commit("Odd (#3)")
        pumped.run("tag", "-f", "v1.5.0")
        (pumped.folder / name).write_text("a = 2\n")
        assert releases(pumped, pumped.commit("Fix (#4)")) == ("1.5.0", "1.5.0")


def test_missing_files_are_told(pumped: Made) -> None:
    blob = pumped.run("rev-parse", "HEAD:pump.py")
    fix = pumped.commit("Fix (#3)", pump_py=PUMP.replace("rate = 1", "rate = 3"))
    (pumped.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(GitError):
        pumped.read().removed_lines(fix)
