"""The commits of a history and which releases contain them: bit masks over the graph, in one pass."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ingest.git.messages import Message, message_of
from ingest.git.running import SHA_LENGTHS, Git, GitError, HistoryError

# Header lines cannot hold a newline, so that the message begins in a known place whatever it says.
FORMAT = "%H%n%P%n%at %ae%n%ct%n%B"
HEADS = ("HEAD", "--branches", "--tags")
MOST_COMMITS = 2_000_000


@dataclass
class Graph:
    """Commits by place, newest first: a commit stands before its parents.

    `messages` has those commits alone from whose messages a change may follow. `alike` has the author, the author's
    time and the title as one number: a pick or a rebased commit keeps them.
    """

    shas: list[str] = field(default_factory=list)
    parents: list[tuple[str, ...]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    alike: list[int] = field(default_factory=list)
    messages: dict[int, Message] = field(default_factory=dict)

    @cached_property
    def places(self) -> dict[str, int]:
        """Places by commit."""
        return {sha: place for place, sha in enumerate(self.shas)}

    @cached_property
    def steps(self) -> list[tuple[int, ...]]:
        """The parents' places. Raises `HistoryError` where one is missing: the history is cut."""
        places = self.places
        try:
            return [tuple(places[sha] for sha in parents) for parents in self.parents]
        except KeyError as error:
            raise HistoryError(f"the history is cut: commit {error.args[0]} is missing; fetch all of it") from error

    def masks(self, marked: Mapping[int, int]) -> list[int]:
        """For each commit, the bits of all marked commits that contain it. `marked`: bits by place."""
        masks = [0] * len(self.shas)
        for place, bits in marked.items():
            masks[place] |= bits
        for place, parents in enumerate(self.steps):
            mask = masks[place]
            if mask:
                for parent in parents:
                    masks[parent] |= mask
        return masks

    def landings(self, head: int) -> dict[int, int]:
        """For each commit below `head`, the commit of its first-parent line that brought it."""
        trunk = [head]
        while self.steps[trunk[-1]]:
            trunk.append(self.steps[trunk[-1]][0])
        landed: dict[int, int] = {}
        for place in reversed(trunk):
            waiting = [place]
            while waiting:
                commit = waiting.pop()
                if commit not in landed:
                    landed[commit] = place
                    waiting += self.steps[commit]
        return landed

    def with_prefix(self, prefix: str) -> int | None:
        """The place of the only commit whose name begins so."""
        if prefix in self.places:
            return self.places[prefix]
        matches = [place for sha, place in self.places.items() if sha.startswith(prefix)]
        return matches[0] if len(matches) == 1 else None


def read_graph(git: Git, *, host: str, repository: str, tips: Sequence[str] = ()) -> Graph:
    """All commits of branches, tags and `tips`. Raises `HistoryError` or `GitError`."""
    refuse_unreadable(git)
    arguments = ("log", "-z", "--date-order", "--encoding=UTF-8", "--no-color", f"--format={FORMAT}", *HEADS)
    graph = Graph()
    for record in git.records(*arguments, "--stdin", asked=[*tips, "--"]):
        _add(graph, record, host, repository)
    if not graph.shas:
        raise HistoryError("the repository has no commit")
    return graph


def _add(graph: Graph, record: bytes, host: str, repository: str) -> None:
    sha, parents, author, time, body = record.split(b"\n", 4)
    if len(graph.shas) >= MOST_COMMITS:
        raise HistoryError(f"the history has more than {MOST_COMMITS} commits")
    message = message_of(body.decode("utf-8", "replace"), host=host, repository=repository)
    if not message.says_nothing:
        graph.messages[len(graph.shas)] = message
    graph.shas.append(sha.decode())
    graph.parents.append(tuple(parents.decode().split()))
    graph.times.append(int(time or 0))
    graph.titles.append(message.title)
    graph.alike.append(hash((author, message.title)))


def refuse_unreadable(git: Git) -> None:
    """Raises `HistoryError` unless the folder holds a whole history with a default branch."""
    try:
        is_shallow = git.text("rev-parse", "--is-shallow-repository").strip()
    except GitError as error:
        raise HistoryError(f"{git.folder} is no git repository") from error
    if is_shallow != "false":
        raise HistoryError("the clone is shallow, so that older commits are missing: clone all of the history")
    try:
        git.text("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
    except GitError as error:
        raise HistoryError("the repository has no default branch: HEAD leads to no commit") from error


def head_of(git: Git) -> str:
    """The commit at the tip of the default branch."""
    return git.text("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}").strip()


def commits_of(git: Git, names: Iterable[str]) -> dict[str, str]:
    """The commits that these refs lead to, through tags of tags; a ref to anything else has none."""
    asked = list(names)
    if not asked:
        return {}
    questions = [f"{name}^{{commit}}" for name in asked]
    commits: dict[str, str] = {}
    with git.started(("cat-file", "--batch-check=%(objectname)"), questions) as output:
        for name, line in zip(asked, output.read().decode("utf-8", "replace").splitlines(), strict=True):
            if len(line) in SHA_LENGTHS and " " not in line:
                commits[name] = line
    return commits


def refs_below(git: Git, prefix: str) -> Iterator[tuple[str, int]]:
    """Refs with this prefix, and the moment at which each was made, as seconds."""
    listing = git.text("for-each-ref", "--format=%(refname) %(creatordate:unix)", prefix)
    for line in listing.splitlines():
        name, _, seconds = line.partition(" ")
        yield name, int(seconds) if seconds.strip().isdigit() else 0
