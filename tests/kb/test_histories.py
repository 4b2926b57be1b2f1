"""The histories that ship with the project: what is in the files, and what a fresh installation has of them."""

import json
from pathlib import Path

import pytest

from ingest.services.history import read_repository
from kb.core.versions import version_of_tag
from kb.models import AffectedRange, Change, Fix, History, Release
from kb.starter.histories import HISTORIES, HistoryFile, dumped, load_histories
from tests.ingest.git.made import make
from tests.support.factories import make_issue, make_repository

FILES = sorted(HISTORIES.glob("*.json"))
PULL = "https://github.com/acme/rocket/pull/12"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_hold_facts_only(path: Path) -> None:
    text = path.read_text("utf-8")
    file = HistoryFile.model_validate_json(text)
    assert path.stem == file.repository.partition("/")[2].replace("/", "__").lower()
    assert len(text.splitlines()) == max(1, len(file.releases)) + max(1, len(file.changes)) + 5
    assert len(text) < 100_000
    for release in file.releases:
        assert str(version_of_tag(release.tag)) == release.version
    words = [value for line in json.loads(text)["changes"] for value in line.values() if isinstance(value, str)]
    assert not [word for word in words if " " in word]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The file of a small history that was read, with all rows gone again."""
    repository = make_repository("acme/rocket")
    made = make(tmp_path / "made")
    fix = made.commit("Fix the pump (#12)", pump_py="a\n")
    made.tag("v1.2.0")
    made.commit("Unknown to records (#13)")
    made.switch("release", "v1.0.0")
    made.pick(fix)
    made.tag("v1.0.1")
    made.run("symbolic-ref", "HEAD", "refs/heads/main")
    fixes = Fix.objects.create(url=PULL, kind=Fix.Kind.PULL_REQUEST)
    read_repository(repository=repository, source=str(made.folder))
    root = tmp_path / "files"
    root.mkdir()
    (root / "acme__rocket.json").write_text(dumped(repository))
    for model in (History, Release, Change):
        model._default_manager.all().delete()
    fixes.delete()
    return root


@pytest.mark.django_db
def test_fresh_installation_has_the_facts(written: Path) -> None:
    repository = make_repository("acme/rocket")
    issue = make_issue(7, repository=repository)
    issue.fixes.add(Fix.objects.create(url=PULL, kind=Fix.Kind.PULL_REQUEST))
    load_histories(written)
    change = Change.objects.get()
    assert (change.pull_number, change.title, change.first_releases) == (12, "", ["1.0.1", "1.2.0"])
    fix = Fix.objects.get()
    assert (fix.commit, fix.additions, fix.files_changed) == (change.commit, 1, 1)
    assert [(row.introduced, row.fixed) for row in AffectedRange.objects.all()] == [("", "1.0.1")]
    assert Release.objects.count() == 3
    assert (written / "acme__rocket.json").read_text() == dumped(repository)
    again = load_histories(written)
    assert (again.created, again.changed, again.removed) == (0, 0, 0)


@pytest.mark.django_db
def test_history_that_was_read_here_stays(written: Path, tmp_path: Path) -> None:
    repository = make_repository("acme/rocket")
    load_histories(written)
    read_repository(repository=repository, source=str(tmp_path / "made"))
    assert Change.objects.count() == 2
    load_histories(written)
    assert Change.objects.count() == 2


@pytest.mark.django_db
def test_unknown_repository_is_passed_over(written: Path) -> None:
    text = (written / "acme__rocket.json").read_text().replace("acme/rocket", "acme/unknown")
    (written / "acme__unknown.json").write_text(text)
    load_histories(written)
    assert History.objects.count() == 1
