"""Every address of labeling x every verb x everybody x one's own and another project, as the table says."""

from collections import defaultdict
from collections.abc import Collection
from itertools import product

import pytest
from django.test import Client

from tests.labeling.permissions.asking import Team, content, fingerprint
from tests.labeling.permissions.routes import Route, labeling_routes
from tests.labeling.permissions.rules import PLACES, SAFE, VERBS, Line, Outcome, expected
from tests.labeling.permissions.table import TABLE
from tests.labeling.permissions.world import Actor

pytestmark = pytest.mark.django_db
ROUTES = {route.name: route for route in labeling_routes()}
CASES = [pytest.param(line, id=f"{line.route}-{line.at}") for line in TABLE if line.route in ROUTES]
WRITING = [
    pytest.param(line, verb, id=f"{verb}-{line.route}-{line.at}")
    for line in TABLE
    for verb in VERBS
    if line.route in ROUTES and verb not in SAFE and (rule := line.rule(verb)) and rule.met is Outcome.OPEN
    and rule.actors
]  # fmt: skip


def test_every_address_has_a_name_of_its_own() -> None:
    names = [route.name for route in labeling_routes()]
    assert sorted(names) == sorted(set(names))
    assert not [route.pattern for route in labeling_routes() if not route.name.rpartition(":")[2]]


def test_every_address_has_a_line_and_every_line_an_address() -> None:
    listed = {line.route for line in TABLE}
    assert sorted(ROUTES.keys() - listed) == [], "addresses without a line in tests/labeling/permissions/table.py"
    assert sorted(listed - ROUTES.keys()) == [], "lines whose address is gone"


def test_every_address_of_an_issue_is_tried_on_ones_own_and_on_anothers() -> None:
    places = defaultdict(set)
    for line in TABLE:
        places[line.route].add(line.at)
    lone = [name for name, route in ROUTES.items() if "position" in route.parameters and len(places[name]) < 2]
    assert lone == []


def asking(line: Line, verb: str) -> Collection[Actor]:
    """Who has to try a verb: everybody, where who asks counts."""
    if line.rule(verb) is None:
        return (Actor.STRANGER, Actor.LEAD) if line.is_api else (Actor.LEAD,)
    # What answers HEAD is what answers GET.
    return (Actor.STRANGER, Actor.OUTSIDER, Actor.LEAD) if verb == "HEAD" else Actor


@pytest.mark.parametrize("line", CASES)
def test_everybody_meets_what_the_table_says(team: Team, line: Line) -> None:
    wrong = []
    for verb, actor in product(VERBS, Actor):
        if actor not in asking(line, verb):
            continue
        # A page that does not know the verb says so before it looks at anything.
        elsewhere = line.is_of_project and (line.is_api or line.rule(verb) is not None)
        for own_project in (True, False) if elsewhere else (True,):
            wanted = expected(line, verb, actor, own_project=own_project)
            answer = team.ask(actor, verb, line, ROUTES[line.route], own_project=own_project)
            told = f"{verb}, {actor.value}{'' if own_project else ', at another project'}: {answer}"
            wrong += [f"{told}, not {wanted.value}"] if not answer.fits(wanted) else []
            wrong += [f"{told}: a safe verb wrote"] if verb in SAFE and answer.changed else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("line", "verb"), WRITING)
def test_nobody_writes_without_the_csrf_token(team: Team, line: Line, verb: str) -> None:
    rule = line.rule(verb)
    assert rule
    actor = min(rule.actors - {Actor.STRANGER}, key=lambda one: list(Actor).index(one))
    careful = Client(enforce_csrf_checks=True)
    careful.cookies = team.client(actor).cookies
    before = fingerprint()
    answer = careful.generic(verb, ROUTES[line.route].path(PLACES[line.at](team.here, actor)), **content(line, verb))
    assert answer.status_code == 403
    assert fingerprint() == before


class TestTheMatrixItself:
    """It can fail: a table that says something else than the code is told."""

    def test_an_address_that_lets_too_many_in_is_told(self, team: Team) -> None:
        line = Line("labeling:project", "project")
        answer = team.ask(Actor.OBSERVER, "GET", line, ROUTES[line.route])
        assert answer.fits(Outcome.OPEN)
        assert not any(answer.fits(one) for one in Outcome if one not in (Outcome.OPEN, Outcome.REFUSED))

    def test_a_write_behind_a_refusal_is_told(self, team: Team) -> None:
        line = next(line for line in TABLE if line.route == "api-labeling-vote" and line.at == "held issue")
        answer = team.ask(Actor.ANNOTATOR, "POST", line, ROUTES[line.route])
        assert answer.changed
        assert not answer.fits(Outcome.REFUSED)


def test_the_routes_are_those_of_the_url_conf() -> None:
    by_name = {route.name: route for route in labeling_routes()}
    assert by_name["labeling:project"] == Route("labeling:project", "labeling/<slug:project>/", frozenset({"project"}))
