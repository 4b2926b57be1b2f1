"""Without a token GitHub answers sixty requests an hour: what they bring is kept, and nothing is asked beyond them."""

from collections.abc import Callable

from pytest_django import Settings

from ingest.models import Pending, SyncRun
from tests.ingest.sync.conftest import Mirrored


def test_what_came_before_the_limit_is_kept_though_each_issue_is_a_question(
    mirrored: Callable[..., Mirrored], settings: Settings
) -> None:
    replica = mirrored(issues=90, pulls=10, comments=50, seed=2)
    settings.GITHUB_TOKENS = []
    run = replica.sync(patience=0.5).run
    assert run.status == SyncRun.Status.LIMITED
    assert run.detailed > 40
    assert Pending.objects.count() == 90 - run.detailed
    assert len(replica.double.requests) <= 60
