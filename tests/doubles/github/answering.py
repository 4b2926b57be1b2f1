"""From a request to its answer: credentials, limits, faults, the two interfaces, the headers of every answer, the log.

All of it happens under the world's lock; sending is the server's, outside of it.
"""

import hashlib
from dataclasses import replace
from email.utils import formatdate

from tests.doubles.github.accidents import answer_instead, block_of, churn, delivery_of, spoil
from tests.doubles.github.faults import STANDING, Fault, Faults
from tests.doubles.github.graphql import GraphQL, Prepared
from tests.doubles.github.graphql_fields import RateLimit
from tests.doubles.github.limits import Limits, limited
from tests.doubles.github.requests import Answer, Logged, Request, refusal
from tests.doubles.github.rest import Rest
from tests.doubles.github.wire import encode
from tests.doubles.github.world import World


class Answering:
    """The double without its sockets.

    `tokens`: the valid ones, None for all; `cursors`: whether issue lists are linked by cursor; `skew`: by how many
    seconds the clock in answers goes wrong.
    """

    def __init__(
        self,
        world: World,
        *,
        limits: Limits | None = None,
        tokens: set[str] | None = None,
        cursors: bool = False,
        seed: int = 1,
    ) -> None:
        self.world = world
        self.limits = limits or Limits()
        self.tokens = tokens
        self.skew = 0.0
        self.faults = Faults(seed)
        self.requests: list[Logged] = []
        self.rest = Rest(world, cursors=cursors)
        self.graphql = GraphQL(world)

    def answer(self, request: Request) -> Answer:
        """Answer one request and log it; the answer's body is ready to be sent."""
        prepared = self.graphql.prepare(request) if request.is_graphql else None
        if prepared:
            request.ids, request.nodes, request.fields = prepared.ids, prepared.nodes, prepared.fields
        with self.world.lock:
            return self._answer(request, prepared)

    def _answer(self, request: Request, prepared: Prepared | None) -> Answer:
        world, limits = self.world, self.limits
        told_empty = limits.enabled and limits.window(world, request.digest, request.resource).told_empty
        line = Logged(request.method, request.target, 0, world.clock(), request.digest, told_empty=told_empty,
                      ids=request.ids)  # fmt: skip
        block = limits.block(world, request.digest, request.resource)
        if block and not (request.path == "/rate_limit" and not block.is_secondary):
            told_for = request.arrived - block.told_at if block.told_at else 0.0
            line = replace(line, was_limited=True, told_for=round(told_for, 4))
            return self._finish(request, limited(world, request, block), line)
        if self.tokens is not None and request.token and request.token not in self.tokens:
            return self._finish(request, refusal(401, "Bad credentials"), line)
        met = limits.exhaust(world, request)
        if met:
            return self._finish(request, limited(world, request, met), replace(line, met_limit=True))
        return self._meet(request, prepared, line)

    def _meet(self, request: Request, prepared: Prepared | None, line: Logged) -> Answer:
        """Let faults have their way, and answer truly if they let it."""
        faults = self.faults.meet(request)
        for fault in faults:
            if fault.kind == "churn":
                churn(fault, self.world)
        accident = next((fault for fault in faults if fault.kind not in STANDING), None)
        if accident:
            line = replace(line, fault=accident.kind)
            block = block_of(accident, self.world.clock())
            if block:
                self.limits.enforce(request.digest, request.resource, block)
                return self._finish(request, limited(self.world, request, block), replace(line, met_limit=True))
        answer = (answer_instead(accident, request, prepared) if accident else None) or self._true(request, prepared)
        if accident:
            spoil(accident, answer, self.faults.rng)
            answer.delivery = delivery_of(accident) or answer.delivery
        return self._finish(request, answer, line, faults)

    def _true(self, request: Request, prepared: Prepared | None) -> Answer:
        """The answer as GitHub would give it on a good day."""
        if prepared:
            return self.graphql.execute(prepared, self._rate(request, prepared))
        if request.path == "/rate_limit":
            return self.limits.overview(self.world, request)
        standing = self.faults.standing("page_limit")
        self.rest.page_limit = standing.options.get("pages", 10) if standing else None
        return self.rest.answer(request)

    def _rate(self, request: Request, prepared: Prepared) -> RateLimit:
        window = self.limits.window(self.world, request.digest, "graphql")
        used = window.used + prepared.points
        return RateLimit(
            cost=prepared.points,
            limit=window.limit,
            node_count=prepared.nodes,
            remaining=max(0, window.limit - used),
            reset_at=self.limits.reset(self.world, window.resets_at, self.skew),
            used=used,
        )

    def _finish(self, request: Request, answer: Answer, line: Logged, faults: list[Fault] | None = None) -> Answer:
        """Write the body, compare it with what the client has, charge, put the headers on, log."""
        if answer.body is None:
            answer.body = encode(answer.value)
        if answer.has_etag:
            self._compare(request, answer, faults or [])
        if answer.cost:
            self.limits.charge(self.world, request, answer.cost)
        now = self.world.now + self.skew
        headers = {
            "Date": formatdate(now, usegmt=True),
            "Server": "github.com",
            "Content-Type": answer.content_type,
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": f"{len(self.requests):04X}:1A2B:3C4D:5E6F:{int(now):08X}",
        }
        if not answer.bare:
            headers |= self.limits.headers(self.world, request, self.skew)
        answer.headers = headers | answer.headers
        self.requests.append(replace(line, status=answer.status, cost=answer.cost))
        return answer

    def _compare(self, request: Request, answer: Answer, faults: list[Fault]) -> None:
        """Put an ETag on, and send nothing when the client has the very same; that is free for who has a token."""
        noise = next((str(fault.hits) for fault in faults if fault.kind == "wrong_etag"), "")
        tag = hashlib.sha256((answer.body or b"") + noise.encode()).hexdigest()
        answer.headers |= {"ETag": f'W/"{tag}"', "Cache-Control": "private, max-age=60, s-maxage=60"}
        sent = request.headers.get("if-none-match", "").split(",")
        known = {part.strip().removeprefix("W/").strip('"') for part in sent}
        if tag in known:
            answer.status, answer.body = 304, b""
            answer.cost = 0 if request.token else 1
