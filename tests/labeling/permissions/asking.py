"""Real requests of everybody in a project, each undone after it; and what their answers say about rights."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from labeling.models import Member
from tests.labeling.permissions.routes import Route
from tests.labeling.permissions.rules import PLACES, Line, Outcome
from tests.labeling.permissions.world import Actor, World

REFUSING = (400, 409, 422)


@dataclass
class Answer:
    """What came back, and whether anything in labeling's tables is different after it."""

    response: HttpResponseBase
    changed: bool

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status_code

    def fits(self, expected: Outcome) -> bool:
        """Does the answer say this? Whoever is not let in has changed nothing."""
        if expected is Outcome.OPEN:
            return self._outcome() is Outcome.OPEN
        if self.changed:
            return False
        if expected is Outcome.REFUSED:
            return self._outcome() is Outcome.OPEN and self.status not in (201, 204)
        return self._outcome() is expected

    def _outcome(self) -> Outcome | None:
        if self.status in (301, 302, 303):
            to_login = self.response.headers["Location"].startswith(reverse("account_login"))
            return Outcome.LOGIN if to_login else Outcome.OPEN
        known = {401: Outcome.LOGIN, 403: Outcome.FORBIDDEN, 404: Outcome.HIDDEN, 405: Outcome.NO_VERB}
        if self.status in known:
            return known[self.status]
        return Outcome.OPEN if self.status < 300 or self.status in REFUSING else None

    def __str__(self) -> str:
        place = self.response.headers.get("Location", "")
        return f"{self.status} {place}{', something changed' if self.changed else ''}".strip()


class Team:
    """The people of one project at their browsers; `there` is another team's project, in the same state."""

    def __init__(self, here: World, there: World, outsider: Member) -> None:
        self.here, self.there = here, there
        # Everything is undone after each request, so that it is always the same.
        self._before = fingerprint()
        self._written = written()
        self._clients = {actor: Client(raise_request_exception=False) for actor in Actor}
        for actor, member in {**here.people, Actor.OUTSIDER: outsider}.items():
            self._clients[actor].force_login(member.user)

    def client(self, actor: Actor) -> Client:
        """The actor's browser."""
        return self._clients[actor]

    def ask(self, actor: Actor, verb: str, line: Line, route: Route, *, own_project: bool = True) -> Answer:
        """Send the request and undo what it did."""
        world = self.here if own_project else self.there
        path = route.path(PLACES[line.at](world, actor)) + line.query
        client = self.client(actor)
        with transaction.atomic():
            response = client.generic(verb, path, **content(line, verb))
            before, self._written = self._written, written()
            # What was written may be as it was, or undone by the request itself: then nothing changed.
            answer = Answer(response, changed=self._written != before and fingerprint() != self._before)
            transaction.set_rollback(True)
        return answer


def content(line: Line, verb: str) -> Mapping[str, Any]:
    """What a program or a form sends."""
    if verb in ("GET", "HEAD", "OPTIONS"):
        return {}
    if line.is_api:
        return {"data": json.dumps(line.body), "content_type": "application/json"}
    return {"data": urlencode(line.body, doseq=True), "content_type": "application/x-www-form-urlencoded"}


def written() -> int:
    """How many rows of labeling's tables this transaction has written so far, undone ones too; far cheaper to ask."""
    with connection.cursor() as cursor:
        cursor.execute(_written_sql())
        return int(cursor.fetchone()[0])


def fingerprint() -> tuple[Any, ...]:
    """What labeling's tables hold, short enough to compare."""
    with connection.cursor() as cursor:
        cursor.execute(_fingerprint_sql())
        return tuple(cursor.fetchall())


def _tables() -> list[str]:
    return [model._meta.db_table for model in apps.get_app_config("labeling").get_models(include_auto_created=True)]


@cache
def _written_sql() -> str:
    counts = " + ".join(f"pg_stat_get_xact_tuples_{what}(t)" for what in ("inserted", "updated", "deleted"))
    oids = ", ".join(f"'{table}'::regclass" for table in _tables())
    return f"SELECT sum({counts}) FROM unnest(ARRAY[{oids}]::oid[]) t"  # noqa: S608


@cache
def _fingerprint_sql() -> str:
    rows = "SELECT %r, count(*), sum(hashtextextended(t::text, 0)) FROM %s t"
    return " UNION ALL ".join(rows % (table, table) for table in _tables())
