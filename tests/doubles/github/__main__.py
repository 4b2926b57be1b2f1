"""A double in a process of its own: makes a world, prints its addresses as one line of JSON, answers until killed."""

import argparse
import gc
import json
import signal
import sys
import threading
from typing import Any

from tests.doubles.github.limits import Limits
from tests.doubles.github.server import GitHubDouble
from tests.doubles.github.world import World


def main() -> None:
    """Run until SIGTERM or Ctrl-C."""
    arguments = _arguments()
    recipe: dict[str, Any] = {
        "issues": arguments.issues,
        "pulls": arguments.pulls,
        "comments": arguments.comments,
        "seed": arguments.seed,
        "same_second": arguments.same_second,
        "full_name": arguments.repo,
    }
    if arguments.plain:
        recipe |= {"ghosts": 0.0, "null_bodies": 0.0, "odd_bodies": 0.0}
    world = World.generate(**recipe)
    gc.collect()
    gc.freeze()  # the world stays; looking through it again and again would cost pauses
    limits = Limits(core=arguments.core, graphql=arguments.graphql)
    double = GitHubDouble(
        world,
        port=arguments.port,
        enterprise=arguments.enterprise,
        cursors=arguments.cursors,
        limits=limits,
        recipe=recipe,
    )
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with double:
        told = {"api_url": double.api_url, "graphql_url": double.graphql_url, "repo": arguments.repo}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        ended.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.github", description=__doc__)
    parser.add_argument("--issues", type=int, default=100)
    parser.add_argument("--pulls", type=int, default=50)
    parser.add_argument("--comments", type=int, help="in all; four for each number unless given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--same-second", type=int, default=0, help="how many were last changed in one second")
    parser.add_argument("--plain", action="store_true", help="no deleted users, empty bodies or odd characters")
    parser.add_argument("--repo", default="octo/engine")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--core", type=int, default=5_000, help="requests an hour for each token")
    parser.add_argument("--graphql", type=int, default=5_000, help="points an hour for each token")
    parser.add_argument("--enterprise", action="store_true", help="addresses below /api")
    parser.add_argument("--cursors", action="store_true", help="link issue lists by cursor")
    return parser.parse_args()


if __name__ == "__main__":
    main()
