"""Two hosts, each with an index in its own folder, against one database: equal answers, whatever one of them misses."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from kb.core.search.tantivy import TantivyBackend
from kb.core.search.values import Request, TextQuery, Wanted
from kb.models import Issue, SearchBuild, SearchChange, SearchHost
from kb.search import backends, hosts, indexer
from kb.search import health as search
from kb.search.backends import EngineUnavailableError
from kb.search.backends.fields import FIELDS
from kb.search.indexer import Hold, Indexer
from kb.search.indexing import reason_to_rebuild
from tests.kb.search.indexer_process import PATIENCE, Process, indexers
from tests.support.factories import make_issue

pytestmark = pytest.mark.drill("Each host's index is whole, and noticed when it is not")


@pytest.fixture
def folders(settings: Settings, tmp_path: Path) -> tuple[Path, Path]:
    settings.SEARCH_ENGINE = "tantivy"
    return tmp_path / "first", tmp_path / "second"


@pytest.fixture
def start() -> Iterator[Callable[[Path], Process]]:
    with indexers() as begin:
        yield begin


def found(folder: Path, word: str) -> set[int]:
    """The issues that a search on this folder's host finds."""
    text = TextQuery(wanted=(Wanted(((word, 1.0),)),))
    try:
        return {hit.id for hit in TantivyBackend(folder, FIELDS).find(Request(text=text, limit=1_000)).candidates}
    except EngineUnavailableError:
        return set()


def seconds_until(condition: Callable[[], bool]) -> float:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.02)
    return time.monotonic() - began


def feed(settings: Settings, folder: Path) -> None:
    """What the host's indexer does at its start."""
    settings.SEARCH_INDEX_DIR = folder
    assert Indexer().run_once()


@pytest.mark.django_db(transaction=True)
class TestTwoIndexers:
    def test_equal_answers_soon_and_what_one_missed_is_caught_up(
        self, folders: tuple[Path, Path], start: Callable[[Path], Process]
    ) -> None:
        first, second = folders
        issue = make_issue(title="zebra")
        start(first)
        other = start(second)
        seconds_until(lambda: all(found(folder, "zebra") == {issue.pk} for folder in folders))
        times = []
        for word in ("giraff", "lion", "tiger"):
            Issue.objects.update(title=word)
            both = lambda word=word: all(found(folder, word) == {issue.pk} for folder in folders)  # noqa: E731
            times.append(seconds_until(both))
        assert min(times) < 2
        seconds_until(lambda: not SearchChange.objects.exists())

        other.stop()
        Issue.objects.update(title="panda")
        seconds_until(lambda: found(first, "panda") == {issue.pk})
        assert found(second, "panda") == set()
        builds = SearchBuild.objects.count()
        start(second)
        seconds_until(lambda: found(second, "panda") == {issue.pk})
        seconds_until(lambda: not SearchChange.objects.exists())
        assert SearchBuild.objects.count() == builds
        assert SearchHost.objects.count() == 2


@pytest.mark.django_db(transaction=True)
class TestCopies:
    def test_an_old_folder_is_noticed_and_made_anew(self, settings: Settings, folders: tuple[Path, Path]) -> None:
        first, second = folders
        issue = make_issue(title="zebra")
        feed(settings, first)
        feed(settings, second)
        shutil.copytree(second, second.with_name("copy"))
        Issue.objects.update(title="giraff")
        feed(settings, first)
        feed(settings, second)
        assert not SearchChange.objects.exists()
        shutil.rmtree(second)
        shutil.copytree(second.with_name("copy"), second)
        assert found(second, "giraff") == set()
        assert reason_to_rebuild() == hosts.APART
        assert not search.index().ok
        feed(settings, second)
        assert found(second, "giraff") == {issue.pk}
        assert search.index().ok
        assert SearchHost.objects.count() == 2

    def test_a_change_after_the_old_folder_came_back_hides_nothing(
        self, settings: Settings, folders: tuple[Path, Path]
    ) -> None:
        folder, _ = folders
        one, two = make_issue(title="zebra"), make_issue(title="zebra")
        feed(settings, folder)
        shutil.copytree(folder, folder.with_name("copy"))
        Issue.objects.filter(pk=one.pk).update(title="giraff")
        feed(settings, folder)
        shutil.rmtree(folder)
        shutil.copytree(folder.with_name("copy"), folder)
        Issue.objects.filter(pk=two.pk).update(title="giraff")
        feed(settings, folder)
        assert found(folder, "giraff") == {one.pk, two.pk}

    def test_an_old_folder_that_comes_back_under_a_running_indexer(
        self, settings: Settings, folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(indexer, "LOOK_SECONDS", 0.0)
        settings.SEARCH_INDEX_DIR, _ = folders
        folder, index, running = settings.SEARCH_INDEX_DIR, backends.index(), Indexer()
        issue = make_issue(title="zebra")
        running.turn(index)
        shutil.copytree(folder, folder.with_name("copy"))
        for word in ("giraff", "lion"):
            Issue.objects.update(title=word)
            running.turn(index)
        shutil.rmtree(folder)
        shutil.copytree(folder.with_name("copy"), folder)
        running.turn(index)
        assert not running.problem
        assert found(folder, "lion") == {issue.pk}
        Issue.objects.update(title="tiger")
        running.turn(index)
        assert found(folder, "tiger") == {issue.pk}
        assert index is not None
        index.close()

    def test_a_forgotten_host_begins_anew(self, settings: Settings, folders: tuple[Path, Path]) -> None:
        first, second = folders
        issue = make_issue(title="zebra")
        feed(settings, first)
        feed(settings, second)
        SearchHost.objects.filter(key=hosts.own().key).delete()
        Issue.objects.update(title="giraff")
        feed(settings, first)
        assert not SearchChange.objects.exists()
        feed(settings, second)
        assert found(second, "giraff") == {issue.pk}

    def test_two_that_are_copies_of_each_other_become_two(self, settings: Settings, folders: tuple[Path, Path]) -> None:
        """The first one is at work; the other one waits, and then it is another host."""
        first, second = folders
        issue = make_issue(title="zebra")
        feed(settings, first)
        shutil.copytree(first, second)
        hold = Hold()
        assert hold.take()
        settings.SEARCH_INDEX_DIR = second
        copy = Hold()
        assert not copy.take()
        assert copy.is_elsewhere
        assert copy.take(as_another=True)
        copy.release()
        hold.release()
        feed(settings, second)
        assert found(second, "zebra") == {issue.pk}
        assert SearchHost.objects.count() == 2

    def test_one_folder_has_one_indexer(self, settings: Settings, folders: tuple[Path, Path]) -> None:
        settings.SEARCH_INDEX_DIR, _ = folders
        first, second = Hold(), Hold()
        assert first.take()
        assert not second.take()
        assert not second.is_elsewhere
        first.release()
        assert second.take()
        second.release()
