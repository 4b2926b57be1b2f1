"""A test double of Gitee's API, version 5: the world, sockets, limits and faults of the double of GitHub, another face.

    world = World.generate(issues=200, pulls=100, seed=1)
    with GiteeDouble(world) as double:
        double.api_url                              # point the client here
        double.faults.add("server_error", count=3)
    truth(world)                                    # what a mirror must hold now

Where things are: `rest` which address is answered with what, `shapes` the forms of the answers, `server` what is put
around them, `truth` what a mirror must say. It knows what `ingest.hosts.gitee` says was seen; what nobody could verify
(renamed repositories, moved and deleted issues) it does as is assumed there.
"""

from tests.doubles.gitee.server import GiteeDouble
from tests.doubles.gitee.shapes import code
from tests.doubles.gitee.truth import comment_truth, truth

__all__ = ["GiteeDouble", "code", "comment_truth", "truth"]
