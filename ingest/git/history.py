"""One repository's whole history as values: releases, changes and what the changes alter."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.git.blame import commits_of_removed
from ingest.git.changes import changes_of, land
from ingest.git.graph import Graph, commits_of, head_of, read_graph, refuse_unreadable
from ingest.git.landings import Landings
from ingest.git.running import Git
from ingest.git.sizes import sizes_of
from ingest.git.tags import read_releases
from kb.core.histories import ChangeFacts, ReleaseFacts, Size, Standing

# Another number where the same refs would be read otherwise.
READER = 2


@dataclass(frozen=True)
class Asked:
    """What somebody knows as fixes in a repository: pull requests, and commits or their beginnings."""

    pulls: frozenset[int] = frozenset()
    commits: frozenset[str] = frozenset()

    def names(self, change: ChangeFacts) -> bool:
        """Whether the change is one of these."""
        return change.pull_number in self.pulls or change.commit.startswith(tuple(self.commits))


@dataclass
class ReadHistory:
    """A history that was read."""

    git: Git
    landings: Landings
    changes: list[ChangeFacts]

    @property
    def graph(self) -> Graph:
        """Its commits."""
        return self.landings.graph

    @property
    def releases(self) -> Sequence[ReleaseFacts]:
        """Its releases."""
        return self.landings.releases

    @cached_property
    def by_commit(self) -> dict[str, ChangeFacts]:
        """Its changes by their commits."""
        return {change.commit: change for change in self.changes}

    def sizes(self, commits: Iterable[str]) -> Iterator[tuple[str, Size | None]]:
        """The sizes of commits, as they are counted."""
        yield from sizes_of(self.git, [(commit, self.parent_of(commit)) for commit in commits])

    def removed_lines(self, commit: str) -> tuple[str, ...]:
        """The commits of the lines that a change removes, the oldest and the youngest. Raises `GitError`."""
        parent = self.parent_of(commit)
        lines = commits_of_removed(self.git, commit, parent) if parent else set()
        places = sorted((self.graph.places[line] for line in lines if line in self.graph.places), reverse=True)
        return (self.graph.shas[places[0]], self.graph.shas[places[-1]]) if places else ()

    def standing(self, oldest: str, youngest: str) -> Standing:
        """Since when two commits' lines stand, by releases."""
        return Standing(oldest, youngest, self._first_release(oldest), self._first_release(youngest))

    def _first_release(self, commit: str) -> str | None:
        place = self.graph.places.get(commit)
        return self.landings.first_release(place) if place is not None else None

    def parent_of(self, commit: str) -> str | None:
        """A commit's first parent."""
        return next(iter(self.graph.parents[self.graph.places[commit]]), None)


def refs_of(git: Git) -> str:
    """Where every branch and tag is. Raises `HistoryError`."""
    refuse_unreadable(git)
    refs = git.text("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
    return f"{head_of(git)}\n{refs}"


def digest_of(refs: str, asked: Asked) -> str:
    """Changes with any branch or tag, and with what is asked."""
    told = f"{READER}\n{refs}{sorted(asked.pulls)}{sorted(asked.commits)}"
    return hashlib.sha256(told.encode()).hexdigest()


def read_history(git: Git, *, host: str, repository: str, asked: Asked) -> ReadHistory:
    """Read all of a history. Raises `HistoryError` or `GitError`."""
    names = {f"refs/pull/{number}/head": number for number in sorted(asked.pulls)}
    heads = {names[name]: commit for name, commit in commits_of(git, names).items()}
    graph = read_graph(git, host=host, repository=repository, tips=list(heads.values()))
    releases = read_releases(git, graph)
    landings = land(graph, releases, head=head_of(git), commits=asked.commits, pull_heads=heads)
    return ReadHistory(git, landings, changes_of(landings))
