"""The facts of git histories that ship with the project: releases, and the changes that are fixes in records.

A file for each repository, `owner__name.json`, one line for each release and change, as `manage.py export_history`
writes it. No title and no text of others is in it. A history that was read on this machine is not overwritten.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

from django.db import transaction
from packaging.version import Version
from pydantic import Field, StringConstraints

from kb.core.histories import ChangeFacts, ReleaseFacts, Run, Size, Standing
from kb.core.yaml_files import Strict, Text
from kb.models import Change, History, Release, Repository
from kb.services import histories
from kb.services.affected import follow_history
from kb.services.repositories import known_repositories
from kb.services.rows import Changes

HISTORIES = Path(__file__).parent / "histories"
# Before the digest of a file; digests of refs are nothing but hexadecimal.
FILE = History.FROM_FILE

Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]


class ReleaseLine(Strict):
    """A release."""

    tag: Text
    version: Text
    on: dt.date
    commit: Commit


class ChangeLine(Strict):
    """A change that is a fix. `size`: files, additions, deletions; `stands`: releases of oldest and youngest line."""

    commit: Commit
    merged: dt.datetime
    pull: int | None = None
    bundled: tuple[int, ...] = ()
    picks: tuple[Commit, ...] = ()
    size: tuple[int, int, int] | None = None
    first: tuple[Text, ...] = ()
    missing: tuple[Run, ...] = ()
    reverted_by: str = ""
    blamed: tuple[Commit, ...] | None = Field(default=None, max_length=2)
    stands: tuple[str, str] = ("", "")


class HistoryFile(Strict):
    """A repository's history."""

    repository: Text
    newest: dt.date
    commits: int
    releases: tuple[ReleaseLine, ...]
    changes: tuple[ChangeLine, ...]


def load_histories(root: Path = HISTORIES) -> Changes:
    """Load the files of repositories that the database has, and bring fixes and ranges in line with all histories."""
    known = known_repositories()
    changes = Changes()
    for path in sorted(root.glob("*.json")):
        text = path.read_text("utf-8")
        file = HistoryFile.model_validate_json(text)
        host, _, name = file.repository.partition("/")
        owner = known.find((host, name.lower()))
        if owner is not None:
            changes += _load(owner, file, FILE + hashlib.sha256(text.encode()).hexdigest()[:32])
    for history in History.objects.select_related("repository").order_by("pk"):
        repository = history.repository
        by_fix = histories.changes_by_fix(repository)
        changes += Changes(changed=histories.follow_changes(repository=repository, changes=by_fix))
        changes += follow_history(repository=repository, changes=by_fix)
    return changes


@transaction.atomic
def _load(repository: Repository, file: HistoryFile, digest: str) -> Changes:
    """Load one file unless it was loaded before, or the history itself was read here."""
    history = History.objects.filter(repository=repository).first()
    if history is not None and (history.refs_digest == digest or not history.refs_digest.startswith(FILE)):
        return Changes()
    changed = histories.save_releases(
        repository=repository,
        releases=[ReleaseFacts(line.tag, Version(line.version), line.on, line.commit) for line in file.releases],
    )
    histories.save_changes(
        repository=repository,
        changes=[_facts(line) for line in file.changes],
        sizes={line.commit: Size(*line.size) for line in file.changes if line.size},
    )
    histories.forget_changes(repository=repository, kept=[line.commit for line in file.changes])
    _save_standings(repository, file.changes)
    values = {
        "refs_digest": digest,
        "newest_on": file.newest,
        "commits": file.commits,
        "read_at": _midnight(file.newest),
    }
    History.objects.update_or_create(repository=repository, defaults=values)
    return changed


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def _facts(line: ChangeLine) -> ChangeFacts:
    return ChangeFacts(
        commit=line.commit,
        merged_at=line.merged,
        pull_number=line.pull,
        bundled=line.bundled,
        picks=line.picks,
        is_fix=True,
        reverted_by=line.reverted_by,
        first_releases=line.first,
        missing=line.missing,
    )


def _save_standings(repository: Repository, lines: Iterable[ChangeLine]) -> None:
    ids = dict(Change.objects.filter(repository=repository).values_list("commit", "pk"))
    standings: dict[int, Standing | None] = {}
    for line in lines:
        if line.blamed is not None:
            standings[ids[line.commit]] = _standing(line.blamed, line.stands)
    histories.save_standings(standings=standings)


def _standing(commits: tuple[str, ...], versions: tuple[str, str]) -> Standing | None:
    if not commits:
        return None
    oldest, youngest = versions
    return Standing(commits[0], commits[-1], oldest or None, youngest or None)


def history_path(root: Path, repository: Repository) -> Path:
    """A repository's file."""
    return root / f"{repository.full_name.replace('/', '__')}.json".lower()


def dumped(repository: Repository) -> str:
    """A history that was read, as its file has it: releases, and those changes that are fixes."""
    history = History.objects.get(repository=repository)
    releases = Release.objects.filter(repository=repository).order_by("position")
    fixes = {change.commit: change for change in histories.changes_by_fix(repository).values()}
    head = {
        "repository": f"{repository.host}/{repository.full_name}",
        "newest": str(history.newest_on),
        "commits": history.commits,
    }
    parts = [json.dumps(head)[:-1]]
    parts.append(_listed("releases", map(_release_line, releases)))
    parts.append(_listed("changes", (_change_line(fixes[commit]) for commit in sorted(fixes))))
    return ",\n".join(parts) + "}\n"


def _listed(name: str, lines: Iterable[dict[str, object]]) -> str:
    return f'"{name}": [\n' + ",\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n]"


def _release_line(release: Release) -> dict[str, object]:
    return {"tag": release.tag, "version": release.version, "on": str(release.released_on), "commit": release.commit}


def _change_line(change: Change) -> dict[str, object]:
    """What is not empty."""
    return {"commit": change.commit, "merged": change.merged_at.isoformat(), **dict(_known(change))}


def _known(change: Change) -> Iterator[tuple[str, object]]:
    if change.pull_number is not None:
        yield "pull", change.pull_number
    if change.bundled:
        yield "bundled", change.bundled
    if change.picks:
        yield "picks", change.picks
    if change.files is not None:
        yield "size", [change.files, change.additions, change.deletions]
    if change.first_releases:
        yield "first", change.first_releases
    if change.missing:
        yield "missing", change.missing
    if change.reverted_by:
        yield "reverted_by", change.reverted_by
    if change.blamed is not None:
        yield "blamed", change.blamed
    if change.stands_since_oldest:
        yield "stands", [change.stands_since_oldest, change.stands_since]
