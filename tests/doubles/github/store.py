"""The world's registers: repositories and their names, node ids, users, ids, and the clock that stamps changes.

What changes an issue or a repository is in `issue_changes` and `repository_changes`.
"""

import base64
import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Concatenate, ParamSpec, TypeVar

from tests.doubles.github.values import Comment, Event, Issue, Item, Label, Node, PullRequest, Repository, User
from tests.doubles.github.wire import odd_text

BEGINNING = 1_262_304_000  # 2010
FIRST_ID = 1_000_000_000

S = TypeVar("S", bound="Store")
P = ParamSpec("P")
R = TypeVar("R")


def locked(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Nobody reads the world while this method runs."""

    @functools.wraps(method)
    def under_lock(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self.lock:
            return method(self, *args, **kwargs)

    return under_lock


def _packed(number: int) -> bytes:
    """A number as MessagePack holds it in node ids."""
    return b"\xce" + number.to_bytes(4, "big") if number < 1 << 32 else b"\xcf" + number.to_bytes(8, "big")


def node_id(prefix: str, *numbers: int) -> str:
    """A node id in GitHub's present form: what it is, its repository's id, its own id."""
    packed = bytes([0x91 + len(numbers), 0]) + b"".join(_packed(number) for number in numbers)
    return f"{prefix}_{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


class Store:
    """Everything there is, found by name, number or node id. `lock` guards it all."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.repositories: dict[int, Repository] = {}
        self.names: dict[str, int] = {}
        self.nodes: dict[str, Node] = {}
        self.users: dict[str, User] = {}
        self.newest = BEGINNING
        self._last_id = FIRST_ID
        self._offset = 0.0
        self._held: int | None = None

    # The clock. It runs with the machine's unless moved, and never stands before the newest stamp.

    def clock(self) -> float:
        """Seconds since 1970 in this world, running; limits are counted in them."""
        return time.time() + self._offset

    def skip(self, seconds: float) -> None:
        """Let so much time pass at once, for whoever would only wait."""
        self._offset += seconds

    @property
    def now(self) -> int:
        """The present moment as answers tell it."""
        return max(int(self.clock()), self.newest)

    @now.setter
    def now(self, moment: int) -> None:
        if moment < self.newest:
            raise ValueError(f"something was changed at {self.newest}, after {moment}")
        self._offset = moment - time.time()

    def advance(self, seconds: float) -> None:
        """Let time pass at once."""
        self.now = int(self.now + seconds)

    def stamp(self) -> int:
        """The moment of a change: no two changes share a second, except inside `same_second`."""
        if self._held is None:
            self.newest = max(int(self.clock()), self.newest + 1)
        return self.newest

    @contextlib.contextmanager
    def same_second(self) -> Iterator[int]:
        """Everything changed inside is stamped with one and the same second."""
        with self.lock:
            self._held = self.stamp()
            try:
                yield self._held
            finally:
                self._held = None

    def touch(self, item: Item) -> int:
        """Stamp an issue as changed; returns the moment."""
        item.updated_at = self.stamp()
        item.repository.version += 1
        return item.updated_at

    # Ids and registers.

    def new_id(self) -> int:
        """An id nobody has yet."""
        self._last_id += 1
        return self._last_id

    def next_number(self, repository: Repository) -> int:
        """The next number of a repository, for an issue or a pull request."""
        repository.last_number += 1
        repository.version += 1
        return repository.last_number

    def user(self, login: str) -> User:
        """The user of this login, made when new."""
        if login not in self.users:
            number = self.new_id()
            self.users[login] = User(number, login, node_id("U", number))
        return self.users[login]

    def add_repository(self, full_name: str, *, created_at: int = BEGINNING) -> Repository:
        """An empty repository under a name that is free or only remembered."""
        taken = self.names.get(full_name.lower())
        if taken and self.repositories[taken].full_name.lower() == full_name.lower():
            raise ValueError(f"{full_name} is there already")
        number = self.new_id()
        repository = Repository(
            id=number,
            node_id=node_id("R", number),
            full_name=full_name,
            owner=self.user(full_name.split("/")[0]),
            created_at=created_at,
            updated_at=created_at,
        )
        self.repositories[number] = repository
        self.names[full_name.lower()] = number
        self.nodes[repository.node_id] = repository
        return repository

    def add_label(self, repository: Repository, name: str, color: str = "ededed") -> Label:
        """The repository's label of this name, made when new."""
        if name not in repository.labels:
            number = self.new_id()
            label = Label(number, node_id("LA", repository.id, number), odd_text(name), color)
            repository.labels[name] = label
            self.nodes[label.node_id] = label
        return repository.labels[name]

    def put(self, value: Issue | PullRequest | Comment) -> None:
        """Register an issue, a pull request or a comment that was just made."""
        self.nodes[value.node_id] = value
        if isinstance(value, Item):
            value.repository.items[value.number] = value
        else:
            value.item.comments.append(value)

    def drop(self, item: Item) -> None:
        """Forget an issue, its comments and events; its number is not given again."""
        del item.repository.items[item.number]
        gone: list[Item | Comment | Event] = [item, *item.comments, *item.events]
        for value in gone:
            self.nodes.pop(value.node_id, None)

    # Looking up.

    @property
    def repository(self) -> Repository:
        """The repository made first."""
        return next(iter(self.repositories.values()))

    def find(self, full_name: str) -> Repository | None:
        """The repository that has this name, or had it last."""
        number = self.names.get(full_name.lower())
        return self.repositories[number] if number else None

    def item(self, number: int, repository: Repository | None = None) -> Issue | PullRequest:
        """The issue or pull request of this number, in the first repository unless another is given."""
        found = (repository or self.repository).items[number]
        assert isinstance(found, Issue | PullRequest)
        return found

    def issues(self, repository: Repository | None = None) -> list[Issue]:
        """All issues of a repository by number."""
        with self.lock:
            return [item for item in (repository or self.repository).items.values() if isinstance(item, Issue)]

    def pulls(self, repository: Repository | None = None) -> list[PullRequest]:
        """All pull requests of a repository by number."""
        with self.lock:
            return [item for item in (repository or self.repository).items.values() if isinstance(item, PullRequest)]
