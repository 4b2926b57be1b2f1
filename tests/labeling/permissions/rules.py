"""The words of the permission table: who may do what on an address, and how everybody else is turned away."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tests.labeling.permissions.world import (
    AGAIN,
    AGAIN_BY_LEAD,
    CLOSED,
    DRAFT,
    DROPPED,
    GOLD,
    OPEN,
    ROLLING,
    Actor,
    World,
)

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SAFE = ("GET", "HEAD", "OPTIONS")


class Outcome(Enum):
    """What the answer says about the right to ask, whatever else it says."""

    OPEN = "let in"
    REFUSED = "let in, and nothing changed"
    LOGIN = "asked to log in"
    HIDDEN = "told that nothing is there"
    FORBIDDEN = "told that it is not for them"
    NO_VERB = "told that the verb is not known"


MEMBER_ACTORS = frozenset({Actor.ANNOTATOR, Actor.ADJUDICATOR, Actor.LEAD, Actor.OBSERVER, Actor.VOTING_LEAD})


@dataclass(frozen=True)
class Rule:
    """What these actors meet, and what a member who is not among them meets; outside the door, always "forbidden"."""

    actors: frozenset[Actor]
    refused: Outcome = Outcome.FORBIDDEN
    met: Outcome = Outcome.OPEN
    door: frozenset[Actor] = MEMBER_ACTORS

    def outcome(self, actor: Actor) -> Outcome:
        """What a member meets."""
        if actor not in self.door:
            return Outcome.FORBIDDEN
        return self.met if actor in self.actors else self.refused


ANYBODY = Rule(frozenset(Actor))
LOGGED_IN = Rule(frozenset(Actor) - {Actor.STRANGER})
MEMBERS = Rule(MEMBER_ACTORS)
# No role in a project is a right for the site.
STAFF = Rule(frozenset())
FOUNDERS = Rule(frozenset({Actor.LEAD, Actor.OUTSIDER}))
LEADS = Rule(frozenset({Actor.LEAD, Actor.VOTING_LEAD}))
# Staff let only one of the leads found projects.
FOUNDING_LEADS = Rule(frozenset({Actor.LEAD}))
LEADS_IN_VAIN = Rule(LEADS.actors, met=Outcome.REFUSED)
# On a thing that is not of the kind that the place is for.
LEADS_FIND_NOTHING = Rule(LEADS.actors, met=Outcome.HIDDEN)
# What a lead prepares is not there for others.
LEADS_SECRETLY = Rule(LEADS.actors, Outcome.HIDDEN)
ANNOTATORS = Rule(frozenset({Actor.ANNOTATOR, Actor.VOTING_LEAD}))
# On an object that is somebody else's.
ANNOTATORS_IN_VAIN = Rule(ANNOTATORS.actors, met=Outcome.REFUSED)
# The place is for annotators, and has nothing of theirs.
ANNOTATORS_FIND_NOTHING = Rule(ANNOTATORS.actors, met=Outcome.HIDDEN)
DISCUSSING = Rule(LEADS.actors | ANNOTATORS.actors)
SETTLING = Rule(LEADS.actors | {Actor.ADJUDICATOR})
PROPOSING = Rule(DISCUSSING.actors | {Actor.ADJUDICATOR})
PROPOSING_IN_VAIN = Rule(PROPOSING.actors, met=Outcome.REFUSED)
ADJUDICATORS = Rule(frozenset({Actor.ADJUDICATOR}))
# On an object that is the annotator's own; others are not told of it.
OWNERS = Rule(ANNOTATORS.actors, Outcome.HIDDEN)
NOT_THERE = Rule(frozenset(), Outcome.HIDDEN)


@dataclass(frozen=True)
class Line:
    """One address at one place of the world, and which rule each verb has; a verb without one is not known there.

    `body` is what a right form or program sends.
    """

    route: str
    at: str
    get: Rule | None = None
    post: Rule | None = None
    put: Rule | None = None
    patch: Rule | None = None
    delete: Rule | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""

    def rule(self, verb: str) -> Rule | None:
        """The verb's rule; HEAD goes with GET."""
        found: Rule | None = getattr(self, {"HEAD": "get"}.get(verb, verb.lower()), None)
        return found

    @property
    def is_api(self) -> bool:
        """Answers programs?"""
        return self.route.startswith("api-")

    @property
    def is_of_project(self) -> bool:
        """Names a project in its address?"""
        return self.at not in ("anywhere", "invitation", "any project", "any category", "any request")


