"""Steering a double from another process: POST /_double/{change|fault|truth|requests|reset|clock} with a JSON object.

`change` takes one order or a list of them, each with `do` and its arguments by name; `repo` is the first repository
unless given. What is made is told by number or id.

    of an issue or pull request, by `number`: edit(title, body) close(reason) reopen() comment(body, login)
        relabel(names) react(count) delete() transfer(to) merge_closing() push(size)
    of a comment, by `number` and `comment`: edit_comment(body, touch) delete_comment(touch)
    of a link, by `pull` and `issue`: link(how) unlink() mention(); `pull_repo` when it is in another repository
    of a repository: open_issue(title, body, login, labels) open_pull(title, body, closes, how, size)
        rename_label(name, new_name) delete_label(name) rename_repository(full_name) set_features(has_issues, archived)
        change_some(fraction, seed, kinds) add_repository(full_name) grow(...)

These requests are neither limited nor logged.
"""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.doubles.github.limits import Limits
from tests.doubles.github.requests import Answer, Request
from tests.doubles.github.truth import comment_truth, truth
from tests.doubles.github.values import Comment, Issue, Item, Repository
from tests.doubles.github.wire import encode
from tests.doubles.github.world import World

if TYPE_CHECKING:
    from tests.doubles.github.server import GitHubDouble

PREFIX = "/_double/"
OF_ITEM = frozenset({"edit", "close", "reopen", "comment", "relabel", "react", "delete", "merge_closing", "push"})
OF_COMMENT = frozenset({"edit_comment", "delete_comment"})
OF_LINK = frozenset({"link", "unlink", "mention"})
OF_REPOSITORY = frozenset({"open_issue", "rename_label", "delete_label", "rename_repository", "set_features"})
Json = dict[str, Any]


class Control:
    """The addresses below /_double/ of one double."""

    def __init__(self, double: "GitHubDouble") -> None:
        self.double = double

    def answer(self, request: Request) -> Answer:
        """Carry out an order; 400 with a message when it cannot be."""
        orders = {
            "change": self.change,
            "fault": self.fault,
            "truth": self.truth,
            "requests": self.requests,
            "reset": self.reset,
            "clock": self.clock,
        }
        name = request.path.removeprefix(PREFIX)
        try:
            value = orders[name](request.json if request.body else {})
            return Answer(value=value, body=encode(value), headers={"Content-Type": "application/json"})
        except (KeyError, TypeError, ValueError) as error:
            body = encode({"message": f"{name}: {type(error).__name__}: {error}"})
            return Answer(400, body=body, headers={"Content-Type": "application/json"})

    def change(self, order: Json | list[Json]) -> Json:
        """Change the world; several orders are carried out with nobody reading in between."""
        world = self.double.world
        with world.lock:
            orders = order if isinstance(order, list) else [order]
            return {"done": [_told(self._change(world, dict(one))) for one in orders]}

    def _change(self, world: World, order: Json) -> Any:
        do = order.pop("do")
        repository = self._repository(order.pop("repo", None))
        if do in OF_ITEM:
            return getattr(world, do)(world.item(order.pop("number"), repository), **order)
        if do in OF_COMMENT:
            item, wanted = world.item(order.pop("number"), repository), order.pop("comment")
            return getattr(world, do)(next(one for one in item.comments if one.id == wanted), **order)
        if do in OF_LINK:
            pulls = self._repository(order.pop("pull_repo", None) or repository.full_name)
            pull = world.item(order.pop("pull"), pulls)
            return getattr(world, do)(pull, world.item(order.pop("issue"), repository), **order)
        if do in OF_REPOSITORY:
            return getattr(world, do)(repository, **order)
        return self._change_more(world, repository, do, order)

    def _change_more(self, world: World, repository: Repository, do: str, order: Json) -> Any:
        if do == "open_pull":
            order["closes"] = [world.item(number, repository) for number in order.pop("closes", [])]
            return world.open_pull(repository, **order)
        if do == "transfer":
            item = world.item(order.pop("number"), repository)
            assert isinstance(item, Issue)
            return world.transfer(item, self._repository(order.pop("to")))
        if do == "change_some":
            return world.change_some(repository=repository, **order)
        if do in ("add_repository", "grow"):
            return getattr(world, do)(**order)
        raise ValueError(f"nothing is called {do}")

    def fault(self, order: Json) -> Json:
        """Clear faults, set limits or add a fault; tells all faults and what they have met."""
        faults = self.double.faults
        if order.pop("clear", False):
            faults.clear()
        if "limits" in order:
            self.double.limits = Limits(**order.pop("limits"))
        if order:
            faults.add(order.pop("kind"), **order)
        return {"faults": [
            {"kind": fault.kind, "count": fault.count, "hits": fault.hits, "options": fault.options}
            for fault in faults.all()
        ]}  # fmt: skip

    def truth(self, order: Json) -> Json:
        """The truth of a repository, with the comments' texts."""
        world, repository = self.double.world, self._repository(order.get("repo"))
        with world.lock:
            rows = truth(world, repository, merged_only=order.get("merged_only", False))
            comments = comment_truth(world, repository)
        return {
            "rows": {str(number): row for number, row in rows.items()},
            "comments": {str(number): some for number, some in comments.items()},
        }

    def requests(self, order: Json) -> Json:
        """The log from an index on."""
        with self.double.world.lock:
            log = self.double.requests
            found = [asdict(line) for line in log[order.get("after", 0) :]]
            if order.get("clear"):
                log.clear()
        return {"requests": found, "count": len(found)}

    def reset(self, order: Json) -> Json:
        """End all faults and limits and empty the log; make the world anew when asked to."""
        double = self.double
        with double.world.lock:
            double.faults.clear()
            double.requests.clear()
            double.limits = Limits()
            double.skew = 0.0
            if order.get("world"):
                world = World.generate(**(double.recipe or {}))
                double.world = double.rest.world = double.graphql.world = world
        return {"reset": True}

    def clock(self, order: Json) -> Json:
        """Move the clock, or let answers tell a wrong time; tells the present."""
        world = self.double.world
        with world.lock:
            if "now" in order:
                now = order["now"]
                world.now = int(datetime.fromisoformat(now).timestamp() if isinstance(now, str) else now)
            if "move" in order:
                world.advance(order["move"])
            if "skew" in order:
                self.double.skew = float(order["skew"])
            return {"now": world.now, "skew": self.double.skew}

    def _repository(self, full_name: str | None) -> Repository:
        found = self.double.world.find(full_name) if full_name else self.double.world.repository
        if found is None:
            raise ValueError(f"no repository is called {full_name}")
        return found


def _told(value: Any) -> Any:
    """What was made, by number or id."""
    if isinstance(value, Item):
        return {"repo": value.repository.full_name, "number": value.number, "node_id": value.node_id}
    if isinstance(value, Comment):
        return {"id": value.id, "node_id": value.node_id}
    if isinstance(value, Repository):
        return {"repo": value.full_name, "id": value.id, "node_id": value.node_id}
    return value
