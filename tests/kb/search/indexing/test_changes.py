"""What changes is fed to the index in use, and what changed otherwise makes a new one."""

import pytest
from pytest_django import Settings

from kb.core.search.tantivy import schema
from kb.models import Issue, SearchChange, SearchHost
from kb.search import backends, hosts, indexing, outbox
from kb.search.backends import EngineUnavailableError, Index
from kb.search.indexing import apply_changes, reason_to_rebuild
from tests.kb.search.indexing.made import build, found, killed
from tests.support.factories import make_issue, make_issues


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
