"""Changes of a repository as a whole, and of what leaves it: labels, its name, issues deleted or moved elsewhere."""

from dataclasses import replace

from tests.doubles.github.issue_changes import IssueChanges
from tests.doubles.github.store import locked, node_id
from tests.doubles.github.values import Comment, Issue, Repository, Tombstone
from tests.doubles.github.wire import odd_text


class RepositoryChanges(IssueChanges):
    """What a repository's owners do."""

    @locked
    def rename_label(self, repository: Repository, name: str, new_name: str) -> None:
        """Give a label another name; its issues are not stamped."""
        label = repository.labels.pop(name)
        label.name = odd_text(new_name)
        repository.labels[new_name] = label
        repository.version += 1

    @locked
    def delete_label(self, repository: Repository, name: str) -> None:
        """Delete a label; its issues lose it and are not stamped."""
        label = repository.labels.pop(name)
        del self.nodes[label.node_id]
        for item in repository.items.values():
            if label in item.labels:
                item.labels.remove(label)
        repository.version += 1

    @locked
    def rename_repository(self, repository: Repository, full_name: str) -> None:
        """Give the repository another name; the old one leads on until somebody takes it."""
        repository.full_name = full_name
        repository.owner = self.user(full_name.split("/")[0])
        repository.updated_at = self.stamp()
        self.names[full_name.lower()] = repository.id
        repository.version += 1

    @locked
    def delete(self, issue: Issue) -> None:
        """Delete an issue: its number answers 410, its node id is unknown."""
        self._leave(issue)
        issue.repository.tombstones[issue.number] = Tombstone(issue)
        issue.repository.version += 1

    @locked
    def transfer(self, issue: Issue, target: Repository) -> Issue:
        """Move an issue: another number, other ids, comments with it; the old number leads to it.

        Labels are kept where the target has one of that name, links to pull requests where they were.
        """
        own, old = self.new_id(), issue.repository
        moved = Issue(
            id=own,
            node_id=node_id("I", target.id, own),
            repository=target,
            number=self.next_number(target),
            title=issue.title,
            body=issue.body,
            user=issue.user,
            association=issue.association,
            created_at=issue.created_at,
            updated_at=self.stamp(),
            closed_at=issue.closed_at,
            state=issue.state,
            state_reason=issue.state_reason,
            labels=[target.labels[label.name] for label in issue.labels if label.name in target.labels],
            reactions=issue.reactions,
            locked=issue.locked,
            links=list(issue.links),
        )
        self._leave(issue)
        self.put(moved)
        moved.events = [replace(event, item=moved) for event in issue.events]
        for comment in issue.comments:
            self.put(self._moved_comment(comment, moved))
        for pull in moved.links:
            pull.closes.append(moved)
        old.tombstones[issue.number] = Tombstone(issue, moved)
        old.version += 1
        return moved

    def _moved_comment(self, comment: Comment, moved: Issue) -> Comment:
        own = self.new_id()
        return Comment(
            id=own,
            node_id=node_id("IC", moved.repository.id, own),
            item=moved,
            body=comment.body,
            user=comment.user,
            association=comment.association,
            created_at=comment.created_at,
            updated_at=comment.updated_at,
            last_edited_at=comment.last_edited_at,
            is_minimized=comment.is_minimized,
        )

    def _leave(self, issue: Issue) -> None:
        self.drop(issue)
        for pull in issue.links:
            pull.closes.remove(issue)

    @locked
    def set_features(
        self, repository: Repository, *, has_issues: bool | None = None, archived: bool | None = None
    ) -> None:
        """Turn issues on or off, or put the repository away for good."""
        repository.has_issues = repository.has_issues if has_issues is None else has_issues
        repository.archived = repository.archived if archived is None else archived
        repository.updated_at = self.stamp()
        repository.version += 1
