"""A rebuild beside the index in use, and what is left of it when it is broken off."""

from collections.abc import Iterator
from typing import Any

import pytest

from kb.core.search.tantivy import schema
from kb.models import Issue, SearchBuild, SearchChange
from kb.search import document_builder as building
from kb.search import indexing
from kb.search.backends import Index
from kb.search.indexing import KB, apply_changes, ask_for_rebuild, reason_to_rebuild, rebuild
from tests.kb.search.indexing.made import build, found, killed, nothing
from tests.support.factories import make_issue, make_issues


def test_a_change_of_what_hides_secrets_or_declares_filters_makes_the_index_anew() -> None:
    files = {path.relative_to(KB).as_posix() for path in indexing.SOURCES}
    assert {"core/secrets/masking.py", "filters/issues.py", "search/documents.py"} <= files
    assert all(path.is_file() for path in indexing.SOURCES)


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
