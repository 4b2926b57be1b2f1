"""Our own clone: made without files, renewed, and asked for files of known fixes alone.

The source is on this machine, so that the one transport that is allowed here is `file` in place of `https`.
"""

from pathlib import Path

import pytest
from pytest_django import Settings

from ingest.git import cloning, running
from ingest.git.cloning import own_clone
from ingest.git.running import GitError
from ingest.services import history as reading
from ingest.services.history import clone_folder, cloned_repositories, read_again, read_repository
from kb.models import Change, Fix, History, Repository
from tests.ingest.git.made import Made
from tests.support.factories import make_repository

ENVIRONMENT = running.environment


def local(*, may_fetch: bool = False) -> dict[str, str]:
    """The environment with another transport."""
    return {**ENVIRONMENT(may_fetch=may_fetch), "GIT_ALLOW_PROTOCOL": "file" if may_fetch else "none"}


@pytest.fixture
def source(made: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    """A repository that can be cloned without files."""
    for module in (cloning, running):
        monkeypatch.setattr(module, "environment", local)
    made.run("config", "uploadpack.allowFilter", "true")
    made.run("config", "uploadpack.allowAnySHA1InWant", "true")
    made.commit("Fix the pump (#12)", pump_py="a\nb\n")
    made.commit("Another (#13)", other_py="a\n")
    made.tag("v1.1.0")
    return made


def test_clone_is_renewed(source: Made, tmp_path: Path) -> None:
    folder = tmp_path / "own" / "rocket.git"
    address = f"file://{source.folder}"
    first = own_clone(address, folder)
    assert first.text("tag").split() == ["v1.0.0", "v1.1.0"]
    assert (first.folder / "HEAD").is_file()
    source.commit("On")
    source.tag("v1.2.0")
    source.run("tag", "-d", "v1.0.0")
    again = own_clone(address, folder)
    assert again.text("tag").split() == ["v1.1.0", "v1.2.0"]
    assert again.text("rev-parse", "HEAD") == first.text("rev-parse", "main")
    with pytest.raises(GitError):
        running.Git(folder).text("cat-file", "-p", f"{source.head()}:pump.py")


@pytest.mark.django_db
def test_only_known_fixes_are_asked_for(
    source: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.HISTORIES_DIR = tmp_path / "histories"
    monkeypatch.setattr(reading, "source_of", lambda _text: f"file://{source.folder}")
    repository: Repository = make_repository("acme/rocket")
    Fix.objects.create(url="https://github.com/acme/rocket/pull/12", kind="pull_request")
    read_repository(repository=repository)
    sizes = dict(Change.objects.values_list("pull_number", "additions"))
    assert sizes == {12: 2, 13: None}
    assert clone_folder(repository).is_dir()
    assert cloned_repositories() == [repository.pk]
    before = History.objects.get().refs_digest
    source.commit("On (#14)")
    read_again(repository_id=repository.pk)
    assert History.objects.get().refs_digest != before
    assert Change.objects.count() == 3
