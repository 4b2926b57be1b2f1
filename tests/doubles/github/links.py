"""Links between issues and pull requests, and the events on an issue's timeline that tell of them.

GitHub does not stamp an issue when it is linked, named or taken off a link: only the text that does it is stamped.
"""

from typing import Any, Literal, TypeVar

from tests.doubles.github.store import Store, locked, node_id
from tests.doubles.github.values import (
    ClosedEvent,
    Commit,
    ConnectedEvent,
    CrossReferencedEvent,
    Event,
    Issue,
    Item,
    PullRequest,
    ReopenedEvent,
    Repository,
    User,
)  # fmt: skip
from tests.doubles.github.wire import odd_text

E = TypeVar("E", bound=Event)
How = Literal["text", "sidebar"]
PREFIXES: dict[type[Event], str] = {
    ClosedEvent: "CE",
    ReopenedEvent: "REE",
    CrossReferencedEvent: "CRE",
    ConnectedEvent: "CONE",
}


def reference(issue: Issue, repository: Repository) -> str:
    """How a text in this repository names the issue."""
    return f"{'' if issue.repository is repository else issue.repository.full_name}#{issue.number}"


class Links(Store):
    """What ties issues and pull requests together."""

    @locked
    def link(self, pull: PullRequest, issue: Issue, *, how: How = "text") -> None:
        """Say that the pull request closes the issue, by its text or by the side bar."""
        if issue in pull.closes:
            return
        if how == "text":
            pull.body = odd_text(f"{pull.body or ''}\n\nFixes {reference(issue, pull.repository)}".strip())
        self.connect(pull, issue, how=how, moment=self.touch(pull) if how == "text" else self.stamp())

    def connect(self, pull: PullRequest, issue: Issue, *, how: How, moment: int) -> None:
        """Enter a link and its event, with no stamp and no text."""
        pull.closes.append(issue)
        issue.links.append(pull)
        if how == "text":
            self._note(CrossReferencedEvent, issue, moment, pull.user, source=pull, will_close=True)
        else:
            self._note(ConnectedEvent, issue, moment, pull.user, source=pull)

    @locked
    def mention(self, pull: PullRequest, issue: Issue) -> None:
        """Name the issue in the pull request without a closing word."""
        pull.body = odd_text(f"{pull.body or ''}\n\nSee {reference(issue, pull.repository)}".strip())
        self.note_mention(pull, issue, self.touch(pull))

    def note_mention(self, pull: PullRequest, issue: Issue, moment: int) -> None:
        """Enter a mention's event, with no stamp and no text."""
        self._note(CrossReferencedEvent, issue, moment, pull.user, source=pull, will_close=False)

    @locked
    def unlink(self, pull: PullRequest, issue: Issue) -> None:
        """Take a side-bar link back; nothing is stamped."""
        pull.closes.remove(issue)
        issue.links.remove(pull)
        issue.events = [e for e in issue.events if not (isinstance(e, ConnectedEvent) and e.source is pull)]
        issue.repository.version += 1

    def note_closing(self, item: Item, by: PullRequest | Commit | None, moment: int, user: User | None = None) -> None:
        """Enter a closing's event."""
        self._note(ClosedEvent, item, moment, user or item.user, closer=by)

    def note_reopening(self, item: Item, moment: int) -> None:
        """Enter a reopening's event."""
        self._note(ReopenedEvent, item, moment, item.user)

    def _note(self, kind: type[E], item: Item, moment: int, user: User | None, **more: Any) -> None:
        own = self.new_id()
        name = node_id(PREFIXES[kind], item.repository.id, own)
        item.events.append(kind(id=own, node_id=name, item=item, created_at=moment, user=user, **more))
        item.repository.version += 1
