"""A full disk leaves no index in use that lacks what the database has."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kb.core.search.tantivy.writer import Rows
from kb.models import Issue, SearchBuild, SearchChange
from kb.search import backends, indexing
from kb.search.backends import EngineUnavailableError, Index
from kb.search.indexer import Indexer
from kb.search.indexing import apply_changes, ask_for_rebuild, rebuild
from tests.kb.search.indexing.made import build, found, make_long_issues, nothing
from tests.support.factories import make_issues


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
