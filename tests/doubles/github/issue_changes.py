"""Changes of issues, pull requests and their comments, each stamped as GitHub stamps it; links are in `links`."""

from collections.abc import Sequence
from enum import Enum

from tests.doubles.github.links import How, Links
from tests.doubles.github.store import locked, node_id
from tests.doubles.github.values import Comment, Commit, Issue, Item, PullRequest, Repository
from tests.doubles.github.wire import odd_text


class Keep(Enum):
    """A field that an edit leaves as it is, where None would empty it."""

    KEEP = 0


KEEP = Keep.KEEP


class IssueChanges(Links):
    """What people do to issues and pull requests."""

    @locked
    def open_issue(
        self,
        repository: Repository,
        *,
        title: str = "It fails",
        body: str | None = "It fails at the first step.",
        login: str | None = "reporter",
        labels: Sequence[str] = (),
    ) -> Issue:
        """Open an issue; no login makes it a deleted user's."""
        number, moment, own = self.next_number(repository), self.stamp(), self.new_id()
        issue = Issue(
            id=own,
            node_id=node_id("I", repository.id, own),
            repository=repository,
            number=number,
            title=odd_text(title),
            body=odd_text(body) if body is not None else None,
            user=self.user(login) if login else None,
            association="NONE",
            created_at=moment,
            updated_at=moment,
            labels=[self.add_label(repository, name) for name in labels],
        )
        self.put(issue)
        return issue

    @locked
    def open_pull(
        self,
        repository: Repository,
        *,
        title: str = "Mend it",
        body: str | None = "",
        login: str | None = "maintainer",
        closes: Sequence[Issue] = (),
        how: How = "text",
        size: tuple[int, int, int] = (10, 2, 1),
    ) -> PullRequest:
        """Open a pull request; `size` is lines added, lines deleted, files."""
        number, moment, own, pull_id = self.next_number(repository), self.stamp(), self.new_id(), self.new_id()
        pull = PullRequest(
            id=own,
            pull_id=pull_id,
            node_id=node_id("PR", repository.id, pull_id),
            repository=repository,
            number=number,
            title=odd_text(title),
            body=odd_text(body) if body is not None else None,
            user=self.user(login) if login else None,
            association="MEMBER",
            created_at=moment,
            updated_at=moment,
            additions=size[0],
            deletions=size[1],
            changed_files=size[2],
        )
        self.put(pull)
        for issue in closes:
            self.link(pull, issue, how=how)
        return pull

    @locked
    def edit(self, item: Item, *, title: str | Keep = KEEP, body: str | Keep | None = KEEP) -> None:
        """Change the title, the body or both."""
        if not isinstance(title, Keep):
            item.title = odd_text(title)
        if not isinstance(body, Keep):
            item.body = odd_text(body) if body is not None else None
        self.touch(item)

    @locked
    def close(self, item: Item, *, reason: str = "completed", by: PullRequest | Commit | None = None) -> None:
        """Close an issue, or a pull request without merging it."""
        if item.state == "closed":
            raise ValueError(f"#{item.number} is closed already")
        moment = self.touch(item)
        item.state, item.closed_at = "closed", moment
        item.state_reason = reason if isinstance(item, Issue) else None
        self.note_closing(item, by, moment)

    @locked
    def reopen(self, item: Item) -> None:
        """Open a closed issue again; what is merged stays closed."""
        if item.state == "open" or (isinstance(item, PullRequest) and item.merged_at):
            raise ValueError(f"#{item.number} cannot be reopened")
        moment = self.touch(item)
        item.state, item.closed_at = "open", None
        item.state_reason = "reopened" if isinstance(item, Issue) else None
        self.note_reopening(item, moment)

    @locked
    def merge_closing(self, pull: PullRequest) -> None:
        """Merge a pull request, which closes the open issues that it is linked to."""
        self.close(pull)
        pull.merged_at = pull.closed_at
        for issue in pull.closes:
            if issue.state == "open":
                self.close(issue, by=pull)

    @locked
    def push(self, pull: PullRequest, *, size: tuple[int, int, int]) -> None:
        """Change what the pull request changes: lines added, lines deleted, files."""
        pull.additions, pull.deletions, pull.changed_files = size
        self.touch(pull)

    @locked
    def relabel(self, item: Item, names: Sequence[str]) -> None:
        """Give the issue these labels and no others."""
        item.labels = [self.add_label(item.repository, name) for name in names]
        self.touch(item)

    @locked
    def react(self, item: Item, count: int = 1) -> None:
        """Add reactions; nothing is stamped."""
        item.reactions += count
        item.repository.version += 1

    @locked
    def comment(self, item: Item, body: str = "The same here.", *, login: str | None = "passer-by") -> Comment:
        """Add a comment."""
        moment, own = self.touch(item), self.new_id()
        comment = Comment(
            id=own,
            node_id=node_id("IC", item.repository.id, own),
            item=item,
            body=odd_text(body),
            user=self.user(login) if login else None,
            association="NONE",
            created_at=moment,
            updated_at=moment,
        )
        self.put(comment)
        return comment

    @locked
    def edit_comment(self, comment: Comment, body: str, *, touch: bool = True) -> None:
        """Change a comment. Without `touch` the issue is not stamped, only the comment."""
        comment.body = odd_text(body)
        comment.updated_at = comment.last_edited_at = self.touch(comment.item) if touch else self.stamp()
        comment.item.repository.version += 1

    @locked
    def delete_comment(self, comment: Comment, *, touch: bool = True) -> None:
        """Delete a comment. Without `touch` the issue is not stamped, and only a sweep finds it."""
        comment.item.comments.remove(comment)
        del self.nodes[comment.node_id]
        comment.item.repository.version += 1
        if touch:
            self.touch(comment.item)
