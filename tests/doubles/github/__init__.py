"""A test double of the GitHub API: a real HTTP server over a world in memory that can be changed and told as truth.

It speaks the part of REST and GraphQL that a mirror of issues needs, with GitHub's headers, limits and refusals, and
breaks off, slows down or lies on demand. It is for tests and benchmarks only: it listens on 127.0.0.1, believes every
token and keeps nothing.

In a test:

    world = World.generate(issues=200, pulls=100, seed=1)
    with GitHubDouble(world) as double:
        double.api_url, double.graphql_url          # point the client here
        double.faults.add("server_error", count=3, status=502)
        world.comment(world.item(5), "me too")      # the world moves, updated_at with it
        double.requests                             # what was asked, and whether it was allowed to be
    truth(world, world.repository)                  # what a mirror must hold now

As a process of its own: `python -m tests.doubles.github --issues 10000 --pulls 5000 --comments 59507 --seed 1 --port 0`
prints one line of JSON with its addresses when it is ready. Other processes steer it by POST with a JSON object:

    /_double/change    {"do": "edit", "number": 5, "title": "..."} or a list of such; see control.py for every `do`
    /_double/fault     {"kind": "server_error", "count": 3, "status": 502}, {"clear": true}, {"limits": {"core": 100}}
    /_double/truth     {"repo": "octo/engine"} -> {"rows": {number: row}, "comments": {number: [comment]}}
    /_double/requests  {"after": 0, "clear": false} -> the log from this index on
    /_double/reset     {} ends all faults and limits and empties the log; {"world": true} also makes the world anew
    /_double/clock     {"move": seconds}, {"now": moment} or {"skew": seconds}

Where things are: `values` what the world is made of, `world` the world and its changes (`store`, `issue_changes`,
`repository_changes`), `generation` and `texts` how one is made, `truth` what a mirror must say, `rest` and `graphql`
the two interfaces, `limits` and `faults` what stands in the way, `server` the sockets, `control` the addresses above.
"""

from tests.doubles.github.faults import Fault, Faults
from tests.doubles.github.limits import Limits
from tests.doubles.github.requests import Logged
from tests.doubles.github.server import GitHubDouble
from tests.doubles.github.truth import comment_truth, commit_truth, differences, truth
from tests.doubles.github.values import Comment, Issue, Label, PullRequest, Repository
from tests.doubles.github.world import World

__all__ = [
    "Comment", "Fault", "Faults", "GitHubDouble", "Issue", "Label", "Limits", "Logged", "PullRequest", "Repository",
    "World", "comment_truth", "commit_truth", "differences", "truth",
]  # fmt: skip
