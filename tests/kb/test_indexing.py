"""The search index follows the database: changes, rebuilds beside the index in use, kills, other processes."""

import random
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from kb.models import Issue, SearchBuild, SearchChange, SearchHost
from kb.search import backends, building, hosts, indexing, outbox
from kb.search.backends import EngineUnavailableError, Index
from kb.search.backends.tantivy import schema
from kb.search.backends.tantivy.writer import Rows
from kb.search.indexer import Hold, Indexer
from kb.search.indexing import apply_changes, ask_for_rebuild, reason_to_rebuild, rebuild
from kb.search.values import Request, TextQuery, Wanted
from tests.factories import make_issue, make_repository
from tests.kb.indexer_process import PATIENCE, Process, indexers


@pytest.fixture(autouse=True)
def _own_index(settings: Settings, tmp_path: Path) -> None:
    settings.SEARCH_ENGINE = "tantivy"
    settings.SEARCH_INDEX_DIR = tmp_path / "search"


@pytest.fixture
def index() -> Iterator[Index]:
    found = backends.index()
    assert found is not None
    yield found
    found.close()


def nothing(*_args: object, **_options: object) -> None:
    """What goes on during most rebuilds."""


def build(index: Index, between: Callable[[], None] = nothing) -> None:
    ask_for_rebuild("for a test")
    assert rebuild(index, between=between)


def found(word: str) -> set[int]:
    """The issues that a search for one word finds."""
    text = TextQuery(wanted=(Wanted(((word, 1.0),)),))
    return {hit.id for hit in backends.current().find(Request(text=text, limit=1_000)).candidates}


def make_issues(count: int, **fields: Any) -> list[Issue]:
    repository = make_repository()
    return [make_issue(repository=repository, **fields) for _ in range(count)]


