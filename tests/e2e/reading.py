"""A repository of a double while it is read for the first time, and afterwards, for browser tests and pictures.

One of its issues has all that a mirrored issue can have: a log, comments, a fix, attempts, and what rules suggest.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test import override_settings

from ingest.hosts.connections import connect
from ingest.models import LeftOut, Mirror
from ingest.services.mirrors import add_mirror
from ingest.services.suggestions import suggest_labels
from ingest.sync.mirror_run import bring_up_to_date
from ingest.sync.session import Progress
from kb.models import Issue
from tests.doubles.github import GitHubDouble, World

ISSUES, PULLS = 260, 40
# The world numbers issues and pull requests together; the rich issue comes before its two pull requests.
RICH = ISSUES + PULLS - 2
MIRROR = "/status/github.com/octo/engine/"
WHILE_READ = {"status-reading": "/status/", "mirror-reading": MIRROR}
READ = {
    "status-read": "/status/",
    "mirror": MIRROR,
    "kept": f"{MIRROR}kept/",
    "left-out": f"{MIRROR}left-out/",
    "issue-mirrored": f"/issues/github.com/octo/engine/{RICH}",
    "comments": f"/issues/github.com/octo/engine/{RICH}/comments",
    "search-suggested": "/issues/?source=rule",
}

REPORT = """### Describe the bug

Training with LoRA **hangs** in `all_reduce` after some hundred steps, on two nodes.

##### Log

```
[rank1]:[E] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4211, OpType=ALLREDUCE, Timeout(ms)=600000)
```

### Versions

| what | which |
|---|---|
| torch | 2.5.1 |
| nodes | 2 |

![what py-spy shows](https://example.org/py-spy.png)
"""
SAID = (
    (
        "another-user",
        "The same here, with `NCCL_DEBUG=INFO`:\n\n```\nNCCL INFO comm 0x55d0 rank 1 nranks 16 - Abort\n```",
    ),
    (
        "maintainer",
        "# What to try\n\n1. one node\n2. `--no-overlap`\n\n### If that helps\n\nThen it is the second stream.",
    ),
    ("reporter", "> one node\n\nIt does not hang there."),
    (None, "See https://github.com/octo/engine/issues/1."),
    ("another-user", "Thanks!"),
)


class Reading:
    """A first reading in a thread of its own, which stands still after its first page until it may go on."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self.has_begun, self.may_go_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            bring_up_to_date(mirror=self._mirror, host=connect(repository=self._mirror.repository), tell=self._tell)
        finally:
            connection.close()

    def _tell(self, _progress: Progress) -> None:
        self.has_begun.set()
        self.may_go_on.wait(120)

    def end(self) -> None:
        """Let it go on, and wait for its end."""
        self.may_go_on.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


def make_world() -> World:
    """A repository with the rich issue in it."""
    world = World.generate(issues=ISSUES - 1, pulls=PULLS - 2, comments=600, seed=5)
    here = world.repository
    issue = world.open_issue(here, title="[Bug]: training with LoRA hangs on two nodes", body=REPORT, labels=("bug",))
    for login, body in SAID:
        world.now += 5_400
        world.comment(issue, body, login=login)
    given_up = world.open_pull(here, title="Wait longer", closes=[issue], how="sidebar")
    world.close(given_up)
    fix = world.open_pull(here, title="Wait for the second stream", closes=[issue], how="sidebar", size=(48, 7, 3))
    world.now += 5_400
    world.merge_closing(fix)
    return world


@contextmanager
def served_world() -> Iterator[World]:
    """The world behind the addresses that the settings name."""
    world = make_world()
    with GitHubDouble(world) as double, override_settings(
        GITHUB_API_URL=double.api_url, GITHUB_GRAPHQL_URL=double.graphql_url, GITHUB_TOKENS=["one-token"]
    ):  # fmt: skip
        yield world


def begin_reading(world: World) -> Reading:
    """Mirror the world's repository; returns when the first page was read."""
    mirror, _ = add_mirror(url=f"https://github.com/{world.repository.full_name}")
    reading = Reading(mirror)
    assert reading.has_begun.wait(60)
    return reading


def finish_reading(reading: Reading) -> None:
    """Read the rest, have rules suggest what the rich issue is about, and leave something out."""
    reading.end()
    mirror = Mirror.objects.get()
    suggest_labels(issue_ids=[rich_issue().pk])
    LeftOut.objects.create(mirror=mirror, ref="9000", kind="issue", title="Wrong gradient of a convolution")


def rich_issue() -> Issue:
    """The issue that has everything."""
    return Issue.objects.get(repository__full_name="octo/engine", ref=str(RICH))
