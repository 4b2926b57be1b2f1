"""Reading a repository's git history into tables: one writer for each, gone on with where it was cut short."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from ingest.git.cloning import own_clone, source_of
from ingest.git.history import Asked, ReadHistory, digest_of, read_history, refs_of
from ingest.git.running import Git, GitError
from kb.core.histories import Standing
from kb.models import Change, History, Repository
from kb.services import histories
from kb.services.affected import follow_history
from kb.services.locks import LockHeldError, session_lock

BATCH = 500
# Looking where lines come from takes a good part of a second for each fix.
FEW = 20
Item = TypeVar("Item")


@dataclass(frozen=True)
class ReadReport:
    """What a reading brought; `is_new` is False where nothing had changed."""

    is_new: bool
    commits: int = 0
    releases: int = 0
    changes: int = 0
    counted: int = 0
    fixes: int = 0
    links: int = 0
    ranges: int = 0


def read_repository(
    *, repository: Repository, source: str = "", tell: Callable[[str], None] = lambda _line: None
) -> ReadReport:
    """Read a repository's history from a folder or an address, by default from its host.

    Raises `ingest.git.running.HistoryError`, `GitError`, or `LockHeldError` where another reads it.
    """
    place = source_of(source or f"{repository.url}.git")
    with session_lock(("history", str(repository.pk))):
        git = Git(place) if isinstance(place, Path) else own_clone(place, clone_folder(repository))
        asked = asked_of(repository)
        refs = refs_of(git)
        if History.objects.filter(repository=repository, refs_digest=digest_of(refs, asked)).exists():
            return ReadReport(is_new=False)
        history = read_history(git, host=repository.host, repository=repository.full_name, asked=asked)
        tell(f"{len(history.graph.shas)} commits, {len(history.releases)} releases, {len(history.changes)} changes")
        counted = _save_changes(repository, history, asked)
        links = histories.link_closed_issues(repository=repository)
        for standings in batches(_standings(repository, history), FEW):
            histories.save_standings(standings=dict(standings))
        return replace(_finish(repository, history, refs), counted=counted, links=links)


def cloned_repositories() -> list[int]:
    """The ids of the repositories of which we keep a clone of our own: `read_history` made it."""
    repositories = Repository.objects.filter(history__isnull=False).order_by("history__read_at", "pk")
    return [repository.pk for repository in repositories if clone_folder(repository).is_dir()]


def read_again(*, repository_id: int) -> None:
    """Read what is new in our clone's history, unless another does."""
    repository = Repository.objects.filter(pk=repository_id).first()
    if repository is not None:
        with suppress(LockHeldError):
            read_repository(repository=repository)


def clone_folder(repository: Repository) -> Path:
    """Where we keep our own clone of a repository."""
    return Path(settings.HISTORIES_DIR) / repository.host / f"{repository.full_name.replace('/', '+')}.git"


def asked_of(repository: Repository) -> Asked:
    """What is known as fixes in the repository."""
    pulls: set[int] = set()
    commits: set[str] = set()
    for fix in histories.fixes_in(repository):
        word, ref = fix.name_parts
        if word in histories.PULL_WORDS and ref.isdigit():
            pulls.add(int(ref))
        elif word == "commit":
            commits.add(ref)
    return Asked(frozenset(pulls), frozenset(commits))


def _save_changes(repository: Repository, history: ReadHistory, asked: Asked) -> int:
    """Write changes in batches, with the sizes that are not known yet: a killed run's batches stay."""
    known = set(Change.objects.filter(repository=repository).exclude(files=None).values_list("commit", flat=True))
    uncounted = [change.commit for change in history.changes if change.commit not in known]
    histories.save_changes(
        repository=repository, changes=[change for change in history.changes if change.commit in known]
    )
    counted = 0
    # Our own clone asks the host for each file: only those of fixes are worth it.
    if history.git.may_fetch:
        wanted = {change.commit for change in history.changes if asked.names(change)}
        rest = [history.by_commit[commit] for commit in uncounted if commit not in wanted]
        histories.save_changes(repository=repository, changes=rest)
        uncounted = [commit for commit in uncounted if commit in wanted]
    for batch in batches(history.sizes(uncounted)):
        changes = [history.by_commit[commit] for commit, _ in batch]
        histories.save_changes(repository=repository, changes=changes, sizes=dict(batch))
        counted += len(batch)
    return counted


def batches(items: Iterator[Item], most: int = 0) -> Iterator[list[Item]]:
    """The items in lists of bounded length."""
    while batch := list(islice(items, most or BATCH)):
        yield batch


def _standings(repository: Repository, history: ReadHistory) -> Iterator[tuple[int, Standing | None]]:
    """Since when the lines stand that known fixes removed. Lines are looked for once, their releases each time.

    Our own clone has no files to look in, and any other may lack some: then nothing is said.
    """
    for change in histories.changes_by_fix(repository).values():
        blamed = change.blamed
        if blamed is None and not history.git.may_fetch and change.commit in history.by_commit:
            with suppress(GitError):
                blamed = list(history.removed_lines(change.commit))
        if blamed is not None:
            yield change.pk, history.standing(blamed[0], blamed[-1]) if blamed else None


@transaction.atomic
def _finish(repository: Repository, history: ReadHistory, refs: str) -> ReadReport:
    """What must agree is written at once, and then that it was read."""
    histories.forget_changes(repository=repository, kept=list(history.by_commit))
    histories.save_releases(repository=repository, releases=history.releases)
    by_fix = histories.changes_by_fix(repository)
    fixes = histories.follow_changes(repository=repository, changes=by_fix)
    ranges = follow_history(repository=repository, changes=by_fix)
    newest = max(history.graph.times)
    History.objects.update_or_create(
        repository=repository,
        defaults={
            "read_at": timezone.now(),
            # Links that were made now are known fixes the next time.
            "refs_digest": digest_of(refs, asked_of(repository)),
            "newest_on": dt.datetime.fromtimestamp(newest, dt.UTC).date(),
            "commits": len(history.graph.shas),
        },
    )
    return ReadReport(
        is_new=True,
        commits=len(history.graph.shas),
        releases=len(history.releases),
        changes=len(history.changes),
        fixes=fixes,
        ranges=ranges.created + ranges.changed + ranges.unchanged,
    )
