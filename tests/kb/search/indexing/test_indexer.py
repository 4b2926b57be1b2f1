"""The process that feeds the index: by commands, killed, one at a time."""

import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from kb.models import Issue, SearchBuild, SearchChange
from kb.search import backends
from kb.search import document_builder as building
from kb.search.backends import EngineUnavailableError
from kb.search.indexer import Hold, Indexer
from kb.search.indexing import ask_for_rebuild
from tests.kb.search.indexer_process import PATIENCE, Process, indexers
from tests.kb.search.indexing.made import found, make_long_issues, nothing
from tests.support.factories import make_issue, make_issues


@pytest.mark.django_db(transaction=True)
class TestIndexer:
    def test_once_brings_the_index_up_to_date(self) -> None:
        issue = make_issue(title="zebra")
        call_command("run_indexer", "--once")
        assert found("zebra") == {issue.pk}
        assert not SearchChange.objects.exists()
        Issue.objects.update(title="giraff")
        call_command("run_indexer", "--once")
        assert found("giraff") == {issue.pk}
        assert SearchBuild.objects.count() == 1

    def test_it_mends_what_is_damaged(self, settings: Settings) -> None:
        issue = make_issue(title="zebra")
        call_command("run_indexer", "--once")
        shutil.rmtree(settings.SEARCH_INDEX_DIR)
        call_command("run_indexer", "--once")
        assert found("zebra") == {issue.pk}

    def test_a_problem_is_said_and_ends_nothing(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        settings.SEARCH_INDEX_DIR = tmp_path / "file"
        make_issue()
        said = StringIO()
        call_command("run_indexer", "--once", stderr=said)
        assert "cannot be written" in said.getvalue()

    def test_only_one_at_a_time(self) -> None:
        hold = Hold()
        assert hold.take()
        said = StringIO()
        call_command("run_indexer", "--once", stdout=said)
        assert "Another indexer is already running" in said.getvalue()
        hold.release()
        assert Indexer().run_once()

    def test_the_next_one_may_begin_at_once_however_late_the_session_ends(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = Hold(), Hold()
        assert first.take()
        with monkeypatch.context() as patch:
            patch.setattr(first._connection, "close", nothing)
            first.release()
        assert second.take()
        second.release()
        first.release()

    def test_reindex_does_it_where_no_indexer_runs(self) -> None:
        issue = make_issue(title="zebra")
        said = StringIO()
        call_command("reindex", stdout=said)
        assert said.getvalue() == "The search index is rebuilt: 1 issues.\n"
        assert found("zebra") == {issue.pk}

    def test_reindex_says_why_it_cannot(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        settings.SEARCH_INDEX_DIR = tmp_path / "file"
        with pytest.raises(CommandError):
            call_command("reindex")

    def test_several_processes_make_the_documents(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "WORTH_PROCESSES", 1)
        monkeypatch.setattr(building, "CHUNK", 3)
        issues = make_issues(10, title="zebra")
        call_command("reindex", "--processes", "2")
        assert found("zebra") == {issue.pk for issue in issues}


@pytest.fixture
def start() -> Iterator[Callable[[], Process]]:
    with indexers() as begin:
        yield lambda: begin(Path(django_settings.SEARCH_INDEX_DIR))


def wait_until(condition: Callable[[], bool]) -> float:
    started = time.monotonic()
    while not is_so(condition):
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.02)
    return time.monotonic() - started


def is_so(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except EngineUnavailableError:
        return False


@pytest.mark.django_db(transaction=True)
class TestProcess:
    def test_a_change_is_found_soon_and_the_end_is_clean(self, start: Callable[[], Process]) -> None:
        issue = make_issue(title="zebra")
        process = start()
        wait_until(lambda: found("zebra") == {issue.pk})
        times = []
        for word in ("giraff", "lion", "tiger"):
            Issue.objects.update(title=word)
            times.append(wait_until(lambda word=word: found(word) == {issue.pk}))  # type: ignore[misc]
        assert min(times) < 2
        assert process.end(signal.SIGTERM) < 5
        assert process.process.returncode == 0

    def test_kills_lose_nothing(self, start: Callable[[], Process]) -> None:
        """Killed again and again while issues come, change and go, and an index is built."""
        issues = make_long_issues(300)
        writing = threading.Event()

        def write() -> None:
            for number, issue in enumerate(issues):
                if number % 3 == 0:
                    Issue.objects.filter(pk=issue.pk).update(title="giraff")
                elif number % 3 == 1:
                    Issue.objects.filter(pk=issue.pk).delete()
                time.sleep(0.01)
            writing.set()
            connection.close()

        writer = threading.Thread(target=write)
        writer.start()
        for pause in (1.2, 1.6, 2.0):
            process = start()
            time.sleep(pause)
            ask_for_rebuild("in between")
            time.sleep(0.1)
            process.end(signal.SIGKILL)
        writer.join()
        start()
        wait_until(lambda: not SearchChange.objects.exists() and not SearchBuild.objects.filter(finished_at=None))
        assert found("giraff") == {issue.pk for issue in issues[::3]}
        assert found("zebra") == {issue.pk for issue in issues[2::3]}
        assert backends.current().size() == Issue.objects.count()