@pytest.mark.django_db
class TestChanges:
    def test_a_new_an_edited_and_a_deleted_issue(self, index: Index) -> None:
        build(index)
        issue = make_issue(title="zebra")
        assert apply_changes(index) == 1
        assert found("zebra") == {issue.pk}
        Issue.objects.update(title="giraff")
        apply_changes(index)
        assert (found("zebra"), found("giraff")) == (set(), {issue.pk})
        issue.delete()
        apply_changes(index)
        assert found("giraff") == set()
        assert not SearchChange.objects.exists()

    def test_nothing_to_do(self, index: Index) -> None:
        build(index)
        assert apply_changes(index) == 0

    def test_an_index_that_cannot_be_written_leaves_the_outbox_as_it_is(self, index: Index) -> None:
        make_issue()
        with pytest.raises(EngineUnavailableError):
            apply_changes(index)
        assert SearchChange.objects.count() == 1

    def test_killed_before_the_outbox_was_settled(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        build(index)
        issue = make_issue(title="zebra")
        with monkeypatch.context() as patch:
            patch.setattr(outbox, "settle", killed)
            with pytest.raises(KeyboardInterrupt):
                apply_changes(index)
        assert apply_changes(index) == 1
        assert found("zebra") == {issue.pk}

    def test_what_the_index_cannot_hold_is_left_out_and_said(
        self, index: Index, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The others go in, and of the one that is left out nothing old stays."""
        issues = make_issues(7, title="zebra")
        build(index)
        apply_changes(index)
        Issue.objects.exclude(pk=issues[0].pk).update(title="giraff")
        issues[0].delete()
        monkeypatch.setattr(schema, "MOST_ID", issues[5].pk)
        assert apply_changes(index) == 7
        assert not SearchChange.objects.exists()
        assert found("giraff") == {issue.pk for issue in issues[1:6]}
        assert found("zebra") == set()
        assert f"the issue with id {issues[6].pk}" in caplog.text
        assert "left out 1 of 6" in caplog.text

    def test_an_engine_without_an_index_needs_no_feeding(self) -> None:
        make_issue()
        assert apply_changes(None) == 1
        assert not SearchChange.objects.exists()


def killed(*_args: object, **_options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.django_db
class TestRebuild:
    def test_everything_is_in_it(self, index: Index) -> None:
        issues = make_issues(3, title="zebra")
        build(index)
        assert found("zebra") == {issue.pk for issue in issues}
        row = SearchBuild.objects.get()
        assert (row.done, row.total, row.last_id) == (3, 3, issues[-1].pk)
        assert row.finished_at is not None

    def test_what_it_cannot_hold_is_left_out_and_said(
        self, index: Index, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        issues = make_issues(7, title="zebra")
        monkeypatch.setattr(schema, "MOST_ID", issues[4].pk)
        build(index)
        assert found("zebra") == {issue.pk for issue in issues[:5]}
        assert SearchBuild.objects.get().last_id == issues[6].pk
        assert all(f"the issue with id {issue.pk}" in caplog.text for issue in issues[5:])
        assert "lacks 2 issues" in caplog.text
        assert reason_to_rebuild() == ""

    def test_it_is_done_only_when_asked_for(self, index: Index) -> None:
        assert not rebuild(index, between=nothing)
        assert ask_for_rebuild("once").pk == ask_for_rebuild("twice").pk

    def test_what_changes_meanwhile_is_in_both(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        """The index in use is fed during the rebuild; the new one has it all when it takes the place."""
        monkeypatch.setattr(building, "CHUNK", 2)
        monkeypatch.setattr(indexing, "WRITE", 2)
        issues = make_issues(6, title="zebra")
        build(index)
        apply_changes(index)
        steps = iter(range(100))

        def change() -> None:
            if next(steps) == 1:
                Issue.objects.filter(pk=issues[0].pk).update(title="giraff")
                Issue.objects.filter(pk=issues[5].pk).update(title="giraff")
                issues[1].delete()
                make_issue(title="giraff", pk=issues[0].pk - 1)
                apply_changes(index)
                assert len(found("giraff")) == 3
                assert len(found("zebra")) == 3

        build(index, change)
        while apply_changes(index):
            pass
        assert found("giraff") == {issues[0].pk - 1, issues[0].pk, issues[5].pk}
        assert found("zebra") == {issues[2].pk, issues[3].pk, issues[4].pk}
        assert not SearchChange.objects.exists()

    def test_it_goes_on_where_it_was_broken_off(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "CHUNK", 2)
        monkeypatch.setattr(indexing, "WRITE", 2)
        issues = make_issues(6, title="zebra")
        build(index)
        Issue.objects.update(title="giraff")
        ask_for_rebuild("again")
        with pytest.raises(KeyboardInterrupt):
            rebuild(index, between=killed)
        index.close()
        made: list[int] = []
        whole = building.built

        def watched(**options: Any) -> Iterator[building.Chunk]:
            made.append(options["after"])
            yield from whole(**options)

        monkeypatch.setattr(indexing, "built", watched)
        assert rebuild(index, between=nothing)
        assert made == [issues[1].pk]
        assert found("giraff") == {issue.pk for issue in issues}
        assert SearchBuild.objects.get(reason="again").done == 6

    def test_killed_just_after_it_took_the_place(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        issue, late = make_issues(2, title="zebra")
        build(index)
        ask_for_rebuild("again")

        def change() -> None:
            if Issue.objects.filter(pk=late.pk).exists():
                Issue.objects.filter(pk=late.pk).delete()
                apply_changes(index)

        with monkeypatch.context() as patch:
            patch.setattr(indexing, "_finish", killed)
            with pytest.raises(KeyboardInterrupt):
                rebuild(index, between=change)
        index.close()
        assert rebuild(index, between=nothing)
        while apply_changes(index):
            pass
        assert found("zebra") == {issue.pk}

    def test_a_fresh_one_begins_from_the_start(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "CHUNK", 1)
        monkeypatch.setattr(indexing, "WRITE", 1)
        gone, issue = make_issues(2, title="zebra")
        ask_for_rebuild("first")
        with pytest.raises(KeyboardInterrupt):
            rebuild(index, between=killed)
        index.close()
        ask_for_rebuild("second", fresh=True)
        SearchChange.objects.all().delete()
        Issue.objects.filter(pk=gone.pk).delete()
        SearchChange.objects.all().delete()
        assert rebuild(index, between=nothing)
        assert found("zebra") == {issue.pk}
        assert SearchBuild.objects.get().reason == "second"


def make_long_issues(count: int) -> list[Issue]:
    """Issues of which no two have a word in common but the title, so that they fill the disk."""
    letters, repository = random.Random(1), make_repository()  # noqa: S311
    words = (" ".join("".join(letters.choices(ascii_lowercase, k=8)) for _ in range(60)) for _ in range(count))
    return [make_issue(repository=repository, title="zebra", body=body) for body in words]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process may grow beyond some kilobytes: the index's notes can be written, documents cannot."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (24_576, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.django_db
@pytest.mark.drill("A full disk leaves no hollow index in use")
class TestFullDisk:
    def test_what_a_failed_commit_lost_is_made_again(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        """The rebuild tries again with the same writer, and then there is room."""
        monkeypatch.setattr(indexing, "WRITE", 100)
        issues = make_long_issues(300)
        ask_for_rebuild("for a test")
        with full_disk():
            for _ in range(3):
                with pytest.raises(EngineUnavailableError):
                    rebuild(index, between=nothing)
        assert rebuild(index, between=nothing)
        assert found("zebra") == {issue.pk for issue in issues}
        assert backends.current().size() == 300

    def test_a_change_that_could_not_be_written_waits(self, index: Index) -> None:
        issues = make_long_issues(300)
        build(index)
        Issue.objects.update(title="giraff")
        with full_disk(), pytest.raises(EngineUnavailableError):
            apply_changes(index)
        while apply_changes(index):
            pass
        assert found("giraff") == {issue.pk for issue in issues}
        assert backends.current().size() == 300

    def test_an_index_of_another_size_takes_no_place(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever loses documents: the index in use answers until a whole one is made."""
        make_issues(3, title="zebra")
        build(index)
        ask_for_rebuild("again")
        SearchChange.objects.all().delete()
        with monkeypatch.context() as patch:
            patch.setattr(Rows, "put", nothing)
            with pytest.raises(EngineUnavailableError, match="It holds 0 issues, and there are 3"):
                rebuild(index, between=nothing)
        assert len(found("zebra")) == 3
        assert rebuild(index, between=nothing)
        assert len(found("zebra")) == 3

    def test_the_indexer_rebuilds_an_index_of_another_size(self, index: Index) -> None:
        issues = make_issues(3, title="zebra")
        build(index)
        SearchChange.objects.all().delete()
        index.apply([], [issue.pk for issue in issues])
        index.close()
        assert found("zebra") == set()
        assert Indexer().run_once()
        assert found("zebra") == {issue.pk for issue in issues}
        assert "It holds 0 issues, and there are 3." in SearchBuild.objects.latest("pk").reason


@pytest.mark.django_db
class TestReasons:
    def test_none(self, index: Index) -> None:
        build(index)
        assert reason_to_rebuild() == ""

    def test_there_is_no_index(self) -> None:
        assert "no search index" in reason_to_rebuild()

    def test_the_index_is_damaged(self, index: Index, settings: Settings) -> None:
        build(index)
        index.close()
        for path in settings.SEARCH_INDEX_DIR.rglob("meta.json"):
            path.write_text("?")
        backends._backend.cache_clear()
        assert reason_to_rebuild() != ""

    def test_documents_are_made_otherwise_now(self, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
        build(index)
        monkeypatch.setattr(indexing, "_program", lambda: "another one")
        assert "another one" in reason_to_rebuild()

    def test_the_folder_is_another_databases(self, index: Index, settings: Settings) -> None:
        build(index)
        note = settings.SEARCH_INDEX_DIR / hosts.NOTE
        note.write_text(note.read_text().replace(indexing.made_of(), "another database"))
        assert "the database" in reason_to_rebuild()

    def test_the_tables_were_restored(self, index: Index) -> None:
        build(index)
        SearchHost.objects.update(made_of="before the restore")
        assert "the database" in reason_to_rebuild()


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
        assert "Another indexer is at work" in said.getvalue()
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
