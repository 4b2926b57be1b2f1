"""How made issues were closed: by hand, by a pull request or by a commit, and which links lead nowhere.

About 40 % of the closed ones were closed by a fix: most through a closing word in a pull request's text, some through
the side bar alone, some from another repository, some by a commit. Other links are to pull requests that were given up
or are still open, and many pull requests only name an issue.
"""

import random
from bisect import bisect

from tests.doubles.github.links import How, reference
from tests.doubles.github.repository_changes import RepositoryChanges
from tests.doubles.github.store import node_id
from tests.doubles.github.values import Commit, Issue, PullRequest, Repository
from tests.doubles.github.wire import odd_text

DAY = 86_400
WORDS = ["Fixes", "Closes", "Resolves", "fix", "closes"]
WAYS = {"text": 50, "sidebar": 20, "elsewhere": 12, "commit": 18}


class Fixes:
    """The outcomes of one repository's issues and pull requests."""

    def __init__(
        self, world: RepositoryChanges, rng: random.Random, repository: Repository, elsewhere: str, until: int
    ) -> None:
        self.world, self.rng, self.repository, self.until = world, rng, repository, until
        self.elsewhere = elsewhere
        self.pulls = world.pulls(repository)
        self.merged: list[PullRequest] = []
        self.merges: list[int] = []

    def make(self) -> None:
        """Decide about all of them."""
        for pull in self.pulls:
            self.decide(pull)
        self.merged = sorted((p for p in self.pulls if p.merged_at), key=lambda p: p.merged_at or 0)
        self.merges = [pull.merged_at or 0 for pull in self.merged]
        issues = self.world.issues(self.repository)
        for issue in issues:
            if self.rng.random() < 0.75:
                self.close(issue)
        self.add_loose_links(issues)
        for item in self.repository.items.values():
            item.events.sort(key=lambda event: event.created_at)

    def decide(self, pull: PullRequest) -> None:
        """Merge, give up or leave open one pull request."""
        chance = self.rng.random()
        moment = pull.created_at + 600 + int(self.rng.expovariate(1 / (5 * DAY)))
        if chance > 0.85 or moment > self.until:
            return
        pull.state, pull.closed_at = "closed", moment
        pull.merged_at = moment if chance < 0.7 else None
        self.world.note_closing(pull, None, moment)

    def close(self, issue: Issue) -> None:
        """Close one issue by a fix or by hand, unless it would be closed in the future."""
        rng = self.rng
        moment = issue.created_at + 300 + int(rng.expovariate(1 / (25 * DAY)))
        if moment > self.until:
            return
        if rng.random() < 0.4:
            way = rng.choices(list(WAYS), list(WAYS.values()))[0]
            self.fix(issue, way, moment)
            return
        reason = rng.choices(["completed", "not_planned", "duplicate"], [70, 24, 6])[0]
        self.shut(issue, moment, reason)
        self.world.note_closing(issue, None, moment)
        if rng.random() < 0.03:
            issue.state, issue.closed_at, issue.state_reason = "open", None, "reopened"

    def fix(self, issue: Issue, way: str, moment: int) -> None:
        """Close one issue by a fix."""
        if way == "elsewhere":
            self.fix_by_pull(issue, self.pull_elsewhere(moment), "text")
            return
        index = bisect(self.merges, issue.created_at + 3_600) + self.rng.randrange(12)
        if way == "commit" or index >= len(self.merged):
            self.shut(issue, moment, "completed")
            self.world.note_closing(issue, self.commit(moment), moment)
            return
        self.fix_by_pull(issue, self.merged[index], "sidebar" if way == "sidebar" else "text")
        if self.rng.random() < 0.06 and index + 1 < len(self.merged):
            self.link(self.merged[index + 1], issue, "text")

    def fix_by_pull(self, issue: Issue, pull: PullRequest, how: How) -> None:
        """Close one issue by a merged pull request; a link in the side bar may have come after the closing."""
        moment = pull.merged_at or pull.updated_at
        self.link(pull, issue, how)
        self.shut(issue, moment, "completed")
        by_hand = how == "sidebar" and self.rng.random() < 0.4
        self.world.note_closing(issue, None if by_hand else pull, moment, pull.user)

    def shut(self, issue: Issue, moment: int, reason: str) -> None:
        """Put an issue into its closed state."""
        issue.state, issue.closed_at, issue.state_reason = "closed", moment, reason

    def link(self, pull: PullRequest, issue: Issue, how: How) -> None:
        """Link the two, in the pull request's text or in the side bar alone."""
        if issue in pull.closes:
            return
        if how == "text":
            words = f"{self.rng.choice(WORDS)} {reference(issue, pull.repository)}"
            pull.body = odd_text(f"{pull.body or ''}\n\n{words}".strip())
        self.world.connect(pull, issue, how=how, moment=max(pull.created_at, issue.created_at))

    def pull_elsewhere(self, moment: int) -> PullRequest:
        """A merged pull request in another repository, with the moments of long ago."""
        world, rng = self.world, self.rng
        found = world.find(self.elsewhere)
        repository = found or world.add_repository(self.elsewhere, created_at=self.repository.created_at)
        repository.last_number += 1
        own, pull_id = world.new_id(), world.new_id()
        pull = PullRequest(
            id=own,
            pull_id=pull_id,
            node_id=node_id("PR", repository.id, pull_id),
            repository=repository,
            number=repository.last_number,
            title="Follow the engine",
            body=None,
            user=world.user("plugin-author"),
            association="MEMBER",
            created_at=moment - 7_200,
            updated_at=moment,
            closed_at=moment,
            state="closed",
            merged_at=moment,
            additions=rng.randint(1, 400),
            deletions=rng.randint(0, 200),
            changed_files=rng.randint(1, 20),
        )
        world.put(pull)
        return pull

    def commit(self, moment: int) -> Commit:
        """A commit whose message closes an issue."""
        rng = self.rng
        oid = f"{rng.getrandbits(160):040x}"
        return Commit(
            oid=oid,
            node_id=node_id("C", self.repository.id, self.world.new_id()),
            repository=self.repository,
            additions=rng.randint(1, 300),
            deletions=rng.randint(0, 120),
            changed_files=rng.randint(1, 12),
            committed_at=moment,
        )

    def add_loose_links(self, issues: list[Issue]) -> None:
        """Links to pull requests that were given up or are open, and mere mentions."""
        rng = self.rng
        loose = [pull for pull in self.pulls if not pull.merged_at]
        for issue in issues if loose else []:
            if rng.random() < 0.05:
                self.link(rng.choice(loose), issue, rng.choice(("text", "sidebar")))
        for pull in self.pulls if issues else []:
            if rng.random() < 0.1:
                issue = rng.choice(issues)
                if issue not in pull.closes:
                    pull.body = odd_text(f"{pull.body or ''}\n\nSee #{issue.number}".strip())
                    self.world.note_mention(pull, issue, max(pull.created_at, issue.created_at))