Place = Callable[[World, Actor], Mapping[str, object]]


def _at(number: int, position: int = 0) -> Place:
    return lambda world, _actor: world.values() | {"number": number, "position": position}


def _of(voted: int, voted_by_lead: int) -> Place:
    """The issue at one place for whoever votes as lead, at another for everybody else."""
    return lambda world, actor: _at(OPEN, voted_by_lead if actor is Actor.VOTING_LEAD else voted)(world, actor)


def _with(**chosen: str) -> Place:
    """The project, and of its things those with these names."""
    return lambda world, _actor: world.values(**chosen)


PLACES: Mapping[str, Place] = {
    "anywhere": _with(),
    "invitation": _with(),
    "any project": lambda world, _actor: {"slug": world.slug},
    "any category": lambda _world, _actor: {"pk": 1},
    "any request": lambda _world, _actor: {"pk": 1},
    "project": _with(),
    "invitation of the project": _with(pk="invitation"),
    "member": _with(pk="member"),
    "rule": _with(pk="rule"),
    "prepared round": _at(DRAFT, 1),
    "open round": _at(OPEN, 1),
    "second version": lambda world, _actor: world.values() | {"version": 2},
    "annotator in the round": lambda world, _actor: world.values(pk="member") | {"number": OPEN},
    "another's flag": lambda world, _actor: world.values() | {"pk": world.flag().pk, "number": OPEN},
    "closed round": _at(CLOSED, 2),
    "held issue": _of(2, 4),
    "voted issue": _of(1, 3),
    "another's issue": _at(OPEN, 5),
    "another's voted issue": _at(OPEN, 7),
    "repeated issue": _of(AGAIN, AGAIN_BY_LEAD),
    "gold issue": _at(OPEN, GOLD),
    "dropped issue": _at(OPEN, DROPPED),
    "full issue": _at(ROLLING, 1),
    "released issue": _at(CLOSED, 2),
    "settled issue": _at(CLOSED, 3),
    "proposal on vote": _with(proposal="vote"),
    "unfinished proposal": _with(proposal="draft"),
    "release": _with(number="release"),
    "import": _with(number="import"),
    "file of items": _with(number="file of items"),
    "job": _with(number="job"),
    "open round's reader": lambda world, _actor: world.values(pk="reader") | {"number": OPEN},
    "prepared round's file": lambda world, _actor: world.values(pk="file") | {"number": DRAFT},
}


def expected(line: Line, verb: str, actor: Actor, *, own_project: bool) -> Outcome:
    """What an actor meets at a line's own place, in their own project or at the same place of another one."""
    rule = line.rule(verb)
    asked_first = line.is_api and line.route != "api-labeling-openapi"
    if rule is None and not asked_first:
        return Outcome.NO_VERB
    if rule is not None and rule is ANYBODY:
        return Outcome.OPEN
    if actor is Actor.STRANGER:
        return Outcome.LOGIN
    is_outside = actor in (Actor.OUTSIDER, Actor.FORMER) or not own_project
    if line.is_of_project and is_outside:
        return Outcome.HIDDEN
    if rule is None:
        return Outcome.OPEN if verb == "OPTIONS" else Outcome.NO_VERB
    if line.is_of_project:
        return rule.outcome(actor)
    return rule.met if actor in rule.actors else rule.refused
