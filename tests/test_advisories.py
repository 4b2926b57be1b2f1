"""Known weaknesses of locked packages: what the database says is kept, and the gate is told what to do."""

import datetime as dt
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.advisories import found, pins, read

WEAK = {
    "id": "PYSEC-2026-1",
    "aliases": ["CVE-2026-1"],
    "package": "django",
    "versions": [">=5.2,<5.2.3"],
    "fixed": ["5.2.3"],
}
HEAD = {"date": "2026-11-01", "packages": ["celery", "django"]}
DAY = dt.date(2026, 11, 20)
IGNORED = {"id": "PYSEC-2026-1", "package": "django", "reason": "not used", "until": dt.date(2026, 11, 30)}


def told(*pinned: tuple[str, str], date: str = "2026-11-01", ignored: tuple[dict[str, Any], ...] = ()) -> list[str]:
    return list(found(pinned, [HEAD | {"date": date}, WEAK], ignored, today=DAY))


def test_a_weak_version_is_named_with_what_fixes_it() -> None:
    assert told(("django", "5.2.2"), ("celery", "5.7.0")) == [
        "django 5.2.2 has a known weakness (PYSEC-2026-1, CVE-2026-1). Fixed in: 5.2.3."
    ]
    assert told(("django", "5.2.3")) == told(("django", "5.1.9")) == []


def test_what_is_ignored_counts_again_once_a_later_list_is_there() -> None:
    assert told(("django", "5.2.2"), ignored=(IGNORED,)) == []
    assert len(told(("django", "5.2.2"), date="2026-12-01", ignored=(IGNORED,))) == 1


def test_a_new_package_must_be_looked_up_first() -> None:
    assert told(("granian", "2.8.7")) == ["granian was never looked up among the advisories. `make audit` does."]


def test_an_old_list_is_a_warning() -> None:
    (warning,) = told(("django", "5.2.3"), date="2026-09-20")
    assert warning.startswith("Warning: the advisories are of 2026-09-20")


def test_lock_files_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(
        'Django==5.2.19 \\\n    --hash=sha256:00\nuvloop==0.23.0 ; sys_platform != "win32" \\\n'
    )
    (tmp_path / "dev.txt").write_text("django==5.2.19 \\\nruamel.yaml==0.19.1\n")
    assert pins(tmp_path) == [("django", "5.2.19"), ("ruamel-yaml", "0.19.1"), ("uvloop", "0.23.0")]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A repository as PyPA's, with an advisory of every kind."""
    ranges = "[{type: GIT, events: [{introduced: '0'}]}, {type: ECOSYSTEM, events: [%s]}]"
    for package, name, rest in (
        (
            "django",
            "PYSEC-1",
            ranges % "{introduced: '5.0'}, {fixed: 5.0.8}, {introduced: '4.2'}, {last_affected: 4.2.9}",
        ),
        ("django", "PYSEC-2", ranges % "{introduced: '0'}"),
        ("django", "PYSEC-3", "[], versions: ['1.0', '1.1']"),
        ("flask", "PYSEC-5", "[]"),
    ):
        file = tmp_path / "vulns" / package / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"id: {name}\naffected: [{{package: {{name: {package.title()}}}, ranges: {rest}}}]\n")
    (tmp_path / "vulns/django/PYSEC-4.yaml").write_text("{id: PYSEC-4, withdrawn: 2026-01-01, affected: []}")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path


def test_ranges_of_the_database_become_requirements(database: Path) -> None:
    head, *advisories = read(database, names={"django"})
    assert head["packages"] == ["django"]
    assert dt.date.fromisoformat(head["date"])
    assert {one["id"]: (one["versions"], one["fixed"]) for one in advisories} == {
        "PYSEC-1": ([">=5.0,<5.0.8", ">=4.2,<=4.2.9"], ["5.0.8"]),
        "PYSEC-2": ([">=0"], []),
        "PYSEC-3": (["==1.0", "==1.1"], []),
    }
