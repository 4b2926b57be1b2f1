"""One repository's whole history as values: releases, changes and what the changes alter."""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ingest.git.changes import changes_of, land
from ingest.git.graph import Graph, commits_of, head_of, read_graph, refuse_unreadable
from ingest.git.running import Git
from ingest.git.sizes import sizes_of
from ingest.git.tags import read_releases
from kb.core.histories import ChangeFacts, ReleaseFacts, Size

# Another number where the same refs would be read otherwise.
READER = 1


@dataclass(frozen=True)
class Asked:
    """What somebody knows as fixes in a repository: pull requests, and commits or their beginnings."""

    pulls: frozenset[int] = frozenset()
    commits: frozenset[str] = frozenset()


@dataclass
class ReadHistory:
    """A history that was read."""

    git: Git
    graph: Graph
    releases: list[ReleaseFacts]
    changes: list[ChangeFacts]

    @cached_property
    def by_commit(self) -> dict[str, ChangeFacts]:
        """Its changes by their commits."""
        return {change.commit: change for change in self.changes}

    def sizes(self, commits: Iterable[str]) -> Iterator[tuple[str, Size | None]]:
        """The sizes of commits, as they are counted."""
        yield from sizes_of(self.git, [(commit, self.parent_of(commit)) for commit in commits])

    def parent_of(self, commit: str) -> str | None:
        """A commit's first parent."""
        return next(iter(self.graph.parents[self.graph.places[commit]]), None)


def digest_of(git: Git, asked: Asked) -> str:
    """Changes with any branch or tag, and with what is asked. Raises `HistoryError`."""
    refuse_unreadable(git)
    refs = git.text("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
    told = f"{READER}\n{head_of(git)}\n{refs}{sorted(asked.pulls)}{sorted(asked.commits)}"
    return hashlib.sha256(told.encode()).hexdigest()


def read_history(git: Git, *, host: str, repository: str, asked: Asked) -> ReadHistory:
    """Read all of a history. Raises `HistoryError` or `GitError`."""
    heads = _pull_heads(git, asked.pulls)
    graph = read_graph(git, host=host, repository=repository, tips=list(heads.values()))
    releases = read_releases(git, graph)
    landings = land(graph, releases, head=head_of(git), commits=asked.commits, pull_heads=heads)
    return ReadHistory(git, graph, releases, changes_of(landings))


def _pull_heads(git: Git, pulls: Collection[int]) -> dict[int, str]:
    """The last commits of pull requests, where the clone has them."""
    names = {f"refs/pull/{number}/head": number for number in sorted(pulls)}
    return {names[name]: commit for name, commit in commits_of(git, names).items()}
