"""Many annotators at once, each with a browser's session and a connection of their own, over real HTTP.

Each asks for the next issue, keeps a draft, votes, and asks again, until there is nothing left. When the server breaks
off, they do as people do: try the same again. What a worker's death costs in time is not counted, what it loses is.
"""

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from labeling.models import Member, Round

PATIENCE = 60
PAUSE = 0.05
BALLOT = {"choices": {"symptom": {"codes": ["hang"]}, "issue_type": {"codes": ["bug"]}}, "confidence": 3}


@dataclass
class Crowd:
    """What everybody was told: receipts by annotator, and how long answers took in milliseconds."""

    receipts: dict[int, list[str]] = field(default_factory=dict)
    milliseconds: list[float] = field(default_factory=list)
    broken: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def votes(self) -> int:
        """How many votes were answered with a receipt."""
        return sum(len(some) for some in self.receipts.values())


class Annotator:
    """One person: their session, their connection. `comes_or_goes`: they do not label the round all the time."""

    def __init__(self, member: Member, round_: Round, port: int, crowd: Crowd, *, comes_or_goes: bool = False) -> None:
        client = Client()
        client.force_login(member.user)
        self.member, self.port, self.crowd, self.comes_or_goes = member, port, crowd, comes_or_goes
        self.base = f"/api/v1/labeling/projects/{round_.project.slug}/rounds/{round_.number}/"
        token = "a" * 32
        self.headers = {
            "Cookie": f"sessionid={client.cookies['sessionid'].value}; csrftoken={token}",
            "X-CSRFToken": token,
            "Content-Type": "application/json",
        }
        self.connection: http.client.HTTPConnection | None = None

    def work(self, is_over: Callable[[], bool], think: Callable[[], object]) -> None:
        """Label until there is nothing left for anybody."""
        receipts = self.crowd.receipts.setdefault(self.member.pk, [])
        while not is_over():
            status, place = self.ask("POST", "next/", may_conflict=self.comes_or_goes)
            if status in (204, 409):
                # Others hold the last places, which may yet come free; or a lead lets others label.
                time.sleep(PAUSE)
                think()
                continue
            think()
            here = f"issues/{place['item']['position']}/"
            self.ask("PUT", f"{here}draft/", {"content": BALLOT, "revision": 0, "active_seconds": 1}, may_conflict=True)
            status, vote = self.ask("POST", f"{here}vote/", BALLOT, may_conflict=self.comes_or_goes)
            if status != 409:
                receipts.append(vote["receipt"])

    def go(self) -> None:
        """Close the connection: a server that stops waits for those that are open."""
        if self.connection:
            self.connection.close()

    def ask(self, verb: str, path: str, body: Any = None, *, may_conflict: bool = False) -> tuple[int, Any]:
        """Send a request until it is answered. `may_conflict`: when it had arrived before the answer got lost."""
        sent, until = json.dumps(body) if body is not None else "", time.monotonic() + PATIENCE
        while True:
            try:
                status, answer = self._send(verb, path, sent)
            except (OSError, http.client.HTTPException):
                self.connection = None
                self.crowd.broken += 1
                if time.monotonic() > until:
                    raise
                time.sleep(PAUSE)
                continue
            if status >= 300 and not (may_conflict and status == 409):
                raise AssertionError(f"{verb} {path}: {status} {answer}")
            return status, answer

    def _send(self, verb: str, path: str, sent: str) -> tuple[int, Any]:
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        started = time.perf_counter()
        self.connection.request(verb, self.base + path, sent or None, self.headers)
        response = self.connection.getresponse()
        text = response.read()
        self.crowd.milliseconds.append((time.perf_counter() - started) * 1_000)
        return response.status, json.loads(text) if text else None


def label_all(
    people: Sequence[Member], round_: Round, port: int, votes: int,
    meanwhile: Callable[[Crowd, threading.Event], None], think: float = 0, changing: Sequence[Member] = (),
) -> Crowd:  # fmt: skip
    """Everybody labels at once until so many votes are answered for; `meanwhile` runs beside them until the end.

    `think`: seconds that everybody takes over an issue, on average; from half as long to half as long again, as
    people do, who would otherwise all send at the same moments for ever. `changing`: those of the people who come into
    the round, or are taken out of it, on the way.
    """
    crowd, over = Crowd(), threading.Event()
    annotators = [Annotator(member, round_, port, crowd, comes_or_goes=member in changing) for member in people]

    def is_over() -> bool:
        return over.is_set() or crowd.votes >= votes

    def work(annotator: Annotator) -> None:
        chance = random.Random(annotator.member.pk)  # noqa: S311 - it spreads requests
        try:
            annotator.work(is_over, lambda: over.wait(think * chance.uniform(0.5, 1.5)))
            annotator.go()
        except Exception as error:  # noqa: BLE001 - told by the test, whatever it is
            crowd.failures.append(f"{annotator.member}: {error!r}")
            over.set()

    threads = [threading.Thread(target=work, args=(one,)) for one in annotators]
    beside = threading.Thread(target=meanwhile, args=(crowd, over))
    for thread in [*threads, beside]:
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    beside.join()
    return crowd
